import { onTestFinished } from 'vitest';
import { nameThisNode } from '../../../src/server/queue/leases.ts';
import type { StoreQueueOptions } from '../../../src/server/queue/store-queue.ts';
import type { Db } from '../../../src/server/store/db.ts';
import { POOL_OPTIONS } from '../../../src/server/store/postgres/pool.ts';
import { openPostgresDb } from '../../../src/server/store/postgres/postgres-store.ts';
import { keepTexture } from '../../../src/server/store/textures.ts';
import { TEXTURE_HASH } from '../../contract/jobs.ts';
import { ownDatabase } from '../postgres/own-database.ts';
import { MovableClock } from './movable-clock.ts';
import { ownFolder } from './own-folder.ts';
import { openOwnStore } from './running-server.ts';
import { TestQueue } from './test-queue.ts';

/** One of the processes that work on a queue. */
export interface QueueNode {
  readonly db: Db;
  readonly queue: TestQueue;
  readonly clock: MovableClock;
}

/** Opens another process on the same queue. */
export type OpenNode = (options?: Partial<StoreQueueOptions>) => Promise<QueueNode>;

/** A queue of its own in SQLite. */
export async function sqliteQueue(): Promise<OpenNode> {
  const folder = await ownFolder();
  return opener(async () => (await openOwnStore(folder)).db);
}

/** On a busy machine, connecting takes longer too. */
const PATIENT = { ...POOL_OPTIONS, connectTimeout: 300_000, statementTimeout: 300_000 };

/** A queue of its own in PostgreSQL, in the database with this address. */
export async function postgresQueue(url?: string): Promise<OpenNode> {
  const address = url ?? (await ownDatabase());
  return opener(async () => {
    const db = await openPostgresDb(address, PATIENT);
    onTestFinished(async () => await db.destroy());
    return db;
  });
}

/** For tests of what both do. */
export const QUEUES: readonly [store: string, makeQueue: () => Promise<OpenNode>][] = [
  ['SQLite', sqliteQueue],
  ['PostgreSQL', async () => await postgresQueue()],
];

function opener(openDb: () => Promise<Db>): OpenNode {
  const clock = new MovableClock();
  return async (options = {}) => {
    const db = await openDb();
    const png = new Uint8Array(1);
    await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png, created_at: 0 });
    return { db, clock, queue: new TestQueue(db, { self: nameThisNode(), clock, ...options }) };
  };
}
