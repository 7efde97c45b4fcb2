import { expect, test } from 'vitest';
import { resetFutureJobTimes } from '../../../../src/server/queue/store-queue.ts';
import { LIMITS, newJob } from '../../../contract/jobs.ts';
import { sqliteQueue } from '../../../support/server/queue-nodes.ts';

const LONGEST_WAIT = 12 * 3_600_000;

test.each([
  ['accepted before, and postponed for as long as may be', 0, LONGEST_WAIT, false],
  ['accepted before, and postponed for longer than anything is', 0, LONGEST_WAIT + 1, true],
  ['accepted at a time that has not come yet', 1, 1, true],
  ['accepted at a time that has not come yet, and due', 1, 0, false],
])(
  'After the clock was set back, only a job with an impossible time is made due: %s',
  async (_, accepted, due, isForgiven) => {
    const { db, clock, queue } = await (await sqliteQueue())();
    const job = newJob();
    await queue.submit(job, LIMITS);
    const now = clock.now();
    await db
      .updateTable('jobs')
      .set({ created_at: now + accepted, run_at: now + due })
      .execute();
    expect(await resetFutureJobTimes(db, now)).toBe(isForgiven ? 1 : 0);
    expect((await queue.find(job.uuid))?.run_at).toBe(isForgiven ? now : now + due);
  },
);
