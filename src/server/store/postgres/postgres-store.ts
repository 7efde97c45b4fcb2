import { Kysely, PostgresDialect, type PostgresPool, type SelectQueryBuilder, sql } from 'kysely';
import type { Pool } from 'pg';
import { finding, type HealthFinding } from '../../../protocol/service.ts';
import {
  type Db,
  dbOf,
  inTransaction,
  type OpenStore,
  type PreparedTexts,
  type Store,
  type StoreConnections,
} from '../db.ts';
import { createMeta, type KnownMigrations, MIGRATIONS, type Migration, migrate } from '../meta.ts';
import { MAX_SKEW } from '../nodes.ts';
import { ANY_SCHEMA, KeyOwnerCache, KnownSchema, NotedUsage } from '../process-memory.ts';
import type { ColumnTypes } from '../schema/columns.ts';
import type { Tables } from '../schema/tables.ts';
import { flushUsage } from '../usage.ts';
import {
  asConnectError,
  asRefused,
  isWithoutTls,
  type StorePatience,
  StoreRefusedError,
  untilReachable,
} from './failures.ts';
import { NotificationListener } from './notification-listener.ts';
import { connectionConfig, forKysely, makePool, POOL_OPTIONS, type PoolOptions, PoolWaits } from './pool.ts';

/** The share of the database's connections that causes a warning. */
const MANY = 0.8;

interface Look {
  readonly version: string;
  readonly clock: number;
  readonly bytes: number;
  readonly connections: number;
  readonly most: number;
}

const FACTS = `select current_setting('server_version') as version,
  (extract(epoch from clock_timestamp()) * 1000)::bigint as clock,
  pg_database_size(current_database()) as bytes,
  (select count(*) from pg_stat_activity where backend_type = 'client backend') as connections,
  current_setting('max_connections')::int as most`;

/** The state of a database and of this process's connections to it. @throws StoreUnreachableError */
export async function examine(
  pool: Pool,
  listener: { readonly isListening: boolean } | undefined,
): Promise<HealthFinding[]> {
  const waiting = pool.waitingCount; // before this request
  const sent = Date.now();
  const look = await readLook(pool);
  const received = Date.now();
  return [
    reached(look, received - sent),
    clockFinding(look.clock - (sent + received) / 2),
    poolFinding(pool, waiting),
    connectionsFinding(look),
    listenerFinding(listener),
  ];
}

async function readLook(pool: Pool): Promise<Look> {
  const { rows } = await pool.query<Look>(FACTS).catch((error: unknown) => {
    throw asConnectError(error);
  });
  return rows[0]!;
}

function reached({ version, bytes }: Look, milliseconds: number): HealthFinding {
  const size = `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
  const message = `PostgreSQL ${version} responds within ${milliseconds} ms; the database has ${size}.`;
  return finding('ok', 'store_reached', message);
}

function clockFinding(skew: number): HealthFinding {
  const how = `${Math.abs(Math.round(skew))} ms ${skew > 0 ? 'behind' : 'ahead of'} the database's`;
  return judged('store_clock', Math.abs(skew) < MAX_SKEW, `This server's clock is ${how}.`);
}

function poolFinding({ totalCount, options, idleCount }: Pool, waiting: number): HealthFinding {
  const used = `${totalCount - idleCount} of ${options.max ?? totalCount} connections are in use`;
  const rest = waiting === 0 ? '' : `, and ${waiting} requests are waiting for one`;
  return judged('store_pool', waiting === 0, `${used}${rest}.`);
}

function connectionsFinding({ connections, most }: Look): HealthFinding {
  const message = `The database has ${connections} of ${most} possible connections.`;
  return judged('store_connections', connections < MANY * most, message);
}

function listenerFinding(listener: { readonly isListening: boolean } | undefined): HealthFinding {
  const message = listener?.isListening
    ? 'This server receives notifications from the others.'
    : 'This server receives no notifications from the others; it checks the store four times a second instead.';
  return judged('store_listener', listener?.isListening ?? false, message);
}

function judged(code: string, isFine: boolean, message: string): HealthFinding {
  return finding(isFine ? 'ok' : 'warning', code, message);
}

/** Milliseconds between measurements, each of which reads the file system for every table. */
const SIZE_LOOK = 30_000;

