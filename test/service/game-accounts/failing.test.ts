import { describe, expect, test } from 'vitest';
import { isPending } from '../../../src/protocol/job.ts';
import { findAccount } from '../../../src/server/store/accounts.ts';
import type { JobRow } from '../../../src/server/store/schema/tables.ts';
import type { FaultPlan } from '../../support/fake-game/faults.ts';
import { type AccountServer, runAccountServer } from '../../support/server/account-server.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, openOwnStore } from '../../support/server/running-server.ts';
import { sampled } from '../../support/setup/extent.ts';

guardAgainstLeaks();

const changing = 'skin_change_failed';

/** Submits a picture and answers its job once that has ended. */
async function endOf({ server }: AccountServer, number = 1): Promise<JobRow> {
  await server.owner.upload('/v2/queue', skinPng(number));
  const { db } = await openOwnStore(server.dataDir);
  const ofAll = db.selectFrom('jobs').selectAll().orderBy('id', 'desc');
  return await poll(
    () => ofAll.executeTakeFirstOrThrow(),
    ({ status }) => !isPending(status),
  );
}

/** Submits a picture and answers its job after the first try, which is to be repeated. */
async function firstTry({ server }: AccountServer, number = 1): Promise<JobRow> {
  await server.owner.upload('/v2/queue', skinPng(number));
  const { db } = await openOwnStore(server.dataDir);
  const last = db.selectFrom('jobs').selectAll().orderBy('id', 'desc');
  return await poll(
    () => last.executeTakeFirstOrThrow(),
    ({ attempts, status }) => attempts > 0 && status !== 'processing',
  );
}

async function accountOf({ server }: AccountServer, uuid: string) {
  const { db } = await openOwnStore(server.dataDir);
  return (await findAccount(db, uuid))!;
}

describe('A job', () => {
  test('whose account shows an old skin for too long is done with another account', async () => {
    const world = await runAccountServer();
    const bad = world.fake.addAccount();
    const good = world.fake.addAccount();
    await world.link(bad);
    await world.link(good);
    world.fake.order({ fault: { kind: 'stale', reads: 9 }, account: bad.id });
    const { db } = await openOwnStore(world.server.dataDir);
    await db.updateTable('game_accounts').set({ last_used_at: 5 }).where('uuid', '=', good.id).execute();
    expect(await endOf(world)).toMatchObject({ status: 'completed', attempts: 2 });
    expect(await accountOf(world, bad.id)).toMatchObject({ generated: 0, failed: 1 });
    expect(await accountOf(world, good.id)).toMatchObject({ generated: 1, failed: 0 });
  });

  const blamed: [string, FaultPlan, string, object][] = [
    ['shows its old skin', { kind: 'stale', reads: 9 }, 'invalid_skin_data', { last_error_code: 'mismatch' }],
    ["shows someone else's skin", { kind: 'foreign' }, 'invalid_skin_data', { last_error_code: 'mismatch' }],
    [
      'may change no more for now',
      { kind: 'limited', body: 'html' },
      changing,
      { last_error_code: 'limited' },
    ],
    ['may not change', { kind: 'forbidden' }, changing, { last_error_code: 'forbidden' }],
    ['is suspended', { kind: 'suspended' }, changing, { state: 'suspended' }],
  ];
  test.each(sampled(blamed, 2))(
    'whose account %s is tried again, and the account rests',
    async (_, fault, code, expected) => {
      const world = await runAccountServer();
      const account = world.fake.addAccount();
      await world.link(account);
      world.fake.order({ fault });
      const before = Date.now();
      expect(await firstTry(world)).toMatchObject({ status: 'waiting', error_code: code });
      const row = await accountOf(world, account.id);
      expect(row).toMatchObject({ error_streak: 1, failed: 1, generated: 0, lease_owner: null, ...expected });
      if (row.state === 'active') expect(row.cool_until).toBeGreaterThan(before + 30_000);
    },
  );

  const blameless: [string, FaultPlan, string][] = [
    ['gets another texture', { kind: 'altered' }, 'invalid_skin_data'],
    ['gets a bad signature', { kind: 'forged' }, 'invalid_skin_data'],
    ['meets services that are away', { kind: 'broken' }, 'service_unavailable'],
    ['meets services that hang up', { kind: 'cut', isDone: true }, 'service_unavailable'],
    ['meets services that talk nonsense', { kind: 'garbled' }, 'service_unavailable'],
  ];
  test.each(sampled(blameless, 2))(
    'that %s is tried again, and does not count against its account',
    async (_, fault, code) => {
      const world = await runAccountServer();
      const account = world.fake.addAccount();
      await world.link(account);
      world.fake.order({ fault });
      expect(await firstTry(world)).toMatchObject({ status: 'waiting', error_code: code });
      expect(await accountOf(world, account.id)).toMatchObject({ error_streak: 0, failed: 0, cool_until: 0 });
    },
  );

  test.each(['profile', 'texture'] as const)(
    'that fails because a %s is missing does not retire its account',
    async (kind) => {
      const world = await runAccountServer();
      const account = world.fake.addAccount();
      await world.link(account);
      world.fake.order({ fault: { kind: 'missing' }, on: [kind], times: 3 });
      expect(await firstTry(world)).toMatchObject({ status: 'waiting', error_code: 'service_unavailable' });
      expect(await accountOf(world, account.id)).toMatchObject({
        state: 'active',
        error_streak: 0,
        failed: 0,
      });
    },
  );

  test('whose picture Mojang refuses fails permanently, and does not count against the account', async () => {
    const world = await runAccountServer();
    const account = world.fake.addAccount();
    await world.link(account);
    world.fake.order({ fault: { kind: 'bad_image' } });
    const failed = { status: 'failed', error_code: 'invalid_image', attempts: 1 };
    expect(await endOf(world)).toMatchObject(failed);
    expect(await accountOf(world, account.id)).toMatchObject({ error_streak: 0, failed: 0, cool_until: 0 });
    expect(await endOf(world, 2)).toMatchObject({ status: 'completed' });
  });
});

