import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import type { Db } from '../../../src/server/store/db.ts';
import { forKysely, makePool, POOL_OPTIONS } from '../../../src/server/store/postgres/pool.ts';
import { postgresDb } from '../../../src/server/store/postgres/postgres-store.ts';
import { sqliteDb } from '../../../src/server/store/sqlite.ts';
import type { StorePlace } from '../../../src/server/store-copy/copy-store.ts';
import type { CopiedRow, Value } from '../../../src/server/store-copy/rows.ts';
import { ALL_TABLES } from './tables.ts';

/** Bytes are written in hexadecimal digits. */
export type PlainRow = Readonly<Record<string, string | number | null>>;
/** All rows of all tables, by the tables' names. */
export type Contents = ReadonlyMap<string, readonly PlainRow[]>;

/** Opens a store as it is: no table is made or changed. */
function openUnchanged(place: StorePlace): Db {
  if ('folder' in place) {
    const database = new DatabaseSync(join(place.folder, 'skinsmith.db'), { readOnly: true });
    return sqliteDb(database);
  }
  const options = { ...POOL_OPTIONS, connections: 1 };
  return postgresDb(forKysely(makePool(place.postgres.url, options), options));
}

export async function readContents(place: StorePlace): Promise<Contents> {
  const db = openUnchanged(place);
  const contents = new Map<string, PlainRow[]>();
  for (const { name } of await db.introspection.getTables()) {
    const { rows } = await sql<CopiedRow>`select * from ${sql.table(name)}`.execute(db);
    contents.set(name, rows.map(plain));
  }
  await db.destroy();
  return contents;
}

function plain(row: CopiedRow): PlainRow {
  const text = (value: Value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value);
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, text(value)]));
}

/** Whether a column of a row that was there may have another content. */
export type MayChange = (table: string, row: PlainRow, column: string) => boolean;

/** Missing rows and changed columns, a line each. New rows and columns are allowed. */
export function differences(before: Contents, after: Contents, mayChange: MayChange = () => false): string[] {
  return [...before].flatMap(([table, rows]) => {
    const found = new Map(after.get(table)?.map((row) => [nameOf(table, row), row]));
    return rows.flatMap((row) => {
      const name = nameOf(table, row);
      const now = found.get(name);
      if (!now) return [`${name} is gone`];
      const changed = Object.keys(row).filter((column) => row[column] !== now[column]);
      return changed
        .filter((column) => !mayChange(table, row, column))
        .map((column) => `${name}: ${column} was ${row[column]}, is ${now[column]}`);
    });
  });
}

/** A row by what identifies it, like `jobs 3`. */
function nameOf(table: string, row: PlainRow): string {
  const key = ALL_TABLES.find(({ name }) => name === table)?.key ?? [];
  return [table, ...key.map((column) => row[column])].join(' ');
}

/** Number of rows in each table. */
export function sizesOf(contents: Contents): Readonly<Record<string, number>> {
  return Object.fromEntries([...contents].map(([table, rows]) => [table, rows.length]));
}

/** Tables without rows, and columns that hold nothing in any row. */
export function findHoles(contents: Contents): string[] {
  return [...contents].flatMap(([table, rows]) => {
    const [first] = rows;
    if (!first) return [table];
    const isEmpty = (column: string) => rows.every((row) => NOTHING.has(row[column] ?? null));
    return Object.keys(first)
      .filter(isEmpty)
      .map((column) => `${table}.${column}`);
  });
}

/** What columns have that nobody has written to. */
const NOTHING: ReadonlySet<string | number | null> = new Set([null, '', 0, '[]']);