/** Measures the size of a database again and again. @throws Error if it cannot be measured the first time */
async function watchSize(pool: Pool): Promise<{ bytes(): number; stop(): void }> {
  let bytes = 0;
  const look = async () => {
    const size = 'select pg_database_size(current_database()) as bytes';
    bytes = (await pool.query<{ bytes: number }>(size)).rows[0]?.bytes ?? 0;
  };
  await look();
  // A database that cannot be queried cannot be written either, so writers get that error.
  const timer = setInterval(() => void look().catch(() => {}), SIZE_LOOK).unref();
  return { bytes: () => bytes, stop: () => clearInterval(timer) };
}

/** A handle for a database behind a connection pool. Closing it closes the pool. */
export function postgresDb(pool: PostgresPool, schema: KnownSchema = ANY_SCHEMA): Db {
  return dbOf(new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }), new PostgresStore(schema));
}

/** As in SQLite, texts sort by bytes, and row numbers have 64 bits. */
const COLUMN_TYPES: ColumnTypes = {
  text: 'text collate "C"',
  bytes: 'bytea',
  real: 'double precision',
  rowNumber: 'bigint',
  numbered: 'generated always as identity primary key',
};

/**
 * Milliseconds for which a key and its owner are cached, so that a revocation takes effect on all nodes within a
 * second, even if notifications do not arrive.
 */
const KEY_AGE = 500;

/** Transactions run concurrently, also those of several machines. */
class PostgresStore implements Store {
  readonly kind = 'postgres';
  readonly isShared = true;
  readonly columnTypes = COLUMN_TYPES;
  readonly schema: KnownSchema;
  readonly keyOwners = new KeyOwnerCache(() => Math.floor(performance.now() / KEY_AGE));
  readonly usage = new NotedUsage();
  readonly preparedTexts: PreparedTexts = new Map();

  constructor(schema: KnownSchema) {
    this.schema = schema;
  }

  async commit<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
    return await inTransaction(db, work);
  }

  async commitOne<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
    return await work(db);
  }

  async lock(statement: () => Promise<unknown>): Promise<void> {
    await statement();
  }

  async limitLockWaits(tx: Db, milliseconds: number): Promise<void> {
    await sql`select set_config('lock_timeout', ${String(milliseconds)}, true)`.execute(tx);
  }

  withFreeRows<T extends keyof Tables, Row>(
    query: SelectQueryBuilder<Tables, T, Row>,
  ): SelectQueryBuilder<Tables, T, Row> {
    return query.forUpdate().skipLocked();
  }
}

/** An arbitrary number that no other program on the same database is likely to lock. */
const LOCK = 7_546_018;

/** The oldest tested release, and its number in PostgreSQL's format. */
const OLDEST = '15';
const OLDEST_NUMBER = 150_000;

/**
 * Creates the tables, or updates them, safely even if several nodes start at once.
 * @param known all migrations that the program knows
 * @throws StoreTooNewError, StoreRefusedError
 */
export async function migratePostgres(db: Db, known: readonly Migration[]): Promise<void> {
  await inTransaction(db, async (tx) => {
    await lockUsable(tx);
    await createMeta(tx);
  });
  await migrate(db, known);
}

interface Server {
  readonly version: string;
  readonly number: number;
  readonly encoding: string;
}

/** Waits for others who create tables. @throws StoreRefusedError if the database is unsuitable */
async function lockUsable(tx: Db): Promise<void> {
  const { rows } = await sql<Server>`select pg_advisory_xact_lock(${LOCK}),
    current_setting('server_version') as version, current_setting('server_version_num')::int as number,
    current_setting('server_encoding') as encoding`.execute(tx);
  const { version, number, encoding } = rows[0]!;
  if (number < OLDEST_NUMBER)
    throw new StoreRefusedError(new Error(`it is version ${version}, and must be ${OLDEST} or newer`), UNFIT);
  if (encoding !== 'UTF8')
    throw new StoreRefusedError(new Error(`its encoding is ${encoding}, and must be UTF8`), UNFIT);
}

const UNFIT = {
  what: 'The database cannot be used as the store',
  hint: 'Name another database: --store or SKINSMITH_STORE',
};

/**
 * Milliseconds after which other nodes are assumed to have written, with and without notifications from them.
 */
const LOOK = 5_000;
const LOOK_UNHEARD = 250;

export interface PostgresSettings extends Partial<PoolOptions> {
  /** `postgres://user@host/database`; the usual variables (PGPASSWORD, PGPASSFILE …) complete it. */
  readonly url: string;
  /** Whether to wait for an unreachable database; default: no. */
  readonly patience?: StorePatience;
  /** Whether to create the tables in a database that has none; default: yes. */
  readonly creates?: boolean;
}

/** The database has no store, and none should be created. */
export class NoStoreError extends Error {
  override readonly name = 'NoStoreError';
  readonly code = 'no_store';

