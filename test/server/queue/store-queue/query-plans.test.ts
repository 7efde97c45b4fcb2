import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ClaimBounds } from '../../../../src/server/queue/port.ts';
import { keepTexture } from '../../../../src/server/store/textures.ts';
import { LIMITS, newJob, TEXTURE_HASH } from '../../../contract/jobs.ts';
import { MovableClock } from '../../../support/server/movable-clock.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';
import { plansOfWork } from '../../../support/server/statements.ts';
import { TestQueue } from '../../../support/server/test-queue.ts';

/** How SQLite goes about every statement on jobs that a step of the queue makes. */
async function plansOf(
  step: (queue: TestQueue) => Promise<unknown>,
  bounds: ClaimBounds = {},
): Promise<string[]> {
  const folder = await ownFolder();
  const { db } = await openOwnStore(folder);
  await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 });
  const self = { host: 'here', pid: 1, nonce: 'x' };
  const queue = new TestQueue(db, { self, clock: new MovableClock(), bounds: () => bounds });
  for (let n = 0; n < 3; n++) await queue.submit(newJob(), LIMITS);
  const plans = await plansOfWork(join(folder, 'skinsmith.db'), async () => await step(queue));
  const onJobs = plans.filter(({ sql }) => / "jobs"/.test(sql) && !sql.startsWith('insert'));
  expect(onJobs).not.toEqual([]);
  return onJobs.map(({ plan }) => plan);
}

/** The partial indices of jobs that are waiting or with a worker: as long as the work, however many are done. */
const OF_THE_WORK = /INDEX jobs_(by_turn|processing|pending)/;

test.each<[string, (queue: TestQueue) => Promise<unknown>, string]>([
  ['claiming', (queue) => queue.claim('w'), 'SCAN jobs USING INDEX jobs_by_turn'],
  ['the next time to look', (queue) => queue.nextRunAt(), 'SEARCH jobs USING INDEX jobs_by_turn'],
  [
    'counting those before',
    (queue) => queue.waitingBefore({ turn: 3, id: 3 }),
    'SEARCH jobs USING COVERING INDEX jobs_by_turn (turn<?)',
  ],
  ['recovery', (queue) => queue.recover(), 'SCAN jobs USING INDEX jobs_processing_identity'],
  [
    'a page of failed jobs',
    (queue) => queue.page('ann', { size: 5, status: 'failed', before: 9 }),
    'SEARCH jobs USING INDEX jobs_failed (owner=? AND id<?)',
  ],
  [
    'a page of all jobs',
    (queue) => queue.page('ann', { size: 5, before: 9 }),
    'SEARCH jobs USING INDEX jobs_by_owner (owner=? AND id<?)',
  ],
  [
    'counting all jobs',
    (queue) => queue.count('ann'),
    'SEARCH jobs USING COVERING INDEX jobs_by_owner (owner=?)',
  ],
  [
    'counting failed jobs',
    (queue) => queue.count('ann', 'failed'),
    'SEARCH jobs USING COVERING INDEX jobs_failed (owner=?)',
  ],
  [
    'submitting to the queue',
    (queue) => queue.submit(newJob({ idempotencyKey: 'a' }), LIMITS),
    'SEARCH jobs USING INDEX jobs_pending (owner=? AND request_key=?)',
  ],
  [
    'submitting past the queue',
    (queue) => queue.submit(newJob({ via: 'v1' }), LIMITS),
    'SEARCH jobs USING INDEX jobs_pending (owner=?)',
  ],
  [
    'forgetting',
    (queue) => queue.prune(5),
    'SEARCH jobs USING COVERING INDEX jobs_finished (finished_at>? AND finished_at<?)',
  ],
])('For %s the database reads no more jobs than are pending, and sorts none', async (_, step, expected) => {
  const plans = await plansOf(step);
  expect(plans).toContain(expected);
  expect(plans.filter((plan) => plan.includes('TEMP B-TREE'))).toEqual([]);
  const scans = plans.filter((plan) => plan.startsWith('SCAN') && !/^SCAN (?:CONSTANT ROW|some)$/.test(plan));
  for (const scan of scans) expect(scan).toMatch(OF_THE_WORK);
});

test("An owner's jobs in progress are counted in their own index", async () => {
  expect(await plansOf((queue) => queue.claim('w'))).toContain(
    'SEARCH other USING COVERING INDEX jobs_processing (owner=?)',
  );
});

test('Jobs in progress of all owners, and jobs for the same data, are counted in an index', async () => {
  const bounds = { processing: 5, onePerIdentity: true };
  for (const step of [(queue: TestQueue) => queue.claim('w'), (queue: TestQueue) => queue.nextRunAt()]) {
    const plans = await plansOf(step, bounds);
    expect(plans).toContain('SCAN jobs USING COVERING INDEX jobs_processing_identity');
    expect(plans).toContain('SEARCH other USING COVERING INDEX jobs_processing_identity (identity=?)');
  }
});
