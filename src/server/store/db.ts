import type { CompiledQuery, Kysely, SelectQueryBuilder } from 'kysely';
import { isConflict } from './failures.ts';
import type { ApiKeyRow, SkinViewRow, Tables, UserRow } from './schema/tables.ts';

/** A newer version wrote this store; this one cannot open it. */
export class StoreTooNewError extends Error {
  override readonly name = 'StoreTooNewError';
  readonly code = 'store_too_new';
  /** For the person who starts a program. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** A development version wrote the store, before 0.1.0: no release reads it. */
export class StoreTooOldError extends Error {
  override readonly name = 'StoreTooOldError';
  readonly code = 'store_too_old';
  readonly hint: string;

  /** `other`: how to name another store. */
  constructor(schema: number, other: string) {
    super(
      `The data was written by a development version of skinsmith before 0.1.0 (schema ${schema}), which no release can read.`,
    );
    this.hint = `To start anew, ${other}`;
  }
}

/** The schema that a program must know at least to use the store: an expression of SQL, for both databases. */
export const OLDEST_READER = `coalesce((select value from meta where key = 'oldest-reader'),
  (select value from meta where key = 'schema'))`;

/**
 * The schema that this program knows. A newer program may change the store at any time; once it is known that it has left
 * no room for this one, nothing is read or written any more: to others it is as if this process had been killed.
 */
export class KnownSchema {
  readonly #newest: number;
  #needed = 0;

  constructor(newest: number) {
    this.#newest = newest;
  }

  /** @param oldestReader what the store says now (`OLDEST_READER`); what it has said once stays in force */
  learn(oldestReader: unknown): void {
    this.#needed = Math.max(this.#needed, Number(oldestReader ?? 0));
  }

  /** Undefined while this program may use the store. */
  get fault(): StoreTooNewError | undefined {
    if (this.#needed <= this.#newest) return undefined;
    return new StoreTooNewError(
      `A newer skinsmith has changed the store (a program must know schema ${this.#needed}, this one knows ${this.#newest}). Restart the service with the newer version.`,
    );
  }

  /** @throws StoreTooNewError */
  verify(): void {
    if (this.#needed > this.#newest) throw this.fault;
  }
}

/** For programs that only inspect a store, whatever its version. */
export const ANY_SCHEMA = new KnownSchema(Number.POSITIVE_INFINITY);

export interface KeyOwner {
  readonly key: ApiKeyRow;
  readonly user: UserRow;
}

/**
 * Tells whether earlier reads may be out of date: SQLite notices each write, and PostgreSQL's answers are kept only
 * briefly.
 */
export interface ForeignWrites {
  /** Another value when another node has written in the meantime, or may have. */
  version(): unknown;
}

/** Maximum number of keys that are remembered; with more, all are forgotten. */
const MANY_KEYS = 10_000;

/** Keys with their owners, by hash, until this process changes one of them or another node writes anything. */
export class KeyOwnerCache {
  readonly #others: ForeignWrites;
  #owners = new Map<string, KeyOwner>();
  #version: unknown;

  constructor(others: ForeignWrites) {
    this.#others = others;
    this.#version = others.version();
  }

  async find(hash: string, read: () => Promise<KeyOwner | undefined>): Promise<KeyOwner | undefined> {
    this.#forgetIfOutdated();
    const kept = this.#owners.get(hash);
    if (kept) return kept;
    const owners = this.#owners;
    const found = await read();
    // What was changed during the read is in another map by now.
    if (found) owners.set(hash, found);
    return found;
  }

  /** Call after each change of a key or user. */
  forget(): void {
    this.#owners = new Map();
  }

  #forgetIfOutdated(): void {
    const version = this.#others.version();
    if (version === this.#version && this.#owners.size < MANY_KEYS) return;
    this.#version = version;
    this.forget();
  }
}

/** The last use of a key is for information, not a log: it is noted at most once in this many ms. */
const LAST_USED_STEP = 60_000;

/** Usage that is not written yet. */
export interface Usage {
  /** When each of these keys was used last. */
  readonly used: ReadonlyMap<string, number>;
  readonly generations: ReadonlyMap<string, number>;
  readonly views: readonly SkinViewRow[];
}

/**
 * Counts whose loss does no harm: the last uses of keys, the generations asked for with them, and the views of skins.
 * They are written together (usage.ts).
 */
export class NotedUsage {
  readonly #lastUsed = new Map<string, number>();
  #used = new Map<string, number>();
  #generations = new Map<string, number>();
  #views = new Map<string, SkinViewRow>();
  /** Until the next write. */
  timer: NodeJS.Timeout | undefined;
  /** Resolves when all writes that have begun are over, whatever came of them. */
  underWay: Promise<unknown> = Promise.resolve();

  get size(): number {
    return this.#used.size + this.#generations.size + this.#views.size;
  }

  /** Returns whether the use counts: it is not so soon after the last one. */
  useKey(key: Pick<ApiKeyRow, 'id' | 'last_used_at'>, now: number): boolean {
    const last = this.#lastUsed.get(key.id) ?? key.last_used_at;
    if (last !== null && now - last < LAST_USED_STEP) return false;
    if (this.#lastUsed.size >= MANY_KEYS) this.#lastUsed.clear();
    this.#lastUsed.set(key.id, now);
    this.#used.set(key.id, now);
    return true;
  }

  countGeneration(keyId: string): void {
    this.#generations.set(keyId, (this.#generations.get(keyId) ?? 0) + 1);
  }

  /** A second view by the same viewer in the same hour does not count. */
  view(view: SkinViewRow): void {
    this.#views.set(JSON.stringify([view.skin_id, view.viewer, view.hour]), view);
  }

  /** Hands over what is noted, once. */
  take(): Usage {
    const usage = { used: this.#used, generations: this.#generations, views: [...this.#views.values()] };
    this.#used = new Map();
    this.#generations = new Map();
    this.#views = new Map();
    return usage;
  }
}

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

/** SQL of prepared queries (prepared.ts), by the query and by what its form depends on. */
export type PreparedTexts = Map<unknown, Map<string, CompiledQuery>>;

/** What differs between SQLite and PostgreSQL, and what a process keeps in memory beside its store. */
export interface Store {
  readonly kind: StoreKind;
  /** Whether processes on several machines may use it. */
  readonly isShared: boolean;
  readonly columnTypes: ColumnTypes;
  readonly schema: KnownSchema;
  readonly keyOwners: KeyOwnerCache;
  readonly usage: NotedUsage;
  readonly preparedTexts: PreparedTexts;
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
const MAX_TRIES = 5;

/**
 * Runs `work` in one transaction: either all of it takes effect, or nothing. Nested calls join the outer one. On
 * PostgreSQL `work` may run several times: transactions of others run at the same time and may undo it.
 * @param mostTries how often it may run
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
