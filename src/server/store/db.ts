import type { CompiledQuery, InsertObject, Kysely, SelectQueryBuilder } from 'kysely';
import type { HealthFinding } from '../../protocol/service.ts';
import { isConflict } from './failures.ts';
import type { KeyOwnerCache, KnownSchema, NotedUsage } from './process-memory.ts';
import type { ColumnTypes } from './schema/columns.ts';
import type { Tables } from './schema/tables.ts';

export type StoreKind = 'sqlite' | 'postgres';

/** SQL of prepared queries, by the query and by what its form depends on. */
export type PreparedTexts = Map<unknown, Map<string, CompiledQuery>>;

/** The differences between SQLite and PostgreSQL, and a process's memory beside its store. */
export interface Store {
  readonly kind: StoreKind;
  /** Whether processes on several machines may use it. */
  readonly isShared: boolean;
  readonly columnTypes: ColumnTypes;
  readonly schema: KnownSchema;
  readonly keyOwners: KeyOwnerCache;
  readonly usage: NotedUsage;
  readonly preparedTexts: PreparedTexts;
  /** Runs `work` as `inTransaction` does, perhaps with other works in the same transaction. It may run twice. */
  commit<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T>;
  /** The same for work that changes something by one statement, which needs no transaction of its own. */
  commitOne<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T>;
  /** Runs a locking statement, if transactions run concurrently. */
  lock(statement: () => Promise<unknown>): Promise<void>;
  /** Sets the milliseconds after which statements of this transaction fail if they wait for a lock. */
  limitLockWaits(tx: Db, milliseconds: number): Promise<void>;
  /** Locks the rows that a transaction's query reads, and skips those that another transaction has locked. */
  withFreeRows<T extends keyof Tables, Row>(
    query: SelectQueryBuilder<Tables, T, Row>,
  ): SelectQueryBuilder<Tables, T, Row>;
}

/** A handle for reading and writing: the store itself or a transaction on it. */
export type Db = Kysely<Tables> & { readonly store: Store };

export function dbOf(queries: Kysely<Tables>, store: Store): Db {
  return Object.assign(queries, { store });
}

/** Attempts at a transaction that conflicts with others on PostgreSQL. */
const MAX_TRIES = 5;

/**
 * Runs `work` in one transaction: either all of it takes effect, or nothing. Nested calls join the outer one. On
 * PostgreSQL, `work` may run several times, because concurrent transactions may undo it.
 * @param mostTries maximum number of runs
 */
export async function inTransaction<T>(
  db: Db,
  work: (tx: Db) => Promise<T>,
  mostTries = MAX_TRIES,
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

/** The number of rows that a query finds, which selects nothing yet. */
export async function countRows<DB, Table extends keyof DB>(
  query: SelectQueryBuilder<DB, Table, object>,
): Promise<number> {
  const counted = query.select((eb) => eb.fn.countAll<number>().as('count'));
  const { count } = (await counted.executeTakeFirstOrThrow()) as { readonly count: number };
  return Number(count);
}

/** The same, up to `most`. */
export async function countUpTo<Table extends keyof Tables>(
  db: Db,
  query: SelectQueryBuilder<Tables, Table, object>,
  most: number,
): Promise<number> {
  return await countRows(db.selectFrom(query.limit(most).as('some')));
}

/** Maximum number of rows to count for a list. */
const MAX_COUNTED = 10_000;

/** The same for a list; undefined: too many to count on each request. */
export async function countForList<Table extends keyof Tables>(
  db: Db,
  query: SelectQueryBuilder<Tables, Table, object>,
): Promise<number | undefined> {
  const count = await countUpTo(db, query, MAX_COUNTED + 1);
  return count > MAX_COUNTED ? undefined : count;
}

export async function exists(query: { executeTakeFirst(): Promise<unknown> }): Promise<boolean> {
  return (await query.executeTakeFirst()) !== undefined;
}

interface Written {
  readonly numUpdatedRows?: bigint;
  readonly numDeletedRows?: bigint;
  readonly numInsertedOrUpdatedRows?: bigint | undefined;
}

/** Whether a statement has changed, deleted or added a row. */
export async function hasEffect(statement: {
  executeTakeFirst(): Promise<Written | undefined>;
}): Promise<boolean> {
  const { numUpdatedRows, numDeletedRows, numInsertedOrUpdatedRows } =
    (await statement.executeTakeFirst()) ?? {};
  return (numUpdatedRows ?? numDeletedRows ?? numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Adds a row, unless one with the same unique values exists. @returns whether it was added */
export async function insertNew<Table extends keyof Tables>(
  db: Db,
  table: Table,
  row: InsertObject<Tables, Table>,
): Promise<boolean> {
  return await hasEffect(
    db
      .insertInto(table)
      .values(row)
      .onConflict((conflict) => conflict.doNothing()),
  );
}

export interface StoreConnections {
  readonly busy: number;
  readonly idle: number;
  /** Maximum number of connections. */
  readonly most: number;
  /** Requests waiting for a connection. */
  readonly waiting: number;
  /** Milliseconds for which some have been waiting without a break. */
  readonly waitingFor: number;
  /** Whether notifications of other nodes arrive. */
  readonly isListening: boolean;
}

/** Sends short texts between the processes that use the same store, at once but unreliably. */
export interface Notifier {
  /** Sends a text of at most `LONGEST_NOTIFICATION` bytes to all others. */
  notify(text: string): void;
  /** Calls back with the texts of others. */
  onNotification(listener: (text: string) => void): void;
}

/** Bytes. */
export const LONGEST_NOTIFICATION = 7_000;

/** A store that this process has opened. */
export interface OpenStore {
  readonly db: Db;
  /** Set if processes cannot watch the store itself. */
  readonly notifier?: Notifier;
  /** Whether another process has written since the last call. */
  changedByOthers(): boolean;
  /** This process's connections to the store; undefined: it is a file. */
  connections?(): StoreConnections;
  /** Findings about the database besides its schema. */
  examine(): Promise<HealthFinding[]>;
  /** Bytes in use. */
  usedBytes(): number;
  /**
   * Whether the store's files were removed or replaced. Once a check finds that, nothing is read or written any more.
   */
  isReplaced(): boolean;
  close(): Promise<void>;
}
