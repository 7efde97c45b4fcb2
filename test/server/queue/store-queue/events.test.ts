import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { ServiceEvents } from '../../../../src/server/events.ts';
import { nameThisNode } from '../../../../src/server/queue/leases.ts';
import { keepTexture } from '../../../../src/server/store/textures.ts';
import { generated, TEXTURE_HASH } from '../../../contract/jobs.ts';
import { fill, mustClaim } from '../../../contract/queue-steps.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';
import { TestQueue } from '../../../support/server/test-queue.ts';

const FAILURE = { code: 'job_failed', message: 'No skin.', passing: false } as const;

async function observedQueue() {
  const { db } = await openOwnStore(await ownFolder());
  await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 });
  const seen: string[] = [];
  const events: ServiceEvents = new EventEmitter();
  events.on('jobCompleted', (uuid) => seen.push(`completed ${uuid}`));
  events.on('jobFailed', (uuid, { message }) => seen.push(`failed ${uuid}: ${message}`));
  const queue = new TestQueue(db, { self: nameThisNode(), events });
  return { queue, seen };
}

test('The queue announces the end of each job once, except one that came too late', async () => {
  const { queue, seen } = await observedQueue();
  await fill(queue, 'ann', ['a', 'b']);
  const [one, other] = [await mustClaim(queue, 'w'), await mustClaim(queue, 'v')];
  await queue.complete(one, generated());
  await queue.complete(one, generated());
  await queue.fail(other, FAILURE);
  await queue.fail(other, FAILURE);
  expect(seen).toEqual([`completed ${one.job.uuid}`, `failed ${other.job.uuid}: No skin.`]);
});

test('The queue announces no failure of a job that is tried again', async () => {
  const { queue, seen } = await observedQueue();
  await fill(queue, 'ann', ['a']);
  await queue.fail(await mustClaim(queue, 'w'), { ...FAILURE, passing: true });
  expect(seen).toEqual([]);
});

test('Only the waiting jobs of a disabled user fail', async () => {
  const { queue, seen } = await observedQueue();
  await fill(queue, 'ann', ['a', 'b']);
  await fill(queue, 'bob', ['c']);
  const lease = await mustClaim(queue, 'w');
  const ended = await queue.giveUpWaiting(lease.job.owner, FAILURE);
  expect(ended).toHaveLength(1);
  expect(ended).not.toContain(lease.job.uuid);
  expect(seen).toEqual([`failed ${ended[0]}: No skin.`]);
  expect(await queue.find(ended[0]!)).toMatchObject({ status: 'failed', error_code: 'job_failed' });
  expect((await mustClaim(queue, 'w')).job.owner).toBe('bob');
});
