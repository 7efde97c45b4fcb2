import { nameThisNode } from '../../src/server/queue/leases.ts';
import { QUEUE_TIMES } from '../../src/server/queue/port.ts';
import { findSkin } from '../../src/server/store/skins.ts';
import { keepTexture } from '../../src/server/store/textures.ts';
import { MovableClock } from '../support/server/movable-clock.ts';
import { ownFolder } from '../support/server/own-folder.ts';
import { openOwnStore } from '../support/server/running-server.ts';
import { TestQueue } from '../support/server/test-queue.ts';
import { describeJobQueue } from './job-queue.ts';
import { TEXTURE_HASH } from './jobs.ts';
import type { QueueWorld } from './queue-world.ts';

/** Every `open` is a connection of its own to one database file, as in another process. */
async function storeWorld(): Promise<QueueWorld> {
  const folder = await ownFolder();
  const clock = new MovableClock();
  const { db } = await openOwnStore(folder);
  await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 });
  return {
    clock,
    times: QUEUE_TIMES,
    open: async (self = nameThisNode()) => new TestQueue((await openOwnStore(folder)).db, { self, clock }),
    skinOwner: async (uuid) => (await findSkin(db, uuid))?.owner,
  };
}

describeJobQueue('StoreQueue', storeWorld);
