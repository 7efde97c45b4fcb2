import { describe, expect, test } from 'vitest';
import type { GameAccount, GameAccountCheck, GameLogin } from '../../../src/protocol/game-account.ts';
import { findAccount } from '../../../src/server/store/accounts.ts';
import { type AccountServer, CLIENT_ID, runAccountServer } from '../../support/server/account-server.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, openOwnStore } from '../../support/server/running-server.ts';
import { expectRefusal, type Heard } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const ACCOUNTS = '/v2/account/accounts';

interface Content {
  readonly account: GameAccount;
  readonly accounts: GameAccount[];
  readonly login: GameLogin['login'] & { id: string; userCode: string; interval: number };
  readonly problems: GameAccountCheck['problems'];
}
const contentOf = ({ body }: Heard) => body as unknown as Content;

async function begin({ server }: AccountServer) {
  const heard = await server.owner.json(`${ACCOUNTS}/logins`, {});
  expect(heard.status).toBe(201);
  const { login } = contentOf(heard);
  const look = async () => contentOf(await server.owner.get(`${ACCOUNTS}/logins/${login.id}`));
  const end = async () => await poll(look, (content) => content.login?.status !== 'waiting');
  return { login, look, end };
}

describe('A sign-in of an account’s owner', () => {
  test('links the account once the code is entered, and is then forgotten', async () => {
    const world = await runAccountServer({}, { interval: 0.01 });
    const { login, look, end } = await begin(world);
    expect((await look()).login.status).toBe('waiting');
    const account = world.fake.addAccount();
    world.fake.microsoft.approve(login.userCode, account.id);
    expect(await end()).toMatchObject({
      login: { status: 'linked' },
      account: { uuid: account.id, state: 'active' },
    });
    expectRefusal(await world.server.owner.get(`${ACCOUNTS}/logins/${login.id}`), 'not_found');
    const { body } = await world.server.owner.upload('/v2/generate', skinPng(1));
    expect(body.skin?.generator.account).toBe(account.id);
  });

  test('continues after the services were away in the middle of it', async () => {
    const world = await runAccountServer({}, { interval: 0.01 });
    const { login, look } = await begin(world);
    const account = world.fake.addAccount();
    world.fake.microsoft.approve(login.userCode, account.id);
    world.fake.order({ fault: { kind: 'broken' }, on: ['login'] });
    const away = await poll(
      () => world.server.owner.get(`${ACCOUNTS}/logins/${login.id}`),
      ({ body }) => contentOf({ body } as Heard).login?.status !== 'waiting',
    );
    expectRefusal(away, 'service_unavailable');
    expect((await look()).login.status).toBe('linked');
  });

  test('that is declined has permanently failed', async () => {
    const world = await runAccountServer({}, { interval: 0.01 });
    const { login, end } = await begin(world);
    world.fake.microsoft.decline(login.userCode);
    expect((await end()).login).toEqual({ status: 'failed', message: 'The sign-in was declined.' });
    expectRefusal(await world.server.owner.get(`${ACCOUNTS}/logins/${login.id}`), 'not_found');
  });

  test('asks Microsoft only as often as allowed, however often its state is requested', async () => {
    const world = await runAccountServer({}, { interval: 30 });
    const { look } = await begin(world);
    for (let n = 0; n < 5; n++) await look();
    expect(world.fake.calls.filter(({ kind }) => kind === 'token')).toEqual([]);
  });

  test('needs a client id', async () => {
    const { server } = await runAccountServer({ loginClientId: undefined });
    const heard = await server.owner.json(`${ACCOUNTS}/logins`, {});
    expectRefusal(heard, 'invalid_request');
    expect(heard.body.errors[0]?.message).toContain('--login-client-id');
  });
});

describe('A token', () => {
  test('that is invalid links nothing, and does not appear in the answer', async () => {
    const { server, fake } = await runAccountServer();
    const stranger = fake.addAccount({ hasProfile: false, hasItem: false });
    for (const token of ['eyJ.abc.secret', 'M.C5_secret', stranger.token]) {
      const heard = await server.owner.json(ACCOUNTS, { token });
      expectRefusal(heard, 'invalid_request');
      expect(heard.bytes.toString()).not.toContain(token);
    }
    expectRefusal(await server.owner.json(ACCOUNTS, { token: 'two words' }), 'validation_error');
    expect(contentOf(await server.owner.get(ACCOUNTS)).accounts).toEqual([]);
  });

  test('of an account that is already linked replaces the earlier link, and wakes the account', async () => {
    const { server, fake, link } = await runAccountServer();
    const account = fake.addAccount();
    await link(account, 'game');
    const { db } = await openOwnStore(server.dataDir);
    const tired = { state: 'needs_login', error_streak: 12, restores: 1 } as const;
    await db.updateTable('game_accounts').set(tired).execute();
    const before = await findAccount(db, account.id);
    await link(account);
    const { accounts } = contentOf(await server.owner.get(ACCOUNTS));
    expect(accounts).toMatchObject([{ uuid: account.id, state: 'active', errorStreak: 0, restore: true }]);
    expect((await findAccount(db, account.id))?.secret).not.toBe(before?.secret);
  });

  test('is never readable in the store or in answers', async () => {
    const { server, fake, link } = await runAccountServer();
    const account = fake.addAccount();
    const refresh = fake.microsoft.refreshToken(account.id, CLIENT_ID);
    const { bytes } = await server.owner.json(ACCOUNTS, { token: refresh });
    await link(fake.addAccount());
    const { db } = await openOwnStore(server.dataDir);
    const kept = JSON.stringify(await db.selectFrom('game_accounts').selectAll().execute());
    const tokens = [refresh, ...account.tokens];
    for (const token of tokens) expect(kept + bytes.toString()).not.toContain(token);
    expect(kept).not.toMatch(/eyJ|M\.C5/);
  });
});

