import { describe, expect, test } from 'vitest';
import {
  beginDeviceLogin,
  enterGame,
  LoginError,
  pollDeviceLogin,
  refreshMicrosoft,
} from '../../../src/game/login.ts';
import { fetchAccount } from '../../../src/game/skins.ts';
import { scriptedServer } from '../../support/client/scripted-server.ts';
import type { FakeGameOptions } from '../../support/fake-game/options.ts';
import { callGame } from '../../support/fake-game/run-game.ts';
import { gameErrorOf } from '../../support/game/told.ts';

const clientId = 'own-client';

async function withAccount(options: FakeGameOptions = {}) {
  const { fake, game } = await callGame(options);
  const account = fake.addAccount();
  const refresh = () => fake.microsoft.refreshToken(account.id, clientId);
  return { fake, http: game.http, account, refresh };
}

async function loginErrorOf(call: Promise<unknown>): Promise<LoginError> {
  const thrown = await call.catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(LoginError);
  return thrown as LoginError;
}

describe('A sign-in with a device code', () => {
  test('waits for the owner, and ends with tokens for Minecraft', async () => {
    const { fake, http, account } = await withAccount({ interval: 0.5 });
    const login = await beginDeviceLogin(http, { clientId });
    expect(login).toMatchObject({ verificationUri: 'https://www.microsoft.com/link', interval: 500 });
    const poll = () => pollDeviceLogin(http, { clientId, deviceCode: login.deviceCode });
    expect(await poll()).toBe('pending');
    fake.microsoft.approve(login.userCode, account.id);
    const tokens = await poll();
    if (typeof tokens === 'string') throw new Error(tokens);
    const { token, expiresAt } = await enterGame(http, tokens.accessToken);
    expect((await fetchAccount(http, token)).id).toBe(account.id);
    expect(expiresAt - Date.now()).toBeGreaterThan(86_000_000);
  });

  test('that is declined says so at once', async () => {
    const { fake, http } = await withAccount();
    const { userCode, deviceCode } = await beginDeviceLogin(http, { clientId });
    fake.microsoft.decline(userCode);
    expect((await loginErrorOf(pollDeviceLogin(http, { clientId, deviceCode }))).kind).toBe('declined');
  });

  test('whose code nobody enters says so', async () => {
    let ahead = 0;
    const { http } = await withAccount({ now: () => Date.now() + ahead });
    const { deviceCode } = await beginDeviceLogin(http, { clientId });
    ahead = 901_000;
    expect((await loginErrorOf(pollDeviceLogin(http, { clientId, deviceCode }))).kind).toBe('expired');
  });

  test.each([
    ['slow_down', 'slow_down'],
    ['authorization_pending', 'pending'],
  ])('reports %s as %s', async (error, expected) => {
    const { url } = await scriptedServer([
      { expect: 'POST /consumers/oauth2/v2.0/token', status: 400, json: { error } },
    ]);
    const { game } = await callGame({}, { addresses: { microsoft: url } });
    expect(await pollDeviceLogin(game.http, { clientId, deviceCode: 'd' })).toBe(expected);
  });

  test.each([
    ['unauthorized_client', 401],
    ['invalid_client', 401],
    ['invalid_scope', 400],
  ])('of an application without permission (%s) says so', async (error, status) => {
    const { url } = await scriptedServer([
      {
        expect: 'POST /consumers/oauth2/v2.0/devicecode',
        status,
        json: { error, error_description: 'AADSTS7' },
      },
    ]);
    const { game } = await callGame({}, { addresses: { microsoft: url } });
    expect((await loginErrorOf(beginDeviceLogin(game.http, { clientId }))).kind).toBe('client');
  });

  test.each([
    ['an unknown refusal', 400, { error: 'x'.repeat(99) }],
    ['a page', 400, undefined],
    ['half of it', 200, { access_token: 'a' }],
  ])('that is answered with %s is reported as an invalid answer', async (_, status, json) => {
    const exchange = {
      expect: 'POST /consumers/oauth2/v2.0/token',
      status,
      ...(json ? { json } : { body: '<html>' }),
    };
    const { url } = await scriptedServer([exchange]);
    const { game } = await callGame({}, { addresses: { microsoft: url } });
    const error = await gameErrorOf(pollDeviceLogin(game.http, { clientId, deviceCode: 'd' }));
    expect([error.kind, error.status]).toEqual(['unexpected', status]);
  });
});

