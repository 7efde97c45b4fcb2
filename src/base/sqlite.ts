import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/** SQLite's primary result codes that we distinguish (https://www.sqlite.org/rescode.html). */
export const SQLITE = {
  error: 1,
  busy: 5,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  notADatabase: 26,
} as const;

/** SQLite's primary result code in an error of node:sqlite; NaN for other errors. */
export function sqliteCode(error: unknown): number {
  const { errcode } = (error ?? {}) as { errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : Number.NaN;
}

/** Whether another process keeps the database locked. */
export function isSqliteBusy(error: unknown): boolean {
  return sqliteCode(error) === SQLITE.busy;
}

/** Whether the file is damaged, or not a database at all. */
export function isDamagedDatabase(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === SQLITE.corrupt || code === SQLITE.notADatabase;
}

type Sqlite = typeof import('node:sqlite');

let loaded: Promise<Sqlite> | undefined;

/** SQLite as a part of Node. */
export async function importSqlite(): Promise<Sqlite> {
  loaded ??= importQuietly(); // once: a second concurrent call would restore the wrong warning function
  return await loaded;
}

/** Node 22 prints a warning about node:sqlite being experimental; users can do nothing about it. */
async function importQuietly(): Promise<Sqlite> {
  const emitWarning = process.emitWarning;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (String(warning).includes('SQLite')) return;
    Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    return await import('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

const BUSY_PAUSE = 20;
const MAX_ATTEMPTS = 500;

/**
 * Switches a database to write-ahead logging, which several processes may use at once. While another process creates
 * or switches the same file, SQLite refuses this at once, whatever the busy timeout: so it is tried again for 10 s.
 * @throws Error of node:sqlite
 */
export async function switchToWal(database: DatabaseSync): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isSqliteBusy(error) || attempt === MAX_ATTEMPTS) throw error;
      await sleep(BUSY_PAUSE);
    }
  }
}
