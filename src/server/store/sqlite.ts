import { closeSync, openSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type LimitNode,
  type SelectQueryBuilder,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  SqliteQueryCompiler,
  type SqliteStatement,
  sql,
  ValueNode,
} from 'kysely';
import { makeFolder } from '../../base/files.ts';
import { importSqlite, SQLITE, sqliteCode, switchToWal } from '../../base/sqlite.ts';
import { finding, type HealthFinding } from '../../protocol/service.ts';
import { type Db, dbOf, inTransaction, type OpenStore, type PreparedTexts, type Store } from './db.ts';
import { type KnownMigrations, MIGRATIONS, migrate } from './meta.ts';
import { ANY_SCHEMA, KeyOwnerCache, KnownSchema, NotedUsage, OLDEST_READER } from './process-memory.ts';
import type { ColumnTypes } from './schema/columns.ts';
import type { Tables } from './schema/tables.ts';
import { flushUsage } from './usage.ts';

/** The store's files were removed or replaced while open: anything written now would be lost. */
export class StoreReplacedError extends Error {
  override readonly name = 'StoreReplacedError';
  readonly code = 'store_replaced';

  constructor() {
    super('The store was removed or replaced while the service was using it. Restart the service.');
  }
}

/** Open files, and whether their names still refer to them. */
class OpenFiles {
  readonly #opened: readonly (readonly [path: string, identity: string])[];
  #areReplaced = false;

  /** Ignores paths that do not exist. */
  constructor(paths: readonly string[]) {
    this.#opened = paths.flatMap((path) => {
      const identity = identityOf(path);
      return identity === undefined ? [] : [[path, identity] as const];
    });
  }

  /** The result of the last look. Once true, it stays true: what was written in the meantime may be in either file. */
  get areReplaced(): boolean {
    return this.#areReplaced;
  }

  /** Takes microseconds. */
  look(): void {
    this.#areReplaced ||= this.#opened.some(([path, identity]) => identityOf(path) !== identity);
  }

  /** @throws StoreReplacedError based on the last look */
  verify(): void {
    if (this.#areReplaced) throw new StoreReplacedError();
  }
}

/** As long as a file is open, no other file can get its inode. */
function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found && `${found.dev}:${found.ino}`;
}

/** Bytes. The check blocks all other requests: for about half a second at this size. */
const MAX_BYTES = 128 * 1024 * 1024;

async function pragma(db: Db, name: 'page_count' | 'page_size'): Promise<number> {
  const { rows } = await sql<Record<string, number>>`pragma ${sql.raw(name)}`.execute(db);
  return rows[0]?.[name] ?? 0;
}

async function isDamaged(db: Db): Promise<boolean> {
  try {
    const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(db);
    return rows[0]?.quick_check !== 'ok';
  } catch (error) {
    if (sqliteCode(error) === SQLITE.corrupt) return true;
    throw error;
  }
}

