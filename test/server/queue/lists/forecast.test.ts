import { expect, test } from 'vitest';
import { fill, mustClaim } from '../../../contract/queue-steps.ts';
import { copyJob } from '../../../support/server/copy-job.ts';
import { sqliteQueue } from '../../../support/server/queue-nodes.ts';

test('Jobs in progress and waiting jobs are distinguished', async () => {
  const { queue } = await (await sqliteQueue())();
  await fill(queue, 'ann', ['a', 'b', 'c']);
  const { job } = await mustClaim(queue, 'w');
  const { running, waiting } = await queue.pending();
  expect(running.map(({ uuid }) => uuid)).toEqual([job.uuid]);
  expect(waiting.map(({ status }) => status)).toEqual(['waiting', 'waiting']);
});

test('At most the first five hundred waiting jobs are read', async () => {
  const { db, queue } = await (await sqliteQueue())();
  await fill(queue, 'ann', ['a']);
  const [first] = await queue.list('ann', 1);
  await copyJob(db, first!.uuid, 500);
  const { waiting } = await queue.pending();
  expect(waiting.map(({ uuid }) => uuid)).toEqual([
    first!.uuid,
    ...Array.from({ length: 499 }, (_, n) => `${first!.uuid} ${n + 1}`),
  ]);
});
