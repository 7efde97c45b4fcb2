import type { Kysely } from 'kysely';
import type { Tables } from './schema/tables.ts';

/** A handle for reading and writing: the store itself or a transaction on it. */
export type Db = Kysely<Tables>;

/** Runs `work` in one transaction: either all of it takes effect, or nothing. Nested calls join the outer one. */
export async function inTransaction<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  return db.isTransaction ? await work(db) : await db.transaction().execute(work);
}