describe('An account whose token is not accepted any more', () => {
  test('gets new tokens again and again, because each refresh token is stored', async () => {
    const world = await runAccountServer();
    const account = world.fake.addAccount();
    await world.link(account);
    for (const number of [1, 2, 3]) {
      world.fake.renewToken(account);
      expect(await endOf(world, number)).toMatchObject({ status: 'completed', attempts: 1 });
    }
    expect(world.fake.calls.filter(({ kind }) => kind === 'token')).toHaveLength(4);
    expect(await accountOf(world, account.id)).toMatchObject({ state: 'active', error_streak: 0, failed: 0 });
  });

  test.each(sampled(['xbox', 'xsts', 'login'] as const, 3))(
    'keeps the refresh token that it was just given, although %s fails after that',
    async (kind) => {
      const world = await runAccountServer();
      const account = world.fake.addAccount();
      await world.link(account);
      world.fake.renewToken(account);
      world.fake.order({ fault: { kind: 'broken' }, on: [kind] });
      expect(await firstTry(world)).toMatchObject({ status: 'waiting', error_code: 'service_unavailable' });
      expect(await accountOf(world, account.id)).toMatchObject({ state: 'active', error_streak: 0 });
      expect(await endOf(world, 2)).toMatchObject({ status: 'completed', attempts: 1 });
    },
  );

  test.each(['game', 'refresh'] as const)('must sign in again when its %s token is invalid', async (how) => {
    const world = await runAccountServer();
    const account = world.fake.addAccount();
    await world.link(account, how);
    world.fake.renewToken(account);
    world.fake.microsoft.revoke(account.id);
    expect(await firstTry(world)).toMatchObject({ status: 'waiting', error_code: changing });
    expect(await accountOf(world, account.id)).toMatchObject({
      state: 'needs_login',
      last_error_code: 'needs_login',
      last_error_message: expect.not.stringContaining(account.token),
    });
  });

  test('gets a new token once, and not too often', async () => {
    const world = await runAccountServer({ accountRules: { delay: 200 } });
    const account = world.fake.addAccount();
    await world.link(account);
    world.fake.order({ fault: { kind: 'unauthorized', body: 'json' }, times: 2 });
    expect(await firstTry(world)).toMatchObject({ status: 'waiting', error_code: changing });
    expect(await accountOf(world, account.id)).toMatchObject({ state: 'needs_login' });
    const [first, second, ...more] = world.fake.changes();
    expect(more).toEqual([]);
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(200);
  });
});

describe('Where no account can be used', () => {
  test('permanently, jobs fail at once and say so', async () => {
    const world = await runAccountServer();
    const lonely = await world.server.owner.upload('/v2/generate', skinPng(1));
    expect([lonely.status, lonely.body.errors[0]]).toEqual([
      503,
      {
        code: 'no_account_available',
        message: expect.stringContaining('you have not linked one, and none is shared'),
      },
    ]);
    const uuid = await world.link(world.fake.addAccount());
    await world.server.owner.patch(`/v2/account/accounts/${uuid}`, { paused: true });
    const job = await endOf(world, 2);
    expect(job).toMatchObject({ status: 'failed', error_code: 'no_account_available', attempts: 1 });
    expect(job.error_message).toContain('None of the 1 game accounts');
    await world.server.owner.patch(`/v2/account/accounts/${uuid}`, { paused: false });
    expect(await endOf(world, 3)).toMatchObject({ status: 'completed' });
  });

  test('for a while, jobs wait with an estimate, and use up no attempt', async () => {
    const world = await runAccountServer({ workers: 1 });
    const uuid = await world.link(world.fake.addAccount());
    const { db } = await openOwnStore(world.server.dataDir);
    const until = Date.now() + 900;
    await db.updateTable('game_accounts').set({ cool_until: until }).where('uuid', '=', uuid).execute();
    const { body } = await world.server.owner.upload('/v2/queue', skinPng(1));
    expect(body.job).toMatchObject({ status: 'waiting', eta: expect.any(Number) });
    expect(body.job?.eta).toBeGreaterThanOrEqual(until);
    const later = await world.server.owner.upload('/v2/queue', skinPng(2));
    expect(later.body.job?.eta).toBeGreaterThanOrEqual(until + 20);
    const done = await poll(
      () => db.selectFrom('jobs').selectAll().execute(),
      (jobs) => jobs.every(({ status }) => status === 'completed'),
    );
    // Nor were they taken and put back: that would cost them their turns.
    expect(done.map(({ attempts, run_at, created_at }) => [attempts, run_at - created_at])).toEqual([
      [1, 0],
      [1, 0],
    ]);
    expect(world.fake.changes()[0]!.at).toBeGreaterThanOrEqual(until);
  });
});