describe('An account', () => {
  test('is paused, resumed and changed, and shown with its new state', async () => {
    const { server, fake, link } = await runAccountServer();
    const uuid = await link(fake.addAccount({ name: 'Ann' }));
    const change = async (what: object) =>
      contentOf(await server.owner.patch(`${ACCOUNTS}/${uuid}`, what)).account;
    expect(await change({ paused: true })).toMatchObject({ name: 'Ann', state: 'paused', restore: false });
    expect((await change({ restore: true })).freeAt).toBeUndefined();
    expect(await change({ paused: false, capes: true })).toMatchObject({
      state: 'active',
      restore: true,
      capes: true,
      inUse: false,
      freeAt: expect.any(String),
    });
    expectRefusal(await server.owner.patch(`${ACCOUNTS}/${uuid}`, {}), 'validation_error');
    expectRefusal(await server.owner.patch(`${ACCOUNTS}/${'0'.repeat(32)}`, { paused: true }), 'not_found');
  });

  test('that works is reported as healthy', async () => {
    const { server, fake, link } = await runAccountServer();
    const uuid = await link(fake.addAccount());
    const { problems, account } = contentOf(await server.owner.json(`${ACCOUNTS}/${uuid}/check`, {}));
    expect([problems, account.state]).toEqual([[], 'active']);
    expect(fake.changes()).toEqual([]);
  });

  test.each([404, 503] as const)(
    'that has a profile is healthy when the entitlements answer %i',
    async (status) => {
      const { server, fake, link } = await runAccountServer();
      const uuid = await link(fake.addAccount());
      fake.order({ fault: { kind: status === 404 ? 'missing' : 'broken' }, on: ['entitlements'], times: 9 });
      const { problems, account } = contentOf(await server.owner.json(`${ACCOUNTS}/${uuid}/check`, {}));
      expect([problems, account.state, account.errorStreak]).toEqual([[], 'active', 0]);
    },
  );

  test.each<[string, (world: AccountServer, uuid: string) => void, RegExp, string]>([
    [
      'is suspended',
      ({ fake }) => fake.order({ fault: { kind: 'suspended' }, on: ['account'] }),
      /suspended/,
      'suspended',
    ],
    [
      'must sign in',
      ({ fake }, uuid) => {
        fake.renewToken(fake.accounts[0]!);
        fake.microsoft.revoke(uuid);
      },
      /linked again/,
      'needs_login',
    ],
    [
      'cannot be asked after',
      ({ fake }) => fake.order({ fault: { kind: 'broken' }, on: ['account'] }),
      /503/,
      'active',
    ],
  ])('that %s is reported as unhealthy', async (_, spoil, problem, state) => {
    const world = await runAccountServer();
    const uuid = await world.link(world.fake.addAccount());
    spoil(world, uuid);
    const content = contentOf(await world.server.owner.json(`${ACCOUNTS}/${uuid}/check`, {}));
    expect([content.problems.join(' '), content.account.state]).toEqual([
      expect.stringMatching(problem),
      state,
    ]);
  });

  test('that rests or failed too often is reported; it is used again once its token works', async () => {
    const { server, fake, link } = await runAccountServer();
    const uuid = await link(fake.addAccount());
    const { db } = await openOwnStore(server.dataDir);
    const tired = { state: 'needs_login', error_streak: 10, cool_until: Date.now() + 60_000 } as const;
    await db.updateTable('game_accounts').set(tired).execute();
    const { problems, account } = contentOf(await server.owner.json(`${ACCOUNTS}/${uuid}/check`, {}));
    expect(problems).toEqual([
      expect.stringContaining('10 times'),
      expect.stringMatching(/can make its next skin in (59|60) s/),
    ]);
    expect(account.state).toBe('active');
  });
});
