import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { makeFolder } from '../base/files.ts';
import { importSqlite, SQLITE, sqliteCode, switchToWal } from '../base/sqlite.ts';

/** Milliseconds that a process waits for others' write transactions. */
const BUSY = 5_000;
/** Version of the file format: programs with different versions do not share. */
const FILE = 'queue-2.db';

const SCHEMA = `
  create table if not exists peers (
    name text primary key, host text not null, pid integer not null, touched real not null,
    wants integer not null, unsure integer not null, jobs text not null, typical real
  ) strict;
  create table if not exists works (key text primary key, peer text not null, job text, at real not null) strict;
  create table if not exists looks (
    id integer primary key check (id = 1), peer text not null, asked_at real not null, body text not null,
    until real not null, spent real not null
  ) strict;
  create table if not exists windows (
    span real primary key, allowed real not null, left_over real not null, ends_at real not null
  ) strict;
  insert or ignore into looks (id, peer, asked_at, body, until, spent)
    values (1, '', 0, '{"jobs":[],"links":{}}', 0, 0);
`;

/** What a transaction reads and writes the file with. */
export type QueueDb = Pick<DatabaseSync, 'exec' | 'prepare'>;

/** Keeps its statements prepared: a batch runs the same few with each request. */
class PreparedDb implements QueueDb {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  prepare(sql: string): StatementSync {
    const kept = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, kept);
    return kept;
  }

  close(): void {
    this.#db.close();
  }
}

/**
 * The file that processes of one caller share. Its content matters only while they run, so a damaged file is
 * replaced, and a process that cannot use it continues as if it were alone.
 */
export class QueueFile {
  #db: PreparedDb | undefined;
  readonly #onBroken: (why: string) => void;

  /** `onBroken`: called once, when sharing becomes impossible. */
  static async open(folder: string, onBroken: (why: string) => void): Promise<QueueFile> {
    const file = new QueueFile(onBroken);
    try {
      makeFolder(folder, 0o700);
      const { DatabaseSync } = await importSqlite();
      file.#db = new PreparedDb(await openOrReplace(DatabaseSync, join(folder, FILE)));
    } catch (error) {
      file.#broke(error);
    }
    return file;
  }

  private constructor(onBroken: (why: string) => void) {
    this.#onBroken = onBroken;
  }

  /** Runs `act` in one transaction. `alone`: the result if nothing is shared. */
  transact<T>(act: (db: QueueDb) => T, alone: T): T {
    const db = this.#db;
    if (!db) return alone;
    try {
      db.exec('begin immediate');
      const result = act(db);
      db.exec('commit');
      return result;
    } catch (error) {
      this.#broke(error);
      return alone;
    }
  }

  /** A number that changes when another process has written something. */
  get version(): number {
    if (!this.#db) return 0;
    try {
      return Number(this.#db.prepare('pragma data_version').get()?.['data_version']);
    } catch (error) {
      this.#broke(error);
      return 0;
    }
  }

  close(): void {
    const db = this.#db;
    this.#db = undefined;
    try {
      db?.close();
    } catch {
      // Its content is no longer needed.
    }
  }

  #broke(error: unknown): void {
    this.close();
    this.#onBroken((error as Error).message);
  }
}

type Database = typeof DatabaseSync;

/** Another process may have replaced a damaged file already, so retry once before removing it. */
async function openOrReplace(Database: Database, path: string): Promise<DatabaseSync> {
  for (let tries = 0; ; tries++) {
    try {
      return await openSound(Database, path);
    } catch (error) {
      if (tries === 2 || !DAMAGE.has(sqliteCode(error))) throw error;
      if (tries === 1) for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    }
  }
}

/** SQLite's codes for a damaged file, a file that is not a database, and an unexpected table layout. */
const DAMAGE = new Set<number>([SQLITE.error, SQLITE.corrupt, SQLITE.notADatabase]);

async function openSound(Database: Database, path: string): Promise<DatabaseSync> {
  const db = new Database(path);
  try {
    db.exec(`pragma busy_timeout = ${BUSY}; pragma synchronous = off`);
    await switchToWal(db);
    db.exec(SCHEMA); // names all columns of `looks`
    db.prepare('select name, host, pid, touched, wants, unsure, jobs, typical from peers').all();
    db.prepare('select span, allowed, left_over, ends_at from windows').get();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
