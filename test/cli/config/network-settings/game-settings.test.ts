import { describe, expect, test } from 'vitest';
import { gameSettings } from '../../../../src/cli/config/network-settings.ts';
import { GAME_ADDRESSES } from '../../../../src/game/addresses.ts';

describe('gameSettings', () => {
  test('keeps all defaults when nothing is set', () => {
    expect(gameSettings({}, {})).toEqual({ loginClientId: undefined });
    const empty = { SKINSMITH_LOGIN_CLIENT_ID: '', SKINSMITH_GAME_ADDRESSES: '' };
    expect(gameSettings({}, empty)).toEqual({ loginClientId: undefined });
  });

  test('prefers typed options to the environment', () => {
    const env = {
      SKINSMITH_LOGIN_CLIENT_ID: 'from-env',
      SKINSMITH_GAME_ADDRESSES: '{"services":"http://127.0.0.1:8080/"}',
    };
    const gameAddresses = { ...GAME_ADDRESSES, services: 'http://127.0.0.1:8080' };
    expect(gameSettings({}, env)).toEqual({ loginClientId: 'from-env', gameAddresses });
    expect(gameSettings({ loginClientId: 'typed', accountDelay: 20 }, env)).toEqual({
      loginClientId: 'typed',
      accountRules: { delay: 20_000 },
      gameAddresses,
    });
  });

  test.each<[string, Parameters<typeof gameSettings>[0], NodeJS.ProcessEnv, string]>([
    ['a client id with spaces', { loginClientId: 'a b' }, {}, 'one word'],
    ['no JSON', {}, { SKINSMITH_GAME_ADDRESSES: 'services=x' }, 'SKINSMITH_GAME_ADDRESSES'],
    ['an unknown service', {}, { SKINSMITH_GAME_ADDRESSES: '{"auth":"http://a.example"}' }, 'auth'],
    ['no address', {}, { SKINSMITH_GAME_ADDRESSES: '{"xsts":"a.example"}' }, 'xsts: this is not an address'],
  ])('refuses %s, saying where', (_, typed, env, words) => {
    const refusal = { code: 'invalid_setting', exit: 'usage', message: expect.stringContaining(words) };
    expect(() => gameSettings(typed, env)).toThrow(expect.objectContaining(refusal));
  });
});
