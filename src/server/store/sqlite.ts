import { closeSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { makeFolder } from '../../base/make-folder.ts';
import { importSqlite, switchToWal } from '../../base/node-sqlite.ts';
import type { AdapterParts } from './adapter-parts.ts';
import { DeferredUsage } from './deferred-usage.ts';
import { type ForeignWrites, KeyOwnerCache } from './key-owner-cache.ts';
import { ANY_SCHEMA, type KnownSchema, OLDEST_READER } from './known-schema.ts';
import { OpenFiles } from './open-files.ts';
import type { KeepsCompiled, RunsAtOnce } from './prepared.ts';
import { PATIENCE, PreparedDatabase } from './sqlite-database.ts';

/**
 * Settings specific to SQLite. WAL lets several processes read while one writes. The busy timeout makes a second writer
 * wait for its turn. With NORMAL, a killed process loses
 * nothing, while a power cut may lose the last moments (never the file). SQLite waits for the disk once per 4,000
 * written pages (16 MB). What a statement may have to undo stays in memory: in a temporary file it was a quarter of all
 * that a new skin wrote.
 */
const SETTINGS = `
  PRAGMA busy_timeout = ${PATIENCE};
  PRAGMA synchronous = NORMAL;
  PRAGMA foreign_keys = ON;
  PRAGMA wal_autocheckpoint = 4000;
  PRAGMA temp_store = MEMORY;
`;

export interface SqliteFile {
  readonly dialect: Dialect;
  /** Whether another process has changed the file since the last call. Takes microseconds. */
  changedByOthers(): boolean;
  /** Bytes in use, without the space freed by deleted rows. Takes microseconds. */
  usedBytes(): number;
  /** Whether the file's name now refers to another file, or to none. Takes microseconds. */
  isReplaced(): boolean;
}

export interface SqliteOptions {
  /** Whether commits survive a power cut: each commit waits for the disk. */
  readonly durable?: boolean | undefined;
  /** Learns of newer programs' changes; default: it knows them all. */
  readonly schema?: KnownSchema;
}

/** Opens (or creates) the database file. @throws Error of node:sqlite or the file system */
export async function openSqliteFile(
  path: string,
  { durable = false, schema = ANY_SCHEMA }: SqliteOptions = {},
): Promise<SqliteFile> {
  makeFolder(dirname(path), 0o700);
  makePrivateFile(path);
  const { DatabaseSync } = await importSqlite();
  const database = new DatabaseSync(path);
  database.exec(SETTINGS);
  await switchToWal(database);
  if (durable) database.exec('PRAGMA synchronous = FULL');
  const version = database.prepare('PRAGMA data_version');
  let seen = version.get()?.['data_version'];
  const files = new OpenFiles([path, `${path}-wal`]);
  const size = database.prepare(
    'SELECT (page_count - freelist_count) * page_size AS used FROM pragma_page_count, pragma_freelist_count, pragma_page_size',
  );
  return {
    usedBytes: () => Number(size.get()?.['used']),
    isReplaced: () => {
      files.look();
      return files.areReplaced;
    },
    dialect: new EmbeddedDialect(database, {
      files,
      schema,
      others: oncePerTurn(() => version.get()?.['data_version']),
    }),
    changedByOthers: () => {
      const now = version.get()?.['data_version'];
      const changed = now !== seen;
      seen = now;
      if (changed) schema.learn(readOldestReader(database));
      return changed;
    },
  };
}

/** Compiled each time: other processes seldom write. */
function readOldestReader(database: DatabaseSync): unknown {
  return database.prepare(`select ${OLDEST_READER} as oldest`).get()?.['oldest'];
}

/**
 * Asks SQLite once in each turn of the event loop: that takes longer than many a statement. What others write during
 * the turn is noticed in the next one, which is the first that can hear of it.
 */
function oncePerTurn(version: () => unknown): ForeignWrites {
  let known: { readonly version: unknown } | undefined;
  const forget = () => {
    known = undefined;
  };
  return {
    version: () => {
      if (!known) {
        known = { version: version() };
        setImmediate(forget);
      }
      return known.version;
    },
  };
}

/**
 * Creates a new database file with mode 0600: it contains private skins, whoever may read the folder. Leaves an
 * existing file unchanged: closing another descriptor of it would drop the locks that this process holds on it (POSIX).
 */
function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** What may happen to a database from outside. */
interface Surroundings {
  readonly files: OpenFiles;
  readonly schema: KnownSchema;
  /** Writes of other processes. */
  readonly others: ForeignWrites;
}

const UNDISTURBED: Surroundings = {
  files: new OpenFiles([]),
  schema: ANY_SCHEMA,
  others: { version: () => 0 },
};

/** Kysely on a node:sqlite database; both are closed together. */
export class EmbeddedDialect implements Dialect {
  readonly #database: PreparedDatabase;
  readonly #surroundings: Surroundings;

  constructor(database: DatabaseSync, surroundings = UNDISTURBED) {
    this.#database = new PreparedDatabase(database, surroundings);
    this.#surroundings = surroundings;
  }

  createDriver(): Driver {
    return new ImmediateDriver(this.#database, this.#surroundings.files);
  }
  createQueryCompiler(): SqliteQueryCompiler {
    return new FixedPlanCompiler();
  }
  createAdapter(): SqliteAdapter {
    return new EmbeddedAdapter(this.#database, this.#surroundings);
  }
  createIntrospector(db: Kysely<unknown>): SqliteIntrospector {
    return new SqliteIntrospector(db);
  }
}

/**
 * SQLite compares parameters with the conditions of partial indices, and where it could use one it compiles the
 * statement again for each new value: that takes several times as long as running it. It does not look into an
 * expression. Our queries name those conditions as literals.
 */
class FixedPlanCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '+?';
  }
}

class EmbeddedAdapter extends SqliteAdapter implements KeepsCompiled, RunsAtOnce, AdapterParts {
  readonly compiled: KeepsCompiled['compiled'] = new Map();
  readonly usage = new DeferredUsage();
  readonly keyOwners: KeyOwnerCache;
  readonly schema: KnownSchema;

  readonly runAtOnce: RunsAtOnce['runAtOnce'];
  readonly runTogether: RunsAtOnce['runTogether'];

  constructor(database: PreparedDatabase, { schema, others }: Surroundings) {
    super();
    this.schema = schema;
    this.keyOwners = new KeyOwnerCache(others);
    this.runAtOnce = (...args) => database.runAtOnce(...args);
    this.runTogether = (...args) => database.runTogether(...args);
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

  /** With a full disk, SQLite rolls back itself; a second rollback fails and would hide the reason. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.rollbackTransaction(connection);
    } catch (error) {
      if (!String(error).includes('no transaction is active')) throw error;
    }
  }
}
