import { expect, test } from 'vitest';
import { generated, LIMITS, newJob } from '../../contract/jobs.ts';
import { fill, mustClaim } from '../../contract/queue-steps.ts';
import { copyJob } from '../../support/server/copy-job.ts';
import { sqliteQueue } from '../../support/server/queue-nodes.ts';
import type { TestQueue } from '../../support/server/test-queue.ts';

/** What is asked for in a list of this length; the same as its states say. */
async function listed(queue: TestQueue, size: number): Promise<string[]> {
  const jobs = await queue.list('ann', size);
  expect((await queue.listStates('ann', size)).map(({ uuid }) => uuid)).toEqual(jobs.map(({ uuid }) => uuid));
  return jobs.map((job) => job.request_key);
}

test('Pending jobs beyond the end of a list are added to it, newest first, each once', async () => {
  const { queue } = await (await sqliteQueue())();
  await fill(queue, 'ann', ['a', 'b', 'c']);
  await queue.recordKnown(newJob({ request: 'known' }), 'f00d');
  await fill(queue, 'ann', ['d']);
  expect(await listed(queue, 1)).toEqual(['d', 'c', 'b', 'a']);
  expect(await listed(queue, 2)).toEqual(['d', 'known', 'c', 'b', 'a']);
  expect(await listed(queue, 3)).toEqual(['d', 'known', 'c', 'b', 'a']);
  expect(await listed(queue, 9)).toEqual(['d', 'known', 'c', 'b', 'a']);
});

test("A page lists an owner's jobs, all or of one status, with the details that the web pages show", async () => {
  const { clock, queue } = await (await sqliteQueue())();
  await queue.submit(newJob({ request: 'a', name: 'Smith', source: 'smith.png' }), LIMITS);
  await fill(queue, 'ann', ['b', 'c', 'd']);
  const [failed, completed, processing] = [
    await mustClaim(queue, 'w'),
    await mustClaim(queue, 'w'),
    await mustClaim(queue, 'w'),
  ];
  await queue.fail(failed, { code: 'job_failed', message: 'No skin.', passing: false });
  await queue.complete(completed, generated());
  const page = async (status?: 'waiting' | 'processing' | 'completed' | 'failed') =>
    (await queue.page('ann', { size: 9, status })).map(({ uuid }) => uuid);
  const [waiting] = await page();
  expect(await page()).toEqual([waiting, processing.job.uuid, completed.job.uuid, failed.job.uuid]);
  expect(await page('waiting')).toEqual([waiting]);
  expect(await page('processing')).toEqual([processing.job.uuid]);
  expect(await page('completed')).toEqual([completed.job.uuid]);
  const { id, uuid } = failed.job;
  expect(await queue.page('ann', { size: 9, status: 'failed' })).toEqual([
    {
      ...{ id, uuid, status: 'failed', name: 'Smith', source: 'smith.png', skin_uuid: null },
      ...{ created_at: clock.now(), finished_at: clock.now() },
      ...{ error_code: 'job_failed', error_message: 'No skin.' },
    },
  ]);
});

test('Jobs are counted up to ten thousand', async () => {
  const { db, queue } = await (await sqliteQueue())();
  await fill(queue, 'ann', ['a', 'b']);
  const { job } = await mustClaim(queue, 'w');
  await queue.fail({ job, owner: 'w' }, { code: 'job_failed', message: 'No skin.', passing: false });
  expect([await queue.count('ann'), await queue.count('ann', 'failed')]).toEqual([2, 1]);
  await copyJob(db, job.uuid, 9_998);
  expect([await queue.count('ann'), await queue.count('ann', 'failed')]).toEqual([10_000, 9_999]);
  await queue.recordKnown(newJob(), 'f00d');
  expect([await queue.count('ann'), await queue.count('ann', 'failed')]).toEqual([undefined, 9_999]);
});
