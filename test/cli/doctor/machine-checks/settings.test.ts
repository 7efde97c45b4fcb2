import { describe, expect, test } from 'vitest';
import { CHECKS } from '../../../../src/cli/doctor/checks.ts';
import { configuredSetup } from '../../../support/cli/setup.ts';

describe('The check of the settings', () => {
  test('says where each setting comes from', async () => {
    const { setup } = await configuredSetup('{"slots": 3}', { env: { SKINSMITH_FORMAT: 'give' } });
    expect(await CHECKS.settings.look(setup)).toEqual({
      result: 'ok',
      detail: 'slots from the config file, format from SKINSMITH_FORMAT.',
    });
  });

  test('finds all invalid settings', async () => {
    const { setup } = await configuredSetup('{"slots": 0}', { env: { SKINSMITH_FORMAT: 'doc' } });
    const found = await CHECKS.settings.look(setup);
    expect(found).toMatchObject({ result: 'problem', hint: expect.stringContaining('config set slots') });
    expect(found.detail).toMatch(
      /slots "0" \(from the config file\).*format "doc" \(from SKINSMITH_FORMAT\)/,
    );
  });

  test.each([
    ['a variable', '{}', { SKINSMITH_BASEURL: 'x' }, 'SKINSMITH_BASEURL', /^Unset it; .*help environment/],
    [
      'a line of the file',
      '{"base_url": "x", "api-keys": {}}',
      {},
      'base_url',
      /^Remove it from the config file; /,
    ],
  ])('warns of %s that names an unknown setting', async (_, content, env, name, hint) => {
    const { setup } = await configuredSetup(content, { env: env as Record<string, string> });
    expect(await CHECKS.settings.look(setup)).toMatchObject({
      result: 'warning',
      detail: `${name}: unknown setting.`,
      hint: expect.stringMatching(hint),
    });
  });

  test('warns of a variable that overrides a different value in the file', async () => {
    const file = '{"base-url": "https://a.example", "slots": 2}';
    const env = { SKINSMITH_BASE_URL: 'https://b.example', SKINSMITH_SLOTS: '2' };
    const { setup } = await configuredSetup(file, { env });
    expect(await CHECKS.settings.look(setup)).toMatchObject({
      result: 'warning',
      detail:
        'SKINSMITH_BASE_URL (https://b.example) overrides base-url in the config file (https://a.example).',
    });
  });
});