describe('A refresh token', () => {
  test('works once, and returns the next one', async () => {
    const { http, refresh } = await withAccount();
    const first = refresh();
    const { refreshToken: second } = await refreshMicrosoft(http, { clientId, refreshToken: first });
    expect(second).not.toBe(first);
    await refreshMicrosoft(http, { clientId, refreshToken: second });
    const error = await loginErrorOf(refreshMicrosoft(http, { clientId, refreshToken: first }));
    expect(error.kind).toBe('refused');
    expect(error.message).not.toContain(first);
  });

  test('cannot be used by another application', async () => {
    const { http, refresh } = await withAccount();
    const error = await loginErrorOf(
      refreshMicrosoft(http, { clientId: 'another', refreshToken: refresh() }),
    );
    expect(error.kind).toBe('refused');
  });

  test('is in no error about unavailable services, even if they repeat it', async () => {
    const refreshToken = 'M.C5_secret';
    const { url } = await scriptedServer([
      {
        expect: 'POST /consumers/oauth2/v2.0/token',
        status: 503,
        json: { error: `cannot take ${refreshToken}` },
      },
    ]);
    const { game } = await callGame({}, { addresses: { microsoft: url } });
    const error = await gameErrorOf(refreshMicrosoft(game.http, { clientId, refreshToken }));
    expect(error.kind).toBe('unreachable');
    expect(error.message).not.toContain(refreshToken);
    expect(error.message).toContain('cannot take [token]');
  });
});

describe('The way from Microsoft into the game', () => {
  const accessToken = async (world: Awaited<ReturnType<typeof withAccount>>) =>
    (await refreshMicrosoft(world.http, { clientId, refreshToken: world.refresh() })).accessToken;

  test.each([
    [2148916233, 'has no Xbox profile'],
    [2148916238, 'under 18'],
    [2148916227, 'banned'],
    [2148999999, 'XErr 2148999999'],
  ])('is refused with XErr %i in plain words', async (xErr, words) => {
    const world = await withAccount();
    const token = await accessToken(world);
    world.fake.microsoft.obstruct(world.account.id, xErr);
    const error = await loginErrorOf(enterGame(world.http, token));
    expect([error.kind, error.message]).toEqual(['xbox', expect.stringContaining(words)]);
  });

  test('is refused to an application that Mojang has not approved, with the address at which to ask', async () => {
    const world = await withAccount({ approvedClients: ['another'] });
    const error = await loginErrorOf(enterGame(world.http, await accessToken(world)));
    expect([error.kind, error.message]).toEqual([
      'not_approved',
      expect.stringContaining('https://aka.ms/mce-reviewappid'),
    ]);
  });

  test('is refused to a token that Xbox does not know', async () => {
    const { http } = await withAccount();
    const error = await loginErrorOf(enterGame(http, 'EwB-secret'));
    expect(error.kind).toBe('refused');
    expect(error.message).not.toContain('secret');
  });

  test.each(['xbox', 'xsts', 'login'] as const)('fails while %s is unavailable', async (kind) => {
    const world = await withAccount();
    const token = await accessToken(world);
    world.fake.order({ fault: { kind: 'broken' }, on: [kind] });
    expect((await gameErrorOf(enterGame(world.http, token))).kind).toBe('unreachable');
  });

  test.each(['xbox', 'xsts', 'login'] as const)('fails when %s answers with a page', async (kind) => {
    const world = await withAccount();
    const token = await accessToken(world);
    world.fake.order({ fault: { kind: 'garbled' }, on: [kind] });
    expect((await gameErrorOf(enterGame(world.http, token))).kind).toBe('unexpected');
  });

  test('may be limited without an explanation', async () => {
    const world = await withAccount();
    const token = await accessToken(world);
    world.fake.order({ fault: { kind: 'limited', body: 'json' }, on: ['login'] });
    expect((await gameErrorOf(enterGame(world.http, token))).kind).toBe('rate_limited');
  });
});