/** SQLite's own check whether the store's pages and rows are intact. */
export async function damageFinding(db: Db, mostBytes = MAX_BYTES): Promise<HealthFinding> {
  const bytes = (await pragma(db, 'page_count')) * (await pragma(db, 'page_size'));
  const size = `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
  if (bytes > mostBytes)
    return finding('ok', 'store_large', `The store (${size}) is too large for an integrity check.`);
  if (await isDamaged(db)) return finding('problem', 'store_damaged', 'The store is damaged.');
  return finding('ok', 'store_sound', `The integrity check of the store (${size}) found no errors.`);
}

/**
 * Settings specific to SQLite. WAL lets several processes read while one writes. The busy timeout makes a second writer
 * wait for its turn, in milliseconds; nothing else happens in the process meanwhile. With NORMAL, a killed process loses
 * nothing, while a power cut may lose the last moments (never the file). SQLite waits for the disk once per 4,000
 * written pages (16 MB). Undo data of statements stays in memory: in a temporary file, it was a quarter of all writes
 * for a new skin.
 */
const SETTINGS = `
  PRAGMA busy_timeout = 10000;
  PRAGMA synchronous = NORMAL;
  PRAGMA foreign_keys = ON;
  PRAGMA wal_autocheckpoint = 4000;
  PRAGMA temp_store = MEMORY;
`;

export interface SqliteOptions {
  /** Whether commits survive a power cut: each commit waits for the disk. */
  readonly durable?: boolean | undefined;
}

/**
 * Opens the store in a data folder, and updates its schema.
 * @throws StoreTooNewError if a newer skinsmith wrote it
 */
export async function openStore(
  dataDir: string,
  { migrations = MIGRATIONS, durable = false }: SqliteOptions & KnownMigrations = {},
): Promise<OpenStore> {
  const path = join(dataDir, 'skinsmith.db');
  const database = await openSqliteFile(path, durable);
  const version = database.prepare('PRAGMA data_version');
  const readVersion = () => version.get()?.['data_version'];
  const files = new OpenFiles([path, `${path}-wal`]);
  const schema = new KnownSchema(migrations.length);
  const db = sqliteDb(database, { files, schema, versionOfOthers: oncePerTurn(readVersion) });
  try {
    await migrate(db, migrations);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const size = database.prepare(
    'SELECT (page_count - freelist_count) * page_size AS used FROM pragma_page_count, pragma_freelist_count, pragma_page_size',
  );
  const hasChanged = changesOf(readVersion);
  return {
    db,
    examine: async () => [await damageFinding(db)],
    changedByOthers: () => {
      const changed = hasChanged();
      if (changed) schema.learn(readOldestReader(database));
      return changed;
    },
    usedBytes: () => Number(size.get()?.['used']),
    isReplaced: () => {
      files.look();
      return files.areReplaced;
    },
    close: async () => {
      await flushUsage(db).catch(() => {}); // unimportant if the store cannot be written
      await db.destroy();
    },
  };
}

/** Whether a value has changed since the last call. */
function changesOf(read: () => unknown): () => boolean {
  let seen = read();
  return () => {
    const before = seen;
    seen = read();
    return seen !== before;
  };
}

/** A new store that no other process sees, and that is gone when it is closed. */
export async function openMemoryStore(): Promise<OpenStore> {
  const { DatabaseSync } = await importSqlite();
  const database = new DatabaseSync(':memory:');
  database.exec(SETTINGS);
  const db = sqliteDb(database);
  await migrate(db, MIGRATIONS);
  return {
    db,
    examine: async () => [],
    changedByOthers: () => false,
    usedBytes: () => Number(database.prepare('PRAGMA page_count').get()?.['page_count']) * 4096,
    isReplaced: () => false,
    close: async () => await db.destroy(),
  };
}

/** Opens (or creates) a database file. @throws Error of node:sqlite or the file system */
export async function openSqliteFile(path: string, durable = false): Promise<DatabaseSync> {
  makeFolder(dirname(path), 0o700);
  makePrivateFile(path);
  const { DatabaseSync } = await importSqlite();
  const database = new DatabaseSync(path);
  try {
    database.exec(SETTINGS);
    await switchToWal(database);
    if (durable) database.exec('PRAGMA synchronous = FULL');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Creates a new database file with mode 0600: it contains private skins, even if others may read the folder. Leaves an
 * existing file unchanged: closing another descriptor of it would drop the locks that this process holds on it (POSIX).
 */
function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Compiled each time, because other processes seldom write. */
function readOldestReader(database: DatabaseSync): unknown {
  return database.prepare(`select ${OLDEST_READER} as oldest`).get()?.['oldest'];
}

/**
 * Checks with SQLite once per turn of the event loop, because the check takes longer than many statements. Writes by
 * others during a turn are noticed in the next one, which is soon enough.
 */
function oncePerTurn(version: () => unknown): () => unknown {
  let known: { readonly version: unknown } | undefined;
  const forget = () => {
    known = undefined;
  };
  return () => {
    if (!known) {
      known = { version: version() };
      setImmediate(forget);
    }
    return known.version;
  };
}

/** Watches for changes to a database from outside. */
interface Surroundings {
  readonly files: OpenFiles;
  readonly schema: KnownSchema;
  /** Changes when another process has written. */
  readonly versionOfOthers: () => unknown;
}

const UNDISTURBED: Surroundings = {
  files: new OpenFiles([]),
  schema: ANY_SCHEMA,
  versionOfOthers: () => 0,
};

/** A handle for a database. Closing it closes the database. */
export function sqliteDb(database: DatabaseSync, surroundings = UNDISTURBED): Db {
  const { files } = surroundings;
  const dialect = new ImmediateDialect(new CachedStatements(database, surroundings), files);
  return dbOf(new Kysely<Tables>({ dialect }), new SqliteStore(surroundings));
}

const COLUMN_TYPES: ColumnTypes = {
  text: 'text',
  bytes: 'blob',
  real: 'real',
  rowNumber: 'integer',
  numbered: 'primary key autoincrement',
};

/** SQLite has one writer at a time, so a transaction is alone and nothing needs locks. */
class SqliteStore implements Store {
  readonly kind = 'sqlite';
  readonly isShared = false;
  readonly columnTypes = COLUMN_TYPES;
  readonly schema: KnownSchema;
  readonly keyOwners: KeyOwnerCache;
  readonly usage = new NotedUsage();
  readonly preparedTexts: PreparedTexts = new Map();
  readonly #commits = new GroupCommit();

  constructor({ schema, versionOfOthers }: Surroundings) {
    this.schema = schema;
    this.keyOwners = new KeyOwnerCache(versionOfOthers);
  }

  async commit<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
    return db.isTransaction ? await work(db) : await this.#commits.run(db, work);
  }

  async commitOne<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
    return db.isTransaction ? await work(db) : await this.#commits.run(db, work, true);
  }

  async lock(): Promise<void> {}
  async limitLockWaits(): Promise<void> {}

  withFreeRows<T extends keyof Tables, Row>(
    query: SelectQueryBuilder<Tables, T, Row>,
  ): SelectQueryBuilder<Tables, T, Row> {
    return query;
  }
}

/** Maximum number of cached prepared statements; the service uses about a hundred. */
const MAX_STATEMENTS = 500;

/** node:sqlite with the interface that Kysely's driver expects, and a cache of prepared statements. */
class CachedStatements implements SqliteDatabase {
  readonly #database: DatabaseSync;
  readonly #surroundings: Surroundings;
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(database: DatabaseSync, surroundings: Surroundings) {
    this.#database = database;
    this.#surroundings = surroundings;
  }

  /** @throws StoreReplacedError, StoreTooNewError */
  prepare(sql: string): SqliteStatement {
    this.#surroundings.files.verify();
    this.#surroundings.schema.verify();
    const kept = this.#statements.get(sql);
    if (kept) return kept;
    if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
    const statement = adapt(this.#database.prepare(sql));
    this.#statements.set(sql, statement);
    return statement;
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }
}

function adapt(statement: StatementSync): SqliteStatement {
  const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
  const rows = rowsOf(statement);
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => rows(statement.all(...values(parameters)) as unknown as unknown[][]),
    run: (parameters) => statement.run(...values(parameters)),
    // Kysely's `stream`, which nothing uses.
    iterate: () => {
      throw new Error('Rows are read all at once.');
    },
  };
}

/**
 * Makes objects of rows. Those that node:sqlite makes have no prototype and are dictionaries: to make them and read them
 * takes twice as long.
 */
function rowsOf(statement: StatementSync): (rows: readonly unknown[][]) => object[] {
  statement.setReturnArrays(true);
  let names: readonly string[] = [];
  return (rows) => {
    // A newer version may have added columns to a table.
    if (rows[0] && rows[0].length !== names.length) names = statement.columns().map(({ name }) => name);
    return rows.map((row) => {
      const made: Record<string, unknown> = {};
      for (let column = 0; column < names.length; column++) made[names[column]!] = row[column];
      return made;
    });
  };
}

/** SQLite plans a statement again for each value of a limit that is a parameter, so limits are part of the text. */
class LiteralLimits extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    const { limit } = node;
    if (!ValueNode.is(limit) || typeof limit.value !== 'number') super.visitLimit(node);
    else this.append(`limit ${limit.value}`);
  }
}

class ImmediateDialect extends SqliteDialect {
  readonly #database: SqliteDatabase;
  readonly #files: OpenFiles;

  constructor(database: SqliteDatabase, files: OpenFiles) {
    super({ database });
    this.#database = database;
    this.#files = files;
  }

  override createQueryCompiler(): SqliteQueryCompiler {
    return new LiteralLimits();
  }

  override createDriver(): SqliteDriver {
    return new ImmediateDriver(this.#database, this.#files);
  }
}

/**
 * Transactions take the write lock at once. A deferred one that reads and then writes fails with "database is locked"
 * if another process wrote in between, however long the busy timeout is.
 */
class ImmediateDriver extends SqliteDriver {
  readonly #files: OpenFiles;

  constructor(database: SqliteDatabase, files: OpenFiles) {
    super({ database });
    this.#files = files;
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    this.#files.look();
    this.#files.verify();
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** If the disk is full, SQLite rolls back itself; a second rollback fails and would hide the reason. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.rollbackTransaction(connection);
    } catch (error) {
      if (!String(error).includes('no transaction is active')) throw error;
    }
  }
}

/** Maximum number of works in one transaction: other processes wait for its end. */
const MOST_AT_ONCE = 32;

/** Takes effect as a whole or not at all; may run twice. */
type Work<T> = (tx: Db) => Promise<T>;

interface Waiting {
  /** Runs the work. The returned function hands over its result. */
  readonly attempt: Work<() => void>;
  /** Whether it writes by one statement, which is a transaction by itself. */
  readonly isOne: boolean;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs works that come in the same turn of the event loop in one transaction, for stores with one writer at a time: a
 * commit takes longer than most statements. If one of them fails, each runs in a transaction of its own.
 */
export class GroupCommit {
  #waiting: Waiting[] = [];

  async run<T>(db: Db, work: Work<T>, isOne = false): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const attempt = async (tx: Db) => {
      const result = await work(tx);
      return () => resolve(result);
    };
    this.#waiting.push({ attempt, isOne, reject });
    if (this.#waiting.length === 1) setImmediate(() => void this.#runWaiting(db));
    return await promise;
  }

  async #runWaiting(db: Db): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let first = 0; first < waiting.length; first += MOST_AT_ONCE)
      await runTogether(db, waiting.slice(first, first + MOST_AT_ONCE));
  }
}

async function runTogether(db: Db, group: readonly Waiting[]): Promise<void> {
  const runAll = async (tx: Db) => {
    const ends: (() => void)[] = [];
    for (const { attempt } of group) ends.push(await attempt(tx));
    return ends;
  };
  try {
    const isAlone = group.length === 1 && group[0]!.isOne;
    for (const end of await (isAlone ? runAll(db) : inTransaction(db, runAll))) end();
  } catch (error) {
    if (group.length === 1) group[0]!.reject(error);
    else for (const one of group) await runTogether(db, [one]);
  }
}
