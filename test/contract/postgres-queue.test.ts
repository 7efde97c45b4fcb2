import { afterAll, describe, onTestFinished } from 'vitest';
import { nameThisNode } from '../../src/server/queue/leases.ts';
import { QUEUE_TIMES } from '../../src/server/queue/port.ts';
import type { Db } from '../../src/server/store/db.ts';
import { POOL_OPTIONS } from '../../src/server/store/postgres/pool.ts';
import { openPostgresDb } from '../../src/server/store/postgres/postgres-store.ts';
import { findSkin } from '../../src/server/store/skins.ts';
import { keepTexture } from '../../src/server/store/textures.ts';
import { ownDatabase } from '../support/postgres/own-database.ts';
import { openPooler, type Pooler, type PoolMode } from '../support/postgres/pooler.ts';
import { MovableClock } from '../support/server/movable-clock.ts';
import { TestQueue } from '../support/server/test-queue.ts';
import { isWhole } from '../support/setup/whole-run.ts';
import { describeJobQueue, describeSteps } from './job-queue.ts';
import { TEXTURE_HASH } from './jobs.ts';
import { describeConcurrency } from './queue-concurrency.ts';
import { describeRecovery } from './queue-recovery.ts';
import { describeRepeating } from './queue-repeating.ts';
import type { QueueWorld } from './queue-world.ts';

/** A database and the way to it, for one test after the other: new connections would prepare all statements again. */
class Place {
  readonly database: string;
  readonly #mode: PoolMode | undefined;
  readonly #unused: Db[] = [];
  #pooler: Pooler | undefined;

  constructor(database: string, mode: PoolMode | undefined) {
    this.database = database;
    this.#mode = mode;
  }

  /** With connections of its own until the test ends, as a process on another machine. */
  async open(): Promise<Db> {
    if (this.#mode) this.#pooler ??= await openPooler(this.database, this.#mode);
    const options = { ...POOL_OPTIONS, prepares: this.#mode !== 'transaction' };
    const db = this.#unused.pop() ?? (await openPostgresDb(this.#pooler?.url ?? this.database, options));
    onTestFinished(() => void this.#unused.push(db));
    return db;
  }

  async close(): Promise<void> {
    for (const db of this.#unused) await db.destroy();
    this.#pooler?.close();
  }
}

const places = new Map<string, Place>();
afterAll(async () => {
  for (const place of places.values()) await place.close();
});

async function postgresWorld(mode?: PoolMode): Promise<QueueWorld> {
  const database = await ownDatabase();
  const name = `${mode} ${database}`;
  const place = places.get(name) ?? new Place(database, mode);
  places.set(name, place);
  const clock = new MovableClock();
  const db = await place.open();
  await keepTexture(db, { hash: TEXTURE_HASH, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 });
  return {
    clock,
    times: QUEUE_TIMES,
    open: async (self = nameThisNode()) => new TestQueue(await place.open(), { self, clock }),
    skinOwner: async (uuid) => (await findSkin(db, uuid))?.owner,
  };
}

describe('With PostgreSQL', () => {
  describeJobQueue('StoreQueue', async () => await postgresWorld());
  const transactions = async () => await postgresWorld('transaction');
  if (isWhole) describeSteps('StoreQueue behind a pooler of transactions', transactions);
  // What one transaction could leave for the next one, or miss: locks, and keys that two use at once.
  else
    describe('StoreQueue behind a pooler of transactions', () => {
      describeConcurrency(transactions);
      describeRepeating(transactions);
    });
  // This one relays every statement unchanged; only how connections begin and follow one another differs.
  if (!isWhole) return;
  describe('StoreQueue behind a pooler of sessions', () => {
    const world = async () => await postgresWorld('session');
    describeConcurrency(world);
    describeRecovery(world);
  });
});
