import { describe, onTestFinished } from 'vitest';
import { nameThisNode } from '../../src/server/queue/leases.ts';
import { QUEUE_TIMES } from '../../src/server/queue/port.ts';
import type { Db } from '../../src/server/store/db.ts';
import { POOL_OPTIONS } from '../../src/server/store/postgres/pool.ts';
import { openPostgresDb } from '../../src/server/store/postgres/postgres-store.ts';
import { findSkin } from '../../src/server/store/skins.ts';
import { keepTexture } from '../../src/server/store/textures.ts';
import { ownDatabase } from '../support/postgres/own-database.ts';
import { type PoolMode, pooler } from '../support/postgres/pooler.ts';
import { MovableClock } from '../support/server/movable-clock.ts';
import { TestQueue } from '../support/server/test-queue.ts';
import { describeJobQueue, describeSteps } from './job-queue.ts';
import { TEXTURE_HASH } from './jobs.ts';
import { describeConcurrency } from './queue-concurrency.ts';
import { describeRecovery } from './queue-recovery.ts';
import type { QueueWorld } from './queue-world.ts';

/** Every `open` has connections of its own, as a process on another machine. */
async function postgresWorld(mode?: PoolMode): Promise<QueueWorld> {
  const database = await ownDatabase();
  const url = mode ? await pooler(database, mode) : database;
  const clock = new MovableClock();
  const openDb = async () => await openUntilEnd(url, mode !== 'transaction');
  const db = await openDb();
  await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 });
  return {
    clock,
    times: QUEUE_TIMES,
    open: async (self = nameThisNode()) => new TestQueue(await openDb(), { self, clock }),
    skinOwner: async (uuid) => (await findSkin(db, uuid))?.owner,
  };
}

async function openUntilEnd(url: string, prepares: boolean): Promise<Db> {
  const db = await openPostgresDb(url, { ...POOL_OPTIONS, prepares });
  onTestFinished(async () => await db.destroy());
  return db;
}

describe('With PostgreSQL', () => {
  describeJobQueue('StoreQueue', async () => await postgresWorld());
  describeSteps('StoreQueue behind a pooler of transactions', async () => await postgresWorld('transaction'));
  // This one relays every statement unchanged; only how connections begin and follow one another differs.
  describe('StoreQueue behind a pooler of sessions', () => {
    describeConcurrency(async () => await postgresWorld('session'));
    describeRecovery(async () => await postgresWorld('session'));
  });
});
