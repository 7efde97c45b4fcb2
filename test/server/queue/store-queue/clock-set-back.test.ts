import { expect, test } from 'vitest';
import { nameThisNode } from '../../../../src/server/queue/leases.ts';
import { keepTexture } from '../../../../src/server/store/textures.ts';
import { TEXTURE_HASH } from '../../../contract/jobs.ts';
import { fill, mustClaim } from '../../../contract/queue-steps.ts';
import { MovableClock } from '../../../support/server/movable-clock.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../support/server/running-server.ts';
import { TestQueue } from '../../../support/server/test-queue.ts';

async function openQueue() {
  const clock = new MovableClock();
  const { db } = await openOwnStore(await ownFolder());
  await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 });
  return { clock, queue: new TestQueue(db, { self: nameThisNode(), clock }) };
}

test('A job that was postponed before the clock was set back may run at once, others wait for their time', async () => {
  const { clock, queue } = await openQueue();
  await fill(queue, 'ann', ['a']);
  await queue.release(await mustClaim(queue, 'w'), clock.now() + 60_000);
  await queue.recover();
  expect(await queue.claim('w')).toBeUndefined();
  clock.forward(-3_600_000);
  expect(await queue.recover()).toBe(1);
  expect((await mustClaim(queue, 'w')).job.request_key).toBe('a');
});
