import { describe, expect, test } from 'vitest';
import type { GameAccount } from '../../../src/protocol/game-account.ts';
import { findAccount } from '../../../src/server/store/accounts.ts';
import type { Person } from '../../support/fake-game/people.ts';
import { type AccountServer, CLIENT_ID, runAccountServer } from '../../support/server/account-server.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { plansFile } from '../../support/server/plans.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, openOwnStore } from '../../support/server/running-server.ts';
import { expectRefusal, type Heard, type TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const ACCOUNTS = '/v2/account/accounts';
const NOBODYS = '0'.repeat(32);

interface Content {
  readonly account: GameAccount;
  readonly accounts: GameAccount[];
  readonly login: { id: string; userCode: string; status: string };
}
const contentOf = ({ body }: Heard) => body as unknown as Content;

/** A service with two users, neither an operator. */
async function withUsers(...options: Parameters<typeof runAccountServer>) {
  const world = await runAccountServer(...options);
  return { ...world, ann: await world.server.user('ann'), bob: await world.server.user('bob') };
}

async function linkFor(
  user: TestCaller,
  { fake }: Pick<AccountServer, 'fake'>,
  account: Person,
  more: object = {},
): Promise<GameAccount> {
  const token = fake.microsoft.refreshToken(account.id, CLIENT_ID);
  const heard = await user.json(ACCOUNTS, { token, ...more });
  expect(heard.status).toBe(201);
  return contentOf(heard).account;
}

const accountsOf = async (user: TestCaller) =>
  contentOf(await user.get(ACCOUNTS)).accounts.map(({ name }) => name);

describe('A user', () => {
  test('links accounts, and sees and manages only those', async () => {
    const world = await withUsers();
    const { ann, bob, server, fake } = world;
    const account = await linkFor(ann, world, fake.addAccount({ name: 'Alice' }));
    expect(account).toMatchObject({ user: 'ann', share: false });
    await linkFor(bob, world, fake.addAccount({ name: 'Bert' }));
    expect(await Promise.all([ann, bob, server.owner].map(accountsOf))).toEqual([
      ['Alice'],
      ['Bert'],
      ['Alice', 'Bert'],
    ]);
    const one = `${ACCOUNTS}/${account.uuid}`;
    expect(contentOf(await ann.patch(one, { paused: true, share: true })).account).toMatchObject({
      state: 'paused',
      share: true,
    });
    expect((await ann.json(`${one}/check`, {})).status).toBe(200);
    expect((await ann.send('DELETE', one)).status).toBe(200);
    expect(await accountsOf(ann)).toEqual([]);
  });

  test('gets the same answer for another’s account as for a missing one', async () => {
    const world = await withUsers();
    const { ann, bob, server, fake } = world;
    const { uuid } = await linkFor(ann, world, fake.addAccount(), { share: true });
    const requests = [
      ['PATCH', '', { paused: true }],
      ['PATCH', '', { share: false }],
      ['DELETE', '', undefined],
      ['POST', '/check', {}],
    ] as const;
    for (const [method, path, content] of requests) {
      const body = content && {
        body: JSON.stringify(content),
        headers: { 'content-type': 'application/json' },
      };
      const [there, nowhere] = [uuid, NOBODYS].map((id) =>
        bob.send(method, `${ACCOUNTS}/${id}${path}`, body),
      );
      const [of, no] = [await there!, await nowhere!];
      expectRefusal(of, 'not_found');
      expect(of.body.errors[0]?.message).toBe(no.body.errors[0]?.message.replace(NOBODYS, uuid));
      expectRefusal(
        await server.anonymous().send(method, `${ACCOUNTS}/${uuid}${path}`, body),
        'unauthorized',
      );
    }
    const { db } = await openOwnStore(server.dataDir);
    expect(await findAccount(db, uuid)).toMatchObject({ state: 'active', shared: 1, user: 'ann' });
    expectRefusal(await server.anonymous().get(ACCOUNTS), 'unauthorized');
  });

  test('can follow only the sign-ins that it began', async () => {
    const world = await withUsers({}, { interval: 0.01 });
    const { ann, bob, server, fake } = world;
    const { login } = contentOf(await ann.json(`${ACCOUNTS}/logins`, { share: true }));
    const account = fake.addAccount();
    fake.microsoft.approve(login.userCode, account.id);
    for (const other of [bob, server.owner]) {
      expectRefusal(await other.get(`${ACCOUNTS}/logins/${login.id}`), 'not_found');
    }
    const end = await poll(
      async () => contentOf(await ann.get(`${ACCOUNTS}/logins/${login.id}`)),
      (content) => content.login.status !== 'waiting',
    );
    expect(end.account).toMatchObject({ uuid: account.id, user: 'ann', share: true });
  });

  test('who signs in with an account that another has linked becomes its owner', async () => {
    const world = await withUsers();
    const { ann, bob, fake } = world;
    const person = fake.addAccount({ name: 'Alice' });
    const { uuid } = await linkFor(ann, world, person, { share: true });
    await ann.patch(`${ACCOUNTS}/${uuid}`, { capes: true, restore: true });
    expect(await linkFor(bob, world, person)).toMatchObject({
      user: 'bob',
      share: false,
      capes: false,
      restore: false,
    });
    expect(await Promise.all([ann, bob].map(accountsOf))).toEqual([[], ['Alice']]);
  });

  test('needs the scope account to link accounts', async () => {
    const { ann } = await withUsers();
    const made = await ann.json('/v2/account/keys', { scopes: ['read', 'generate'] });
    const key = { authorization: `Bearer ${made.body.key?.secret}` };
    expectRefusal(await ann.get(ACCOUNTS, key), 'insufficient_grants');
  });

  test('cannot link accounts where the operator does not allow it, and still manages linked ones', async () => {
    const { ann, server, fake } = await withUsers({ userAccounts: false });
    const account = fake.addAccount();
    const token = fake.microsoft.refreshToken(account.id, CLIENT_ID);
    expectRefusal(await ann.json(ACCOUNTS, { token }), 'insufficient_grants');
    expectRefusal(await ann.json(`${ACCOUNTS}/logins`, {}), 'insufficient_grants');
    await linkFor(server.owner, { fake }, account);
    const { db } = await openOwnStore(server.dataDir);
    const { id } = await db
      .selectFrom('users')
      .select('id')
      .where('name', '=', 'ann')
      .executeTakeFirstOrThrow();
    await db
      .updateTable('game_accounts')
      .set({ owner: `user:${id}`, shared: 0 })
      .execute();
    const one = `${ACCOUNTS}/${account.id}`;
    expect(contentOf(await ann.patch(one, { paused: true })).account.state).toBe('paused');
    expect((await ann.send('DELETE', one)).status).toBe(200);
  });

  test('links no more than 25 accounts', async () => {
    const world = await withUsers();
    const { ann, fake } = world;
    for (let n = 0; n < 25; n++) await linkFor(ann, world, fake.addAccount());
    const token = fake.microsoft.refreshToken(fake.addAccount().id, CLIENT_ID);
    const heard = await ann.json(ACCOUNTS, { token });
    expectRefusal(heard, 'invalid_request');
    expect(heard.body.errors[0]?.message).toContain('25 accounts');
  });
});

describe('An operator', () => {
  test('sees the owner of each account, and can withdraw consent but not give it', async () => {
    const world = await withUsers();
    const { ann, server, fake } = world;
    const { uuid } = await linkFor(ann, world, fake.addAccount(), { share: true });
    const one = `${ACCOUNTS}/${uuid}`;
    expect(contentOf(await server.owner.get(ACCOUNTS)).accounts).toMatchObject([{ uuid, user: 'ann' }]);
    expect(contentOf(await server.owner.patch(one, { share: false })).account.share).toBe(false);
    for (const consent of [{ share: true }, { capes: true }, { share: true, paused: true }]) {
      expectRefusal(await server.owner.patch(one, consent), 'insufficient_grants');
    }
    expect(contentOf(await server.owner.patch(one, { paused: true })).account.state).toBe('paused');
    expect((await server.owner.send('DELETE', one)).status).toBe(200);
  });

  test('links accounts that are shared, unless told not to', async () => {
    const world = await withUsers();
    const { server, fake } = world;
    expect((await linkFor(server.owner, world, fake.addAccount())).share).toBe(true);
    expect((await linkFor(server.owner, world, fake.addAccount(), { share: false })).share).toBe(false);
  });
});

describe('The skins of a user', () => {
  const makerOf = ({ body }: Heard) => body.skin?.generator.account;

  test('are made with its own accounts, and with those that others share', async () => {
    const world = await withUsers({ accountRules: { delay: 60_000 } });
    const { ann, bob, server, fake } = world;
    const [own, shared] = [fake.addAccount(), fake.addAccount()];
    await linkFor(ann, world, own);
    await linkFor(server.owner, world, shared);
    expect(makerOf(await ann.upload('/v2/generate', skinPng(1)))).toBe(own.id);
    // Its own rests now.
    expect(makerOf(await ann.upload('/v2/generate', skinPng(2)))).toBe(shared.id);
    expect(fake.changes()).toHaveLength(2);
    expect((await bob.upload('/v2/queue', skinPng(3))).body.job?.status).toBe('waiting');
  });

  test('are never made with unshared accounts of others', async () => {
    const world = await withUsers();
    const { ann, bob, server, fake } = world;
    const { uuid } = await linkFor(ann, world, fake.addAccount());
    for (const caller of [bob, server.owner, server.anonymous('127.0.0.9')]) {
      const heard = await caller.upload('/v2/generate', skinPng(1));
      expectRefusal(heard, 'no_account_available');
      expect(heard.bytes.toString()).not.toContain(uuid);
    }
    expect(fake.changes()).toEqual([]);
    await ann.patch(`${ACCOUNTS}/${uuid}`, { share: true });
    expect(makerOf(await bob.upload('/v2/generate', skinPng(2)))).toBe(uuid);
    await ann.patch(`${ACCOUNTS}/${uuid}`, { share: false });
    expectRefusal(await bob.upload('/v2/generate', skinPng(3)), 'no_account_available');
  });

  test('are not made with the shared accounts of a user who was disabled', async () => {
    const world = await withUsers();
    const { ann, bob, server, fake } = world;
    await linkFor(ann, world, fake.addAccount(), { share: true });
    expect((await server.owner.patch('/v2/account/users/ann', { disabled: true })).status).toBe(200);
    expectRefusal(await bob.upload('/v2/generate', skinPng(1)), 'no_account_available');
  });

  test('that wait for its own account do not delay users with a free account', async () => {
    const plans = await plansFile({ free: { queue: 20, concurrency: 20 } });
    const world = await withUsers({ workers: 1, plansFile: plans });
    const { ann, bob, server, fake } = world;
    const { uuid } = await linkFor(ann, world, fake.addAccount());
    const other = await linkFor(bob, world, fake.addAccount());
    const { db } = await openOwnStore(server.dataDir);
    const until = Date.now() + 3_600_000;
    await db.updateTable('game_accounts').set({ cool_until: until }).where('uuid', '=', uuid).execute();
    for (let n = 0; n < 10; n++) {
      const { body } = await ann.upload('/v2/queue', skinPng(n));
      expect(body.job).toMatchObject({ status: 'waiting', eta: until + n * 20 });
    }
    expect(makerOf(await bob.upload('/v2/generate', skinPng(20)))).toBe(other.uuid);
    // Nor were they taken and put back: that would cost them their turns.
    const jobs = await db.selectFrom('jobs').selectAll().where('status', '=', 'waiting').execute();
    expect(jobs.map(({ run_at, created_at }) => run_at - created_at)).toEqual(Array(10).fill(0));
    await ann.patch(`${ACCOUNTS}/${uuid}`, { paused: false });
    const done = await poll(
      () => db.selectFrom('jobs').selectAll().execute(),
      (all) => all.every(({ status }) => status === 'completed'),
    );
    expect(done.map(({ attempts }) => attempts)).toEqual(Array(11).fill(1));
  });
});
