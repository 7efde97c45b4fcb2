import type { Kysely, SelectQueryBuilder } from 'kysely';
import { isConflict } from './conflicts.ts';
import type { KnownSchema } from './known-schema.ts';
import type { KeyOwnerCache, NotedUsage } from './memory.ts';
import type { Tables } from './schema/tables.ts';

/** Which database keeps a store. */
export type StoreKind = 'sqlite' | 'postgres';

/** What the databases call the types of columns that have different names in each. */
export interface ColumnTypes {
  readonly text: string;
  readonly bytes: string;
  readonly real: string;
  /** The number of a row. */
  readonly rowNumber: string;
  /** Follows the type of a primary key that numbers rows in the order of their insertion. */
  readonly numbered: string;
}

/** What differs between SQLite and PostgreSQL, and what a process keeps in memory beside its store. */
export interface Store {
  readonly kind: StoreKind;
  /** Whether processes on several machines may use it. */
  readonly isShared: boolean;
  readonly columnTypes: ColumnTypes;
  readonly schema: KnownSchema;
  readonly keyOwners: KeyOwnerCache;
  readonly usage: NotedUsage;
  /** Runs a statement that keeps other transactions waiting, where they run side by side. */
  lock(statement: () => Promise<unknown>): Promise<void>;
  /** Milliseconds after which a statement of this transaction fails that waits for a lock. */
  limitLockWaits(tx: Db, milliseconds: number): Promise<void>;
  /** Locks the rows that a query of a transaction reads, without those that another transaction has locked. */
  withFreeRows<T extends keyof Tables, Row>(
    query: SelectQueryBuilder<Tables, T, Row>,
  ): SelectQueryBuilder<Tables, T, Row>;
}

/** A handle for reading and writing: the store itself or a transaction on it. */
export type Db = Kysely<Tables> & { readonly store: Store };

export function dbOf(queries: Kysely<Tables>, store: Store): Db {
  return Object.assign(queries, { store });
}

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
      return await db.transaction().execute(async (tx) => await work(dbOf(tx, db.store)));
    } catch (error) {
      if (tries === mostTries || !isConflict(error)) throw error;
    }
  }
}
