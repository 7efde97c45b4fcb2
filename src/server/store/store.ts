import { join } from 'node:path';
import { Kysely } from 'kysely';
import { migrate } from './migrate.ts';
import { openSqliteFile } from './sqlite.ts';
import type { Tables } from './tables.ts';

/** A handle to read and write with: the store itself or a transaction on it. */
export type Db = Kysely<Tables>;

export interface Store {
  readonly db: Db;
  /** Whether another process has written since this was last asked. */
  changedElsewhere(): boolean;
  close(): Promise<void>;
}

/**
 * Opens the store in a data folder, bringing its schema up to date.
 * @throws StoreTooNewError when a newer skinsmith wrote it
 */
export async function openStore(dataDir: string): Promise<Store> {
  const file = await openSqliteFile(join(dataDir, 'skinsmith.db'));
  const db = new Kysely<Tables>({ dialect: file.dialect });
  try {
    await migrate(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return { db, changedElsewhere: file.changedElsewhere, close: () => db.destroy() };
}

/** Runs `work` in one transaction: all of it happens, or nothing. Nested calls join the outer one. */
export async function inTransaction<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  return db.isTransaction ? await work(db) : await db.transaction().execute(work);
}
