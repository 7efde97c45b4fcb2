import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
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
  type SqliteStatement,
} from 'kysely';
import { importSqlite } from '../../node-sqlite.ts';
import type { KeepsCompiled } from './prepared.ts';

/**
 * Everything that is SQLite's alone. WAL lets several processes read while one writes; the busy
 * timeout makes a second writer wait its turn (it comes first: the change to WAL writes as well);
 * NORMAL survives a killed process with nothing lost, while a power cut may take the last moments
 * (never the file). The disk is waited for once in 4,000 pages (16 MB) that were written.
 */
const SETTINGS = `
  PRAGMA busy_timeout = 10000;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA foreign_keys = ON;
  PRAGMA wal_autocheckpoint = 4000;
`;

/** Statements kept prepared; ours are about fifty. */
const MAX_STATEMENTS = 500;

export interface SqliteFile {
  readonly dialect: Dialect;
  /** Whether another process has changed the file since this was last asked. Microseconds. */
  changedElsewhere(): boolean;
}

/** Opens (and makes) the database file. @throws Error of node:sqlite or the file system */
export async function openSqliteFile(path: string): Promise<SqliteFile> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  makePrivateFile(path);
  const { DatabaseSync } = await importSqlite();
  const database = new DatabaseSync(path);
  database.exec(SETTINGS);
  const version = database.prepare('PRAGMA data_version');
  let seen = version.get()?.['data_version'];
  return {
    dialect: new EmbeddedDialect(database),
    changedElsewhere: () => {
      const now = version.get()?.['data_version'];
      const changed = now !== seen;
      seen = now;
      return changed;
    },
  };
}

/**
 * Makes a new database's file 0600: private skins are in it, whoever may read the folder. One that is there
 * is left alone: closing another descriptor of it would drop the locks this process holds on it (POSIX).
 */
function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

class EmbeddedDialect implements Dialect {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  createDriver(): Driver {
    return new ImmediateDriver({ database: new PreparedDatabase(this.#database) });
  }
  createQueryCompiler(): SqliteQueryCompiler {
    return new SqliteQueryCompiler();
  }
  createAdapter(): SqliteAdapter {
    return new EmbeddedAdapter();
  }
  createIntrospector(db: Kysely<unknown>): SqliteIntrospector {
    return new SqliteIntrospector(db);
  }
}

class EmbeddedAdapter extends SqliteAdapter implements KeepsCompiled {
  readonly compiled: KeepsCompiled['compiled'] = new Map();
}

/**
 * Transactions take the write lock at once. A deferred one that reads and then writes fails with
 * "database is locked" when another process wrote in between, however long the busy timeout is.
 */
class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** A full disk makes SQLite roll back by itself; a second time fails and would hide the reason. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.rollbackTransaction(connection);
    } catch (error) {
      if (!String(error).includes('no transaction is active')) throw error;
    }
  }
}

/** node:sqlite in the shape Kysely's driver asks for, with prepared statements kept. */
class PreparedDatabase implements SqliteDatabase {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  prepare(sql: string): SqliteStatement {
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
  statement.setReturnArrays(true); // objects of ours take less time to make, and to read
  let names = columnsOf(statement);
  return {
    reader: names.length > 0,
    all: (parameters) => {
      const rows = statement.all(...values(parameters)) as unknown as unknown[][];
      // A newer process that brought the schema up to date meanwhile may have added a column.
      if (rows[0] && rows[0].length !== names.length) names = columnsOf(statement);
      return asObjects(rows, names);
    },
    run: (parameters) => statement.run(...values(parameters)),
    iterate: (parameters) => statement.iterate(...values(parameters)),
  };
}

function columnsOf(statement: StatementSync): string[] {
  return statement.columns().map(({ name }) => name);
}

function asObjects(rows: readonly unknown[][], names: readonly string[]): Record<string, unknown>[] {
  return rows.map((row) => {
    const object: Record<string, unknown> = {};
    for (let at = 0; at < names.length; at++) object[names[at]!] = row[at];
    return object;
  });
}
