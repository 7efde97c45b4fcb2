import { Kysely } from 'kysely';
import type { Pool } from 'pg';
import { flushUsage } from '../adapter-parts.ts';
import { KnownSchema } from '../known-schema.ts';
import { MIGRATIONS, type Migration } from '../migrate.ts';
import type { Tables } from '../schema/tables.ts';
import type { Schema, Store, StoreConnections } from '../store.ts';
import { DatabaseSize } from './database-size.ts';
import { PooledDialect } from './dialect.ts';
import { examine } from './examine.ts';
import { Listener } from './listener.ts';
import { migratePostgres } from './migrate-postgres.ts';
import { connectionConfig, forKysely, makePool, POOL_OPTIONS, type PoolOptions } from './pool.ts';
import { PoolWaits } from './pool-waits.ts';
import { asRefused } from './trouble.ts';
import { type Patience, untilReachable } from './until-reachable.ts';

/** Milliseconds after which others are taken to have written: while they are heard, and while they are not. */
const LOOK = 5_000;
const LOOK_UNHEARD = 250;

export interface PostgresSettings extends Partial<PoolOptions> {
  /** `postgres://user@host/database`; what it does not say, the usual variables do (PGPASSWORD, PGPASSFILE …). */
  readonly url: string;
  /** Whether to wait for a database that cannot be reached yet; default: no. */
  readonly patience?: Patience;
}

/**
 * Opens the store in a PostgreSQL database, which any number of processes on any number of machines may share.
 * @throws StoreUnreachableError, StoreRefusedError
 * @throws StoreTooNewError if a newer skinsmith wrote it and does not let this one use it
 */
export async function openPostgresStore({
  url,
  patience = { limit: 0 },
  migrations = MIGRATIONS,
  ...rest
}: PostgresSettings & Schema): Promise<Store> {
  const options = { ...POOL_OPTIONS, ...rest };
  const { db, pool, waits } = await untilReachable(
    async () => await open(url, options, migrations),
    patience,
  );
  const size = await DatabaseSize.watch(pool);
  // Behind a pooler nothing would be heard: another connection than the one that listened would hear it.
  const listener = options.prepares ? new Listener(connectionConfig(url, options)) : undefined;
  return {
    db,
    ...(listener && { notifier: listener }),
    changedByOthers: watching(listener),
    connections: () => countConnections({ pool, waits }, listener),
    examine: async () => await examine(pool, listener),
    usedBytes: () => size.bytes,
    isReplaced: () => false, // a database that is dropped ends its connections
    close: async () => {
      size.stop();
      await listener?.stop();
      await flushUsage(db).catch(() => {}); // of little weight, if the store cannot be written
      await db.destroy();
    },
  };
}

function countConnections(
  { pool, waits: { milliseconds: waitingFor } }: Pick<Opened, 'pool' | 'waits'>,
  listener: Listener | undefined,
): StoreConnections {
  const { totalCount, idleCount: idle, waitingCount, options } = pool;
  const most = options.max ?? totalCount;
  // Those who came a moment ago are handed idle connections, or new ones, at once.
  const waiting = Math.max(0, waitingCount - idle - (most - totalCount));
  const isListening = listener?.isListening ?? false;
  return { busy: totalCount - idle, idle, most, waiting, waitingFor, isListening };
}

function watching(listener: Listener | undefined): Store['changedByOthers'] {
  let looked = performance.now();
  return () => {
    const isTime = performance.now() - looked >= (listener?.isListening ? LOOK : LOOK_UNHEARD);
    if (!listener?.takeMissed() && !isTime) return false;
    looked = performance.now();
    return true;
  };
}

/** Only its tables, created or updated. @throws as `openPostgresStore` */
export async function openPostgresDb(
  url: string,
  options: PoolOptions = POOL_OPTIONS,
): Promise<Kysely<Tables>> {
  return (await open(url, options, MIGRATIONS)).db;
}

interface Opened {
  readonly db: Kysely<Tables>;
  readonly pool: Pool;
  readonly waits: PoolWaits;
}

async function open(url: string, options: PoolOptions, migrations: readonly Migration[]): Promise<Opened> {
  const pool = makePool(url, options);
  const waits = new PoolWaits(pool);
  const schema = new KnownSchema(migrations.length);
  const dialect = new PooledDialect(forKysely(pool, options, { schema, waits }), schema);
  const db = new Kysely<Tables>({ dialect });
  try {
    await migratePostgres(db, migrations);
    return { db, pool, waits };
  } catch (error) {
    await db.destroy();
    throw asRefused(error);
  }
}