  constructor() {
    super('The database has no store.');
  }
}

/**
 * Opens the store in a PostgreSQL database, which any number of processes on any number of machines may share.
 * @throws StoreUnreachableError, StoreRefusedError, NoStoreError
 * @throws StoreTooNewError if a newer skinsmith wrote it and does not let this one use it
 */
export async function openPostgresStore({
  url,
  patience = { limit: 0 },
  migrations = MIGRATIONS,
  creates = true,
  ...rest
}: PostgresSettings & KnownMigrations): Promise<OpenStore> {
  const options = { ...POOL_OPTIONS, ...rest };
  const { db, pool, waits, ...opened } = await untilReachable(
    async () => await openPreferred(url, options, { migrations, creates }),
    patience,
  );
  const size = await watchSize(pool);
  // Behind a pooler, notifications would not arrive, because they go to another connection than the one that listened.
  const listener = options.prepares
    ? new NotificationListener(connectionConfig(opened.url, options))
    : undefined;
  return {
    db,
    ...(listener && { notifier: listener }),
    changedByOthers: watching(listener),
    connections: () => countConnections({ pool, waits }, listener),
    examine: async () => await examine(pool, listener),
    usedBytes: size.bytes,
    isReplaced: () => false, // a database that is dropped ends its connections
    close: async () => {
      size.stop();
      await listener?.stop();
      await flushUsage(db).catch(() => {}); // unimportant if the store cannot be written
      await db.destroy();
    },
  };
}

function countConnections(
  { pool, waits: { milliseconds: waitingFor } }: Pick<Opened, 'pool' | 'waits'>,
  listener: NotificationListener | undefined,
): StoreConnections {
  const { totalCount, idleCount: idle, waitingCount, options } = pool;
  const most = options.max ?? totalCount;
  // Requests that came a moment ago get idle or new connections at once.
  const waiting = Math.max(0, waitingCount - idle - (most - totalCount));
  const isListening = listener?.isListening ?? false;
  return { busy: totalCount - idle, idle, most, waiting, waitingFor, isListening };
}

function watching(listener: NotificationListener | undefined): OpenStore['changedByOthers'] {
  let looked = performance.now();
  return () => {
    const isTime = performance.now() - looked >= (listener?.isListening ? LOOK : LOOK_UNHEARD);
    if (!listener?.takeMissed() && !isTime) return false;
    looked = performance.now();
    return true;
  };
}

/** Opens only the database, with its tables created or updated. @throws as `openPostgresStore` */
export async function openPostgresDb(url: string, options: PoolOptions = POOL_OPTIONS): Promise<Db> {
  return (await openPreferred(url, options, { migrations: MIGRATIONS, creates: true })).db;
}

interface Opened {
  /** Applies the decision about TLS. */
  readonly url: string;
  readonly db: Db;
  readonly pool: Pool;
  readonly waits: PoolWaits;
}

interface Creating {
  readonly migrations: readonly Migration[];
  readonly creates: boolean;
}

/** With `sslmode=prefer` or `allow`, the driver insists on TLS, while libpq does without if the database has none. */
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
  const schema = new KnownSchema(migrations.length);
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

/**
 * One connection has the snapshot, and may be idle for as long as the other store takes. The statements, few and long,
 * have no names, so any pooler may be in front of the database.
 */
function optionsOf(settings: Partial<PoolOptions>): PoolOptions {
  return { ...POOL_OPTIONS, ...settings, connections: 1, prepares: false, statementTimeout: 600_000 };
}

/** Opens a transaction that sees the store at its start. Does not change the schema. */
export async function openDatabaseSnapshot({
  url,
  ...settings
}: PostgresSettings): Promise<Pick<OpenStore, 'db' | 'close'>> {
  const options = optionsOf(settings);
  const root = postgresDb(forKysely(makePool(url, options), options));
  try {
    const start = root.startTransaction().setIsolationLevel('repeatable read').setAccessMode('read only');
    const transaction = await start.execute();
    const close = async () => {
      await transaction.rollback().execute();
      await root.destroy();
    };
    return { db: dbOf(transaction, root.store), close };
  } catch (error) {
    await root.destroy();
    throw asRefused(error);
  }
}

/** Creates or updates the tables. */
export async function openDatabaseTarget({
  url,
  ...settings
}: PostgresSettings): Promise<Pick<OpenStore, 'db' | 'close'>> {
  const db = await openPostgresDb(url, optionsOf(settings));
  return { db, close: async () => await db.destroy() };
}
