import { expect, test } from 'vitest';
import { nameThisNode } from '../../../../src/server/queue/leases.ts';
import { keepTexture } from '../../../../src/server/store/textures.ts';
import { generated, LIMITS, newJob, TEXTURE_HASH } from '../../../contract/jobs.ts';
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

test('Jobs come in the order of their ends, however many are requested', async () => {
  const { clock, queue } = await openQueue();
  await fill(queue, 'ann', ['a', 'b', 'c']);
  const [a, b, c] = [await mustClaim(queue, 'w'), await mustClaim(queue, 'w'), await mustClaim(queue, 'w')];
  for (const lease of [b, a]) {
    clock.forward(1_000);
    await queue.complete(lease, generated());
  }
  const ends = async (...leases: (typeof a)[]) =>
    (await queue.readEnds(leases.map(({ job }) => job.uuid))).map(({ job }) => job.request_key);
  expect(await ends(a, b, c)).toEqual(['b', 'a']);
  expect(await ends(a, b)).toEqual(['b', 'a']);
  expect(await ends(a)).toEqual(['a']);
  expect(await ends(c)).toEqual([]);
});

test('Jobs that ended at the same moment come in the order of their acceptance', async () => {
  const { queue } = await openQueue();
  for (const uuid of ['c', 'a', 'b']) await queue.submit(newJob({ uuid }), LIMITS);
  for (let n = 0; n < 3; n++) await queue.complete(await mustClaim(queue, 'w'), generated());
  const ends = await queue.readEnds(['a', 'b', 'c']);
  expect(ends.map(({ job }) => job.uuid)).toEqual(['c', 'a', 'b']);
});
