import { sql } from 'kysely';
import type { Pool } from 'pg';
import type { Db } from '../db.ts';
import { KnownSchema } from '../known-schema.ts';
import { MIGRATIONS, type Migration, newestSchema } from '../migrate.ts';
import type { OpenStore, Schema, StoreConnections } from '../open-store.ts';
import { flushUsage } from '../usage.ts';
import { DatabaseSize } from './database-size.ts';
import { postgresDb } from './dialect.ts';
import { examine } from './examine.ts';
import { Listener } from './listener.ts';
import { migratePostgres } from './migrate-postgres.ts';
import { connectionConfig, forKysely, makePool, POOL_OPTIONS, type PoolOptions } from './pool.ts';
import { PoolWaits } from './pool-waits.ts';
import { asRefused, isWithoutTls } from './trouble.ts';
import { type Patience, untilReachable } from './until-reachable.ts';

/**
 * Milliseconds after which other processes are assumed to have written: while their notifications arrive, and while
 * they do not.
 */
const LOOK = 5_000;
const LOOK_UNHEARD = 250;

export interface PostgresSettings extends Partial<PoolOptions> {
  /** `postgres://user@host/database`; what it does not say, the usual variables do (PGPASSWORD, PGPASSFILE …). */
  readonly url: string;
  /** Whether to wait for a database that cannot be reached yet; default: no. */
  readonly patience?: Patience;
  /** Whether to create the tables in a database that has none; default: yes. */
  readonly creates?: boolean;
}

/** The database has no store, and none was to be created. */
export class NoStoreError extends Error {
  override readonly name = 'NoStoreError';
  readonly code = 'no_store';

  constructor() {
    super('There is no store of a service in the database.');
  }
}

/**
 * Opens the store in a PostgreSQL database, which any number of processes on any number of machines may share.
 * @throws StoreUnreachableError, StoreRefusedError, NoStoreError, StoreTooOldError
 * @throws StoreTooNewError if a newer skinsmith wrote it and does not let this one use it
 */
export async function openPostgresStore({
  url,
  patience = { limit: 0 },
  migrations = MIGRATIONS,
  creates = true,
  ...rest
}: PostgresSettings & Schema): Promise<OpenStore> {
  const options = { ...POOL_OPTIONS, ...rest };
  const { db, pool, waits, ...opened } = await untilReachable(
    async () => await openPreferred(url, options, { migrations, creates }),
    patience,
  );
  const size = await DatabaseSize.watch(pool);
  // Behind a pooler nothing would be heard: another connection than the one that listened would hear it.
  const listener = options.prepares ? new Listener(connectionConfig(opened.url, options)) : undefined;
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

function watching(listener: Listener | undefined): OpenStore['changedByOthers'] {
  let looked = performance.now();
  return () => {
    const isTime = performance.now() - looked >= (listener?.isListening ? LOOK : LOOK_UNHEARD);
    if (!listener?.takeMissed() && !isTime) return false;
    looked = performance.now();
    return true;
  };
}

/** Only its tables, created or updated. @throws as `openPostgresStore` */
export async function openPostgresDb(url: string, options: PoolOptions = POOL_OPTIONS): Promise<Db> {
  return (await openPreferred(url, options, { migrations: MIGRATIONS, creates: true })).db;
}

interface Opened {
  /** With what was decided about TLS. */
  readonly url: string;
  readonly db: Db;
  readonly pool: Pool;
  readonly waits: PoolWaits;
}

interface Creating {
  readonly migrations: readonly Migration[];
  readonly creates: boolean;
}

/** With `sslmode=prefer` or `allow` the driver insists on TLS; libpq does without where the database has none. */
async function openPreferred(address: string, options: PoolOptions, creating: Creating): Promise<Opened> {
  const mode = new URL(address).searchParams.get('sslmode');
  if (mode !== 'prefer' && mode !== 'allow') return await open(address, options, creating);
  try {
    return await open(withTls(address, 'prefer'), options, creating);
  } catch (error) {
    if (!isWithoutTls(error)) throw error;
    return await open(withTls(address, 'disable'), options, creating);
  }
}

function withTls(address: string, mode: 'prefer' | 'disable'): string {
  const url = new URL(address);
  url.searchParams.set('sslmode', mode);
  return url.href;
}

async function open(url: string, options: PoolOptions, { migrations, creates }: Creating): Promise<Opened> {
  const pool = makePool(url, options);
  const waits = new PoolWaits(pool);
  const schema = new KnownSchema(newestSchema(migrations));
  const db = postgresDb(forKysely(pool, options, { schema, waits }), schema);
  try {
    if (!creates) await verifyStore(db);
    await migratePostgres(db, migrations);
    return { url, db, pool, waits };
  } catch (error) {
    await db.destroy();
    throw asRefused(error);
  }
}

/** @throws NoStoreError */
async function verifyStore(db: Db): Promise<void> {
  const { rows } = await sql<{ isThere: boolean }>`
    select to_regclass('meta') is not null and to_regclass('api_keys') is not null as "isThere"`.execute(db);
  if (!rows[0]?.isThere) throw new NoStoreError();
}
