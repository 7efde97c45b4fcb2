import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../store/db.ts';
import { COUNTED_COLUMNS, type CopiedTable, OWN_FACTS } from './tables.ts';

/** A value as both databases have it. */
export type Value = string | number | Uint8Array | null;
export type Row = Readonly<Record<string, Value>>;
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
): Promise<Row[]> {
  const limit = most === undefined ? sql`` : sql` limit ${most}`;
  const { rows } = await sql<Row>`select ${names(table.columns)} from ${sql.table(table.name)}
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

export function keyOf(table: CopiedTable, row: Row): Key {
  return table.key.map((name) => row[name] ?? null);
}

/** The same text for the same row, whichever database it is from. */
export function textOf({ columns }: ReadTable, row: Row): string {
  return JSON.stringify(columns.map((name) => valueText(row[name] ?? null)));
}

function valueText(value: Value): string | number | null {
  if (!(value instanceof Uint8Array)) return value;
  return `sha256:${createHash('sha256').update(value).digest('base64')}`;
}
