import { expect, test } from 'vitest';
import { nameThisProcess } from '../../../src/server/queue/lease-owner.ts';
import { StoreQueue } from '../../../src/server/queue/store-queue.ts';
import { keepTexture } from '../../../src/server/store/textures.ts';
import { TEXTURE_HASH } from '../../contract/jobs.ts';
import { fill, mustClaim } from '../../contract/queue-steps.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { openOwnStore } from '../../support/server/running-server.ts';

async function openQueue() {
  const { db } = await openOwnStore(await ownFolder());
  await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 });
  return new StoreQueue(db, { self: nameThisProcess() });
}

test('The jobs in progress and those that wait are told apart', async () => {
  const queue = await openQueue();
  await fill(queue, 'ann', ['a', 'b', 'c']);
  const { job } = await mustClaim(queue, 'w');
  const { running, waiting } = await queue.pending();
  expect(running.map(({ uuid }) => uuid)).toEqual([job.uuid]);
  expect(waiting.map(({ status }) => status)).toEqual(['waiting', 'waiting']);
});
