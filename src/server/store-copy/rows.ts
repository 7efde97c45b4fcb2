import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Db, OpenStore, StoreKind } from '../store/db.ts';
import { numbered } from '../store/schema/columns.ts';
import { primaryKeyOf, TABLE_NAMES, type TableName } from '../store/schema/first-schema.ts';
import { PENDING, PROCESSING, TABLES } from '../store/schema/tables.ts';

/** A store that is open for a copy. */
export type OpenPlace = Pick<OpenStore, 'db' | 'close'>;

export type StoreCopyErrorCode =
  | 'no_data'
  | 'store_not_empty'
  | 'store_in_use'
  | 'store_other_version'
  | 'copy_differs';

/** Why a copy failed or is incomplete. `message` and `hint` are for the operator. */
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

/** What is about the processes that use a store is not copied. */
const OF_PROCESSES: ReadonlySet<string> = new Set(['nodes', 'chores'] satisfies TableName[]);

/** The tables whose rows are numbered in insertion order. Numbers must not repeat. */
export const NUMBERED = TABLE_NAMES.filter((name) => Object.values(TABLES[name]).includes(numbered));

/** Facts about one store, not about its content. */
export const OWN_FACTS = ['schema', 'oldest-reader', 'copying-from', 'address-key', 'local-url'] as const;

/** Counts of jobs in progress, maintained by PostgreSQL's triggers. */
export const COUNTED_COLUMNS: readonly string[] = ['processing', 'burst'];

/** A table and its key columns. */
export interface CopiedTable {
  readonly name: TableName | 'meta';
  readonly key: readonly string[];
}

/** The tables to copy, each after those to which its rows refer. */
export const COPIED: readonly CopiedTable[] = [
  { name: 'meta', key: ['key'] },
  ...TABLE_NAMES.filter((name) => !OF_PROCESSES.has(name)).map((name) => ({ name, key: primaryKeyOf(name) })),
];

/** A value in the form common to both databases. */
export type Value = string | number | Uint8Array | null;
export type CopiedRow = Readonly<Record<string, Value>>;
export type Key = readonly Value[];

/** Rows to read at a time, within SQLite's limit of values per statement for the widest table. */
export const ROWS_AT_ONCE = 500;

/** A table with the columns to copy, in alphabetical order. */
export interface ReadTable extends CopiedTable {
  readonly columns: readonly string[];
}

/** The columns that this store has. */
export async function withColumns(db: Db, tables: readonly CopiedTable[]): Promise<ReadTable[]> {
  const found = await db.introspection.getTables();
  return tables.map((table) => {
    const columns = found.find(({ name }) => name === table.name)?.columns.map(({ name }) => name) ?? [];
    const counted = table.name === 'callers' ? COUNTED_COLUMNS : [];
    return { ...table, columns: columns.filter((name) => !counted.includes(name)).toSorted() };
  });
}

/** From after one key up to and including another; without them, from the start or to the end. */
interface Range {
  readonly after?: Key | undefined;
  readonly upTo?: Key | undefined;
}

/** The first `most` rows of a range in key order. */
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

/** The same text for equal rows, from either database. */
export function textOf({ columns }: ReadTable, row: CopiedRow): string {
  return JSON.stringify(columns.map((name) => valueText(row[name] ?? null)));
}

function valueText(value: Value): string | number | null {
  if (!(value instanceof Uint8Array)) return value;
  return `sha256:${createHash('sha256').update(value).digest('base64')}`;
}

/** Inserts rows, replacing those with the same keys. */
export async function putRows(db: Db, table: ReadTable, rows: readonly CopiedRow[]): Promise<void> {
  if (rows.length === 0) return;
  const values = sql.join(
    rows.map((row) => sql`(${sql.join(table.columns.map((name) => sql.val(row[name] ?? null)))})`),
  );
  const changed = table.columns.filter((name) => !table.key.includes(name));
  const change = sql.join(changed.map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`));
  await sql`insert into ${sql.table(table.name)} (${names(table.columns)}) ${NUMBERING[db.store.kind].inserting} values ${values}
    on conflict (${names(table.key)})
    do ${changed.length === 0 ? sql`nothing` : sql`update set ${change}`}`.execute(db);
}

/** Deletes rows by their keys, if they exist. */
export async function deleteRows(db: Db, table: ReadTable, keys: readonly Key[]): Promise<void> {
  for (const key of keys) {
    const parts = table.key.map((name, n) => sql`${sql.ref(name)} = ${key[n]}`);
    await sql`delete from ${sql.table(table.name)} where ${sql.join(parts, sql` and `)}`.execute(db);
  }
}

/** Keys of rows in the second list but not in the first. */
export function surplus(table: ReadTable, wanted: readonly CopiedRow[], there: readonly CopiedRow[]): Key[] {
  const keys = new Set(wanted.map((row) => JSON.stringify(keyOf(table, row))));
  return there.map((row) => keyOf(table, row)).filter((key) => !keys.has(JSON.stringify(key)));
}

/** How a database numbers rows. */
interface Numbering {
  /** The clause for inserting rows with their numbers. */
  readonly inserting: RawBuilder<unknown>;
  /** The highest number ever given to a row of the table; null: none. */
  last(table: string): RawBuilder<{ last: number | null }>;
  /** Statements that make numbering continue after `last`. */
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

/** The highest number ever given in each numbered table. */
export async function readNumbers(db: Db): Promise<ReadonlyMap<string, number>> {
  const numbers = new Map<string, number>();
  for (const name of NUMBERED) {
    const { rows } = await NUMBERING[db.store.kind].last(name).execute(db);
    numbers.set(name, Number(rows[0]?.last ?? 0));
  }
  return numbers;
}

/** Makes numbering continue after these numbers. */
export async function setNumbers(db: Db, numbers: ReadonlyMap<string, number>): Promise<void> {
  for (const [name, last] of numbers) {
    if (last === 0) continue;
    for (const statement of NUMBERING[db.store.kind].setLast(name, last)) await statement.execute(db);
  }
}

/** Sets each owner's count of jobs in progress, which PostgreSQL maintains by triggers and SQLite counts on demand. */
export async function countProcessing(db: Db): Promise<void> {
  if (db.store.kind === 'sqlite') return;
  await sql`insert into callers (owner, turn, spent_at, generated_at, minute, hour)
    select distinct owner, 0, 0, 0, '[]', '[]' from jobs where ${PENDING} on conflict do nothing`.execute(db);
  await sql`update callers set processing = pending.processing, burst = greatest(pending.most, pending.processing)
    from (select owner, count(*) filter (where ${PROCESSING}) as processing, max(greatest(concurrency, burst)) as most
      from jobs where ${PENDING} group by owner) as pending
    where callers.owner = pending.owner`.execute(db);
}
