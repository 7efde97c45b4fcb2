import {
  type Compilable,
  CompiledQuery,
  type InsertObject,
  type Kysely,
  type QueryResult,
  type SelectQueryBuilder,
  sql,
} from 'kysely';
import type { HealthFinding } from '../../protocol/service.ts';
import { isConflict } from './failures.ts';
import { type ApiKeyRow, PENDING, type SkinViewRow, type Tables, type UserRow } from './schema/tables.ts';

/** A newer version wrote this store; this one cannot open it. */
export class StoreTooNewError extends Error {
  override readonly name = 'StoreTooNewError';
  readonly code = 'store_too_new';
  /** For the person who starts the program. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** The lowest schema that a program must know to use the store, as an SQL expression for both databases. */
export const OLDEST_READER = `coalesce((select value from meta where key = 'oldest-reader'),
  (select value from meta where key = 'schema'))`;

/**
 * The schema that this program knows. A newer program may change the store at any time. Once this one can no longer
 * use it, it reads and writes nothing any more, as if it had been killed.
 */
export class KnownSchema {
  readonly #newest: number;
  #needed = 0;

  constructor(newest: number) {
    this.#newest = newest;
  }

  /** @param oldestReader the store's current value of `OLDEST_READER`; the highest value stays in force */
  learn(oldestReader: unknown): void {
    this.#needed = Math.max(this.#needed, Number(oldestReader ?? 0));
  }

