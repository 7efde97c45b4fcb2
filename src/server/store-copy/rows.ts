import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Db, StoreKind } from '../store/db.ts';
import { PENDING, PROCESSING, type Tables } from '../store/schema/tables.ts';

/** A store that is open for a copy. */
export interface OpenPlace {
  readonly db: Db;
  close(): Promise<void>;
}

export type StoreCopyErrorCode =
  | 'no_data'
  | 'store_not_empty'
  | 'store_in_use'
  | 'store_other_version'
  | 'store_too_old'
  | 'copy_differs';

/** Why nothing, or not everything, was copied. `message` and `hint` are for the operator's eyes. */
export class StoreCopyError extends Error {
  override readonly name = 'StoreCopyError';
  readonly code: StoreCopyErrorCode;
  readonly hint: string | undefined;

  constructor(code: StoreCopyErrorCode, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

export type TableName = keyof Tables;

/**
 * What identifies the rows of each table; a table comes after those that its rows refer to. `false`: it is about the
 * processes that use the store, and not copied.
 */
const KEYS = {
  meta: ['key'],
  users: ['id'],
  api_keys: ['id'],
  identities: ['issuer', 'subject'],
  first_sign_ins: ['hash'],
  sessions: ['id'],
  sign_in_links: ['hash'],
  textures: ['hash'],
  texture_data: ['identity'],
  skins: ['id'],
  skin_words: ['word', 'skin_id'],
  skin_views: ['skin_id', 'viewer', 'hour'],
  capes: ['uuid'],
  players: ['id'],
  jobs: ['id'],
  idempotency_keys: ['owner', 'key'],
  callbacks: ['id'],
  callers: ['owner'],
  queue_clock: ['id'],
  upstream_jobs: ['identity'],
  game_accounts: ['uuid'],
  reports: ['id'],
  blocked_images: ['hash'],
  operator_log: ['id'],
  nodes: false,
  chores: false,
} as const satisfies { readonly [Name in TableName]: readonly (keyof Tables[Name])[] | false };

/** Those whose rows have numbers in the order of their insertion: the next one must not have a number again. */
export const NUMBERED = [
  'skins',
  'jobs',
  'callbacks',
  'reports',
  'operator_log',
] as const satisfies TableName[];

/** Facts that are about one store, and not about what is in it. */
export const OWN_FACTS = ['schema', 'oldest-reader', 'copying-from', 'address-key', 'local-url'] as const;

/** Counts of jobs in progress that the triggers of PostgreSQL keep. */
export const COUNTED_COLUMNS: readonly string[] = ['processing', 'burst'];

/** A table and what identifies its rows. */
export interface CopiedTable {
  readonly name: TableName;
  readonly key: readonly string[];
}

/** Those that are copied, in this order. */
export const COPIED: readonly CopiedTable[] = Object.entries(KEYS).flatMap(([name, key]) =>
  key === false ? [] : [{ name: name as TableName, key }],
);

/** A value as both databases have it. */
export type Value = string | number | Uint8Array | null;
export type CopiedRow = Readonly<Record<string, Value>>;
export type Key = readonly Value[];

/** Rows read at one time: as many values as a statement of SQLite may have, for the widest table. */
export const ROWS_AT_ONCE = 500;

/** A table with the columns that are copied, in alphabetical order. */
export interface ReadTable extends CopiedTable {
  readonly columns: readonly string[];
}

/** The columns as this store has them. */
export async function withColumns(db: Db, tables: readonly CopiedTable[]): Promise<ReadTable[]> {
  const found = await db.introspection.getTables();
  return tables.map((table) => {
    const columns = found.find(({ name }) => name === table.name)?.columns.map(({ name }) => name) ?? [];
    const counted = table.name === 'callers' ? COUNTED_COLUMNS : [];
    return { ...table, columns: columns.filter((name) => !counted.includes(name)).toSorted() };
  });
}

/** From after one key up to another, this one included; without one: from the start, to the end. */
interface Range {
  readonly after?: Key | undefined;
  readonly upTo?: Key | undefined;
}

/** The first rows of a range by their keys, `most` of them. */
export async function readRows(
  db: Db,
  table: ReadTable,
  { after, upTo, most }: Range & { readonly most?: number },
): Promise<CopiedRow[]> {
  const limit = most === undefined ? sql`` : sql` limit ${most}`;
  const { rows } = await sql<CopiedRow>`select ${names(table.columns)} from ${sql.table(table.name)}
    where ${within(table, { after, upTo })} order by ${names(table.key)}${limit}`.execute(db);
  return rows;
}

export async function countRows(db: Db, table: CopiedTable): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table.name)}
    where ${within(table, {})}`.execute(db);
  return Number(rows[0]?.count);
}

function within(table: CopiedTable, { after, upTo }: Range): RawBuilder<unknown> {
  const key = sql`(${names(table.key)})`;
  const parts = [
    after ? sql`${key} > (${sql.join(after)})` : sql`1 = 1`,
    upTo ? sql`${key} <= (${sql.join(upTo)})` : sql`1 = 1`,
    table.name === 'meta' ? sql`key not in (${sql.join(OWN_FACTS)})` : sql`1 = 1`,
  ];
  return sql.join(parts, sql` and `);
}

function names(all: readonly string[]): RawBuilder<unknown> {
  return sql.join(all.map((name) => sql.ref(name)));
}

export function keyOf(table: CopiedTable, row: CopiedRow): Key {
  return table.key.map((name) => row[name] ?? null);
}

/** The same text for the same row, whichever database it is from. */
export function textOf({ columns }: ReadTable, row: CopiedRow): string {
  return JSON.stringify(columns.map((name) => valueText(row[name] ?? null)));
}

function valueText(value: Value): string | number | null {
  if (!(value instanceof Uint8Array)) return value;
  return `sha256:${createHash('sha256').update(value).digest('base64')}`;
}

/** Puts rows in, in place of those with the same keys. */
export async function putRows(db: Db, table: ReadTable, rows: readonly CopiedRow[]): Promise<void> {
  if (rows.length === 0) return;
  const columns = sql.join(table.columns.map((name) => sql.ref(name)));
  const values = sql.join(
    rows.map((row) => sql`(${sql.join(table.columns.map((name) => sql.val(row[name] ?? null)))})`),
  );
  const changed = table.columns.filter((name) => !table.key.includes(name));
  const change = sql.join(changed.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`));
  await sql`insert into ${sql.table(table.name)} (${columns}) ${NUMBERING[db.store.kind].inserting} values ${values}
    on conflict (${sql.join(table.key.map((name) => sql.ref(name)))})
    do ${changed.length === 0 ? sql`nothing` : sql`update set ${change}`}`.execute(db);
}

