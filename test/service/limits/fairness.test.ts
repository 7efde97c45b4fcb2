import { expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { workerName } from '../../../src/server/queue/leases.ts';
import { onSqlite } from '../../support/postgres/on-postgres.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { HeldWork } from '../../support/server/held-work.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, openOwnStore, runServer } from '../../support/server/running-server.ts';
import type { TestCaller } from '../../support/server/test-caller.ts';
import { TestQueue } from '../../support/server/test-queue.ts';
import { runServerWithPlans } from '../../support/server/users-of-plan.ts';

guardAgainstLeaks();

async function queueSkins(caller: TestCaller, first: number, count: number): Promise<void> {
  for (let number = first; number < first + count; number++)
    expect((await caller.upload('/v2/queue', skinPng(number))).status).toBe(202);
}

/** Waits until so many jobs of all users have ended; whose they were, in this order. */
async function endsOf(dataDir: string, count: number): Promise<string[]> {
  return await ownersOf(dataDir, 'completed', count);
}

/** Waits until so many jobs have this status; whose the first of them are, in the order of their ends or turns. */
async function ownersOf(
  dataDir: string,
  status: 'processing' | 'completed',
  count: number,
): Promise<string[]> {
  const { db } = await openOwnStore(dataDir);
  const found = db
    .selectFrom('jobs')
    .select('owner')
    .where('status', '=', status)
    .orderBy('finished_at')
    .orderBy('turn');
  const owners = await poll(
    () => found.execute(),
    ({ length }) => length >= count,
  );
  const names = new Map(
    (await db.selectFrom('users').select(['id', 'name']).execute()).map(({ id, name }) => [
      `user:${id}`,
      name,
    ]),
  );
  return owners.slice(0, count).map(({ owner }) => names.get(owner) ?? owner);
}

/** Milliseconds after which an idle worker looks by itself. */
const IDLE = 5_000;

/** Idle workers are woken by signs of work, and never by the time. */
const SIGNALS_ONLY: Clock = {
  now: systemClock.now,
  monotonic: systemClock.monotonic,
  sleep: (ms, signal) => systemClock.sleep(ms < IDLE ? ms : 1e9, signal),
};

onSqlite(test)(
  "Of a paid and a free user's jobs as many get done as their plans' priorities say",
  async () => {
    const plans = { free: { queue: 20, priority: 1 }, paid: { queue: 20, priority: 3 } };
    const first = await runServerWithPlans(plans, { workers: 0 });
    await queueSkins(first.users.free, 0, 16);
    await queueSkins(first.users.paid, 100, 16);
    await first.close();
    const { dataDir } = await runServer({ dataDir: first.dataDir, workers: 1 });
    const ends = await endsOf(dataDir, 20);
    const paid = (from: number, to: number) => ends.slice(from, to).filter((name) => name === 'paid').length;
    expect(paid(0, 20)).toBe(15);
    for (const from of [0, 4, 8, 12, 16]) expect(paid(from, from + 4)).toBe(3);
  },
);

onSqlite(test)('A user with five slow jobs does not delay another', async () => {
  const work = new HeldWork();
  const plans = { ann: { concurrency: 1, burst: 1 }, bob: { concurrency: 1, burst: 1 } };
  const { users, dataDir } = await runServerWithPlans(plans, { workers: 2, ...work.options });
  onTestFinished(() => work.release());
  await queueSkins(users.ann, 0, 5);
  await queueSkins(users.bob, 100, 1);
  expect((await ownersOf(dataDir, 'processing', 2)).toSorted()).toEqual(['ann', 'bob']);
});

test("Jobs held back by their owner's concurrency start as soon as one has ended", async () => {
  const pace = 60;
  const options = { workers: 3, pace, clock: SIGNALS_ONLY };
  const { users, dataDir } = await runServerWithPlans({ ann: { concurrency: 1 } }, options);
  await queueSkins(users.ann, 0, 5);
  await endsOf(dataDir, 5);
  const { db } = await openOwnStore(dataDir);
  const jobs = await db.selectFrom('jobs').select('finished_at').orderBy('finished_at').execute();
  // Each was at work alone: it ended a whole generation after the one before. (With PostgreSQL a claim may wait for
  // that one's end, and counts from before.) Timers may be a little early.
  const ends = jobs.map(({ finished_at }) => Number(finished_at));
  expect(ends.slice(1).filter((end, n) => end - ends[n]! < pace - 5)).toEqual([]);
});

test('Jobs held back by concurrency also start when a job with a worker of another process ends', async () => {
  const first = await runServerWithPlans({ ann: { concurrency: 1 } }, { workers: 0 });
  await queueSkins(first.users.ann, 0, 2);
  await first.close();
  const { db } = await openOwnStore(first.dataDir);
  const self = { host: 'another-machine', pid: 1, nonce: 'far' };
  const queue = new TestQueue(db, { self });
  const lease = await queue.claim(workerName(self, 0));

  const idle = Promise.withResolvers<void>();
  const sleep: Clock['sleep'] = (ms, signal) => {
    if (ms === IDLE) idle.resolve();
    return SIGNALS_ONLY.sleep(ms, signal);
  };
  await runServer({ dataDir: first.dataDir, workers: 1, clock: { ...SIGNALS_ONLY, sleep } });
  await idle.promise;
  await queue.fail(lease!, { code: 'generator_timeout', message: 'It took too long.', passing: false });
  expect(await endsOf(first.dataDir, 1)).toEqual(['ann']);
});