  /** Undefined while this program may use the store. */
  get fault(): StoreTooNewError | undefined {
    if (this.#needed <= this.#newest) return undefined;
    return new StoreTooNewError(
      `A newer skinsmith has changed the store (it needs schema ${this.#needed}, and this version knows ${this.#newest}). Restart the service with the newer version.`,
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

/** Maximum number of keys to remember; beyond that, all are forgotten. */
const MANY_KEYS = 10_000;

/** Keys with their owners by hash, kept until this process changes one of them or another node writes anything. */
export class KeyOwnerCache {
  readonly #versionOfOthers: () => unknown;
  #owners = new Map<string, KeyOwner>();
  #version: unknown;

  /**
   * @param versionOfOthers changes when another node has, or may have, written: SQLite notices each write; reads from
   *   PostgreSQL are kept only briefly
   */
  constructor(versionOfOthers: () => unknown) {
    this.#versionOfOthers = versionOfOthers;
    this.#version = versionOfOthers();
  }

  async find(hash: string, read: () => Promise<KeyOwner | undefined>): Promise<KeyOwner | undefined> {
    this.#forgetIfOutdated();
    const kept = this.#owners.get(hash);
    if (kept) return kept;
    const owners = this.#owners;
    const found = await read();
    // If something changed during the read, the cache has a new map by now.
    if (found) owners.set(hash, found);
    return found;
  }

  /** Call after each change of a key or user. */
  forget(): void {
    this.#owners = new Map();
  }

  #forgetIfOutdated(): void {
    const version = this.#versionOfOthers();
    if (version === this.#version && this.#owners.size < MANY_KEYS) return;
    this.#version = version;
    this.forget();
  }
}

/** Milliseconds between updates of a key's last use, which is only for information. */
const LAST_USED_STEP = 60_000;

/** Usage to write. */
export interface Usage {
  /** The last use of each of these keys. */
  readonly used: ReadonlyMap<string, number>;
  readonly generations: ReadonlyMap<string, number>;
  readonly views: readonly SkinViewRow[];
}

/**
 * Counts whose loss does no harm: the last uses of keys, their generations, and the views of skins. They are written
 * together (usage.ts).
 */
export class NotedUsage {
  readonly #lastUsed = new Map<string, number>();
  #used = new Map<string, number>();
  #generations = new Map<string, number>();
  #views = new Map<string, SkinViewRow>();
  /** The timer of the next write. */
  timer: NodeJS.Timeout | undefined;
  /** Resolves when all writes that have begun are over, successful or not. */
  underWay: Promise<unknown> = Promise.resolve();

  get size(): number {
    return this.#used.size + this.#generations.size + this.#views.size;
  }

  /** Returns whether the use counts, because it is not too soon after the last one. */
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

  /** Returns the noted usage and clears it. */
  take(): Usage {
    const usage = { used: this.#used, generations: this.#generations, views: [...this.#views.values()] };
    this.#used = new Map();
    this.#generations = new Map();
    this.#views = new Map();
    return usage;
  }
}

/** The kind of database of a store. */
export type StoreKind = 'sqlite' | 'postgres';

/** Column types whose names differ between the databases. */
export interface ColumnTypes {
  readonly text: string;
  readonly bytes: string;
  readonly real: string;
  /** The number of a row. */
  readonly rowNumber: string;
  /** The suffix of a primary key's type that numbers rows in insertion order. */
  readonly numbered: string;
}

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

/** Whether a query finds anything. */
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

/*
 * SQLite has one writer at a time, so a transaction is alone. In PostgreSQL, transactions run concurrently, and what
 * one has read may have changed before it writes. So each locks the rows of its decision before it reads them, always
 * in this order, so that no two wait for each other: management, the owner, the owner of a shared limit, the queue.
 */

/** Arbitrary numbers that no other program on the same database is likely to lock. */
const MANAGEMENT = 7_546_020;
const SCHEMA = 7_546_021;

/**
 * Makes other transactions wait that change users, keys, sessions, capes, accounts, or the visibility of skins. They
 * are rare enough to run one after the other.
 */
export async function lockManagement(tx: Db): Promise<void> {
  await tx.store.lock(() => sql`select pg_advisory_xact_lock(${sql.lit(MANAGEMENT)})`.execute(tx));
}

/** Runs `work` as `inTransaction` does, alone among such transactions. */
export async function inManagement<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  return await inTransaction(db, async (tx) => {
    await lockManagement(tx);
    return await work(tx);
  });
}

/**
 * Makes others that change tables wait until this transaction ends. Does not lock a row, because a transaction that
 * uses a table for which this one waits would wait for that row.
 */
export async function lockSchema(tx: Db): Promise<void> {
  await tx.store.lock(() => sql`select pg_advisory_xact_lock(${sql.lit(SCHEMA)})`.execute(tx));
}

const NEVER = { turn: 0, spent_at: 0, generated_at: 0, minute: '[]', hour: '[]' } as const;

/** Makes other transactions wait that decide on this owner's jobs, skins or limits. */
export async function lockOwner(tx: Db, owner: string): Promise<void> {
  await tx.store.lock(() =>
    tx
      .insertInto('callers')
      .values({ owner, ...NEVER })
      .onConflict((conflict) => conflict.column('owner').doUpdateSet({ owner }))
      .execute(),
  );
}

/** Locks the owner of a job. */
export async function lockOwnerOfJob(tx: Db, jobUuid: string): Promise<void> {
  await tx.store.lock(() =>
    tx
      .selectFrom('callers')
      .select('owner')
      .where('owner', '=', (eb) =>
        eb.selectFrom('jobs').select('jobs.owner').where('jobs.uuid', '=', jobUuid),
      )
      .forUpdate()
      .execute(),
  );
}

/** Makes other transactions wait that decide on the jobs of all owners. */
export async function lockQueue(tx: Db): Promise<void> {
  await tx.store.lock(() => tx.selectFrom('queue_clock').select('id').forUpdate().execute());
}

/**
 * Like `lockOwner`, for an owner who is about to get another job, with the maximum of its jobs to process at once. A
 * higher limit of earlier jobs stays valid until they have ended.
 */
export async function lockSubmitter(tx: Db, owner: string, most: number): Promise<void> {
  await tx.store.lock(() =>
    sql`
      insert into callers (owner, turn, spent_at, generated_at, minute, hour, burst)
      values (${owner}, 0, 0, 0, '[]', '[]', ${most})
      on conflict (owner) do update set burst = greatest(excluded.burst, callers.processing,
        case when exists (select 1 from jobs where jobs.owner = excluded.owner and ${PENDING})
          then callers.burst else 0 end)`.execute(tx),
  );
}

/** Stands for a value while a query is built. */
class Place {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** `literals` become part of the text: SQLite uses no partial index for a parameter. */
type Build<Values, Row> = (db: Db, values: Values, ...literals: string[]) => Compilable<Row>;

/**
 * A query for which SQL is made once, for those that every skin needs: building one takes several times as long as SQLite
 * takes to run it. Its form may depend on the kind of database, on the literals, and on which values there are.
 */
export class PreparedQuery<Values extends object, Row> {
  readonly #build: Build<Values, Row>;

  constructor(build: Build<Values, Row>) {
    this.#build = build;
  }

  async run(db: Db, values: Values, ...literals: string[]): Promise<QueryResult<Row>> {
    const { sql, parameters } = this.#compiled(db, values, literals);
    const given = values as Readonly<Record<string, unknown>>;
    const bound = parameters.map((one) => (one instanceof Place ? given[one.name] : one));
    return await db.executeQuery<Row>(CompiledQuery.raw(sql, bound));
  }

  async all(db: Db, values: Values, ...literals: string[]): Promise<Row[]> {
    return (await this.run(db, values, ...literals)).rows;
  }

  async first(db: Db, values: Values, ...literals: string[]): Promise<Row | undefined> {
    return (await this.run(db, values, ...literals)).rows[0];
  }

  #compiled(db: Db, values: Values, literals: readonly string[]): CompiledQuery {
    const forms = this.#formsOf(db);
    let form = literals.join();
    for (const [name, value] of Object.entries(values)) if (!isAbsent(value)) form += ` ${name}`;
    const known = forms.get(form);
    if (known) return known;
    const made = this.#build(db, withPlaces(values), ...literals).compile();
    forms.set(form, made);
    return made;
  }

  #formsOf({ store: { preparedTexts } }: Db): Map<string, CompiledQuery> {
    const known = preparedTexts.get(this.#build);
    if (known) return known;
    const forms = new Map<string, CompiledQuery>();
    preparedTexts.set(this.#build, forms);
    return forms;
  }
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined;
}

function withPlaces<Values extends object>(values: Values): Values {
  const places = Object.entries(values).map(([name, value]) => [
    name,
    isAbsent(value) ? value : new Place(name),
  ]);
  return Object.fromEntries(places) as Values;
}