/** Removes rows by their keys, as far as they are there. */
export async function deleteRows(db: Db, table: ReadTable, keys: readonly Key[]): Promise<void> {
  for (const key of keys) {
    const parts = table.key.map((name, n) => sql`${sql.ref(name)} = ${key[n]}`);
    await sql`delete from ${sql.table(table.name)} where ${sql.join(parts, sql` and `)}`.execute(db);
  }
}

/** Keys of rows that are in the second list and not in the first. */
export function surplus(table: ReadTable, wanted: readonly CopiedRow[], there: readonly CopiedRow[]): Key[] {
  const keys = new Set(wanted.map((row) => JSON.stringify(keyOf(table, row))));
  return there.map((row) => keyOf(table, row)).filter((key) => !keys.has(JSON.stringify(key)));
}

/** How a database numbers rows. */
interface Numbering {
  /** Part of an insertion of rows with their numbers. */
  readonly inserting: RawBuilder<unknown>;
  /** The highest number that a row of the table has had; null: none has had any. */
  last(table: string): RawBuilder<{ last: number | null }>;
  /** Statements that have the next row numbered after `last`. */
  setLast(table: string, last: number): readonly RawBuilder<unknown>[];
}

const NUMBERING = {
  sqlite: {
    inserting: sql``,
    last: (table) => sql`select max(seq) as last from sqlite_sequence where name = ${table}`,
    setLast: (table, last) => [
      sql`delete from sqlite_sequence where name = ${table}`,
      sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`,
    ],
  },
  postgres: {
    inserting: sql`overriding system value`,
    last: (table) => sql`select pg_sequence_last_value(pg_get_serial_sequence(${table}, 'id')) as last`,
    setLast: (table, last) => [sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${last}::bigint)`],
  },
} as const satisfies Record<StoreKind, Numbering>;

/** The highest number that a row of each numbered table has had. */
export async function readNumbers(db: Db): Promise<ReadonlyMap<string, number>> {
  const numbers = new Map<string, number>();
  for (const name of NUMBERED) {
    const { rows } = await NUMBERING[db.store.kind].last(name).execute(db);
    numbers.set(name, Number(rows[0]?.last ?? 0));
  }
  return numbers;
}

/** Sees to it that the next rows get numbers after these. */
export async function setNumbers(db: Db, numbers: ReadonlyMap<string, number>): Promise<void> {
  for (const [name, last] of numbers) {
    if (last === 0) continue;
    for (const statement of NUMBERING[db.store.kind].setLast(name, last)) await statement.execute(db);
  }
}

/** The number of each owner's jobs in progress, which PostgreSQL keeps by triggers and SQLite counts on demand. */
export async function countProcessing(db: Db): Promise<void> {
  if (db.store.kind === 'sqlite') return;
  await sql`insert into callers (owner, turn, spent_at, generated_at, minute, hour)
    select distinct owner, 0, 0, 0, '[]', '[]' from jobs where ${PENDING} on conflict do nothing`.execute(db);
  await sql`update callers set processing = pending.processing, burst = greatest(pending.most, pending.processing)
    from (select owner, count(*) filter (where ${PROCESSING}) as processing, max(greatest(concurrency, burst)) as most
      from jobs where ${PENDING} group by owner) as pending
    where callers.owner = pending.owner`.execute(db);
}
