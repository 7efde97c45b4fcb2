import type { Kysely } from 'kysely';
import { isConflict } from './conflicts.ts';
import type { Tables } from './schema/tables.ts';

/** A handle for reading and writing: the store itself or a transaction on it. */
export type Db = Kysely<Tables>;

/** How often a transaction is tried that conflicts with others on PostgreSQL. */
const MOST_TRIES = 5;

/**
 * Runs `work` in one transaction: either all of it takes effect, or nothing. Nested calls join the outer one. On
 * PostgreSQL `work` may run several times: transactions of others run at the same time and may undo it.
 * @param mostTries how often it may run
 */
export async function inTransaction<T>(
  db: Db,
  work: (tx: Db) => Promise<T>,
  mostTries = MOST_TRIES,
): Promise<T> {
  if (db.isTransaction) return await work(db);
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (tries === mostTries || !isConflict(error)) throw error;
    }
  }
}
