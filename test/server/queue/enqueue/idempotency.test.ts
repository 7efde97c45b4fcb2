import { expect, test } from 'vitest';
import { LIMITS, newJob } from '../../../contract/jobs.ts';
import { sqliteQueue } from '../../../support/server/queue-nodes.ts';

test('A job keeps 32 keys; a request with another one gets the job, and the key stays free', async () => {
  const { queue } = await (await sqliteQueue())();
  const keys = Array.from({ length: 33 }, (_, n) => `key ${n}`);
  const kinds: string[] = [];
  for (const idempotencyKey of keys)
    kinds.push((await queue.submit(newJob({ request: 'same', idempotencyKey }), LIMITS)).kind);
  expect(kinds).toEqual(['queued', ...Array(32).fill('joined')]);
  const kept = await Promise.all(keys.map(async (key) => await queue.hasKey('ann', key)));
  expect(kept).toEqual([...Array(32).fill(true), false]);
});

test('A repeated key with another cape is refused as used', async () => {
  const { queue } = await (await sqliteQueue())();
  const asked = { request: 'same', idempotencyKey: 'key', capeHash: 'c'.repeat(64) };
  const first = newJob(asked);
  await queue.submit(first, LIMITS);
  expect(await queue.findRepeated(newJob({ ...asked, capeHash: null }))).toEqual({ kind: 'key_taken' });
  expect(await queue.findRepeated(newJob({ ...asked, capeHash: 'd'.repeat(64) }))).toEqual({
    kind: 'key_taken',
  });
  expect(await queue.findRepeated(newJob(asked))).toMatchObject({ job: { uuid: first.uuid } });
});
