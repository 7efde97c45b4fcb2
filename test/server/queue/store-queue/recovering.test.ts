import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { ServiceEvents } from '../../../../src/server/events.ts';
import { QUEUE_TIMES } from '../../../../src/server/queue/port.ts';
import { changeState } from '../../../../src/server/queue/states.ts';
import { readDatabaseClock } from '../../../../src/server/store/nodes.ts';
import { LIMITS, newJob } from '../../../contract/jobs.ts';
import { fill, mustClaim } from '../../../contract/queue-steps.ts';
import { otherSession } from '../../../support/postgres/other-session.ts';
import { ownDatabase } from '../../../support/postgres/own-database.ts';
import { postgresQueue, sqliteQueue } from '../../../support/server/queue-nodes.ts';

const TIMES = { ...QUEUE_TIMES, lease: 10_000, maxAttempts: 1 };
const FAILURE = { code: 'job_failed', message: 'No skin.', passing: false };

test.each([1, 2])(
  'A lease that is renewed while lost leases are freed is kept, for a job with at most %i attempts',
  async (maxAttempts) => {
    const openNode = await sqliteQueue();
    const [{ clock, queue: worker }, times] = [await openNode({ times: TIMES }), { ...TIMES, maxAttempts }];
    await fill(worker, 'ann', ['a']);
    const lease = await mustClaim(worker, 'w');
    const gone = async () => {
      await worker.renew(lease);
      return new Set<string>();
    };
    const { queue } = await openNode({ times, holders: { gone } });
    clock.forward(TIMES.lease + 1);
    expect(await queue.recover()).toBe(0);
    expect((await queue.find(lease.job.uuid))?.status).toBe('processing');
  },
);

test('The queue announces and records the failure of a job whose workers stopped too often', async () => {
  const seen: unknown[] = [];
  const events: ServiceEvents = new EventEmitter();
  events.on('jobFailed', (...failed) => seen.push(failed));
  const { clock, queue } = await (await sqliteQueue())({ times: TIMES, events });
  await fill(queue, 'ann', ['a']);
  const { uuid } = (await mustClaim(queue, 'w')).job;
  clock.forward(TIMES.lease + 1);
  expect(await queue.recover()).toBe(1);
  const message = 'The worker stopped during this job 1 times.';
  expect(seen).toEqual([[uuid, { code: 'job_failed', message, passing: false }]]);
  expect(await queue.find(uuid)).toMatchObject({ error_message: message, finished_at: clock.now() });
});

test('By default a lease lasts fifteen seconds, and a job has five attempts, the second after a second', async () => {
  const { clock, queue } = await (await sqliteQueue())();
  await fill(queue, 'ann', ['a']);
  const statuses: (string | undefined)[] = [];
  for (const pause of [1_000, 2_000, 4_000, 8_000, 0]) {
    const lease = await mustClaim(queue, 'w');
    expect(lease.job.lease_until).toBe(clock.now() + 15_000);
    await queue.fail(lease, { ...FAILURE, passing: true });
    const job = await queue.find(lease.job.uuid);
    statuses.push(job?.status);
    if (pause > 0) expect(job?.run_at).toBe(clock.now() + pause);
    clock.forward(pause);
  }
  expect(statuses).toEqual([...Array(4).fill('waiting'), 'failed']);
});

test("A job claimed while its owner's other jobs fail continues", async () => {
  const [a, b] = [newJob(), newJob()];
  const seen: string[] = [];
  const events: ServiceEvents = new EventEmitter();
  events.on('jobFailed', (uuid) => {
    seen.push(uuid);
    void changeState(db, { uuid: b.uuid, from: 'waiting', to: 'processing' }, {});
  });
  const { db, queue } = await (await sqliteQueue())({ events });
  for (const job of [a, b]) await queue.submit(job, LIMITS);
  expect(await queue.giveUpWaiting('ann', FAILURE)).toEqual([a.uuid]);
  expect(seen).toEqual([a.uuid]);
  expect((await queue.find(b.uuid))?.status).toBe('processing');
});

describe('With PostgreSQL', () => {
  test('Leases can end by the clock of the database, whatever that of the process says', async () => {
    const { db, queue } = await (await postgresQueue())({ leasesBy: 'database', times: TIMES });
    await fill(queue, 'ann', ['a']);
    const before = await readDatabaseClock(db);
    const { lease_until: until } = (await mustClaim(queue, 'w')).job;
    const after = await readDatabaseClock(db);
    expect(until).toBeGreaterThanOrEqual(before + TIMES.lease);
    expect(until).toBeLessThanOrEqual(after + TIMES.lease);
  });

  test('Deleting callers does not lock the clock of the queue while it waits', async () => {
    const url = await ownDatabase();
    const { clock, queue } = await (await postgresQueue(url))();
    await fill(queue, 'ann', ['a']);
    await queue.fail(await mustClaim(queue, 'w'), FAILURE);
    clock.forward(2 * 3_600_000);
    const other = await otherSession(url);
    await other.run("select from callers where owner = 'ann' for update");
    const pruning = queue.prune(0);
    expect(await other.holdsUp(pruning)).toBe(true);
    const { rows } = await other.run('select turn from queue_clock for update skip locked');
    expect(rows).toMatchObject([{ turn: 1 }]);
    await other.run('commit');
    await pruning;
  });
});
