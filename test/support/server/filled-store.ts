import type { ColumnMetadata } from 'kysely';
import type { Db } from '../../../src/server/store/db.ts';
import {
  COPIED,
  type CopiedRow,
  type CopiedTable,
  putRows,
  type Value,
  withColumns,
} from '../../../src/server/store-copy/rows.ts';

/** Rows of one table that takes several parts to copy. */
const MANY = 1_200;
const FEW = 6;

/** Columns that refer to rows of other tables. */
const REFERENCES: Readonly<Record<string, (n: number) => Value>> = {
  texture_hash: (n) => `hash ${n}`,
  cape_hash: (n) => `hash ${n}`,
  identity: (n) => `identity ${n}`,
  user_id: (n) => `id ${n}`,
  skin_id: (n) => n,
  status: (n) => ['waiting', 'processing', 'completed'][n % 3] ?? null,
};

/** Columns with the number of a row. */
const ROW_NUMBERS: ReadonlySet<string> = new Set(['id', 'job_id', 'skin_id', 'set_id']);

/** What people write into, in any letters. */
const FREE_TEXTS: ReadonlySet<string> = new Set(['name', 'note', 'text', 'agent', 'source']);

/** Puts rows into every table that is copied. Their contents are of the right types, and otherwise nonsense. */
export async function fillStore(db: Db): Promise<void> {
  const metadata = await db.introspection.getTables();
  for (const table of await withColumns(db, COPIED)) {
    const columns = metadata.find(({ name }) => name === table.name)?.columns ?? [];
    const count = table.name === 'players' ? MANY : table.name === 'queue_clock' ? 1 : FEW;
    const rowOf = (n: number) =>
      Object.fromEntries(table.columns.map((name) => [name, valueIn(table, columnOf(columns, name), n)]));
    const rows: CopiedRow[] = Array.from({ length: count }, (_, n) => rowOf(n + 1));
    for (let start = 0; start < count; start += 100) await putRows(db, table, rows.slice(start, start + 100));
  }
}

function columnOf(columns: readonly ColumnMetadata[], name: string): ColumnMetadata {
  return columns.find((column) => column.name === name)!;
}

function valueIn(table: CopiedTable, { name, dataType, isNullable }: ColumnMetadata, n: number): Value {
  const type = dataType.toLowerCase();
  if (isNullable && n % 2 === 0 && !table.key.includes(name)) return null;
  if (/blob|bytea/.test(type)) return Buffer.from([n, 0, 255, n]);
  if (/real|double|float/.test(type)) return n + 0.1;
  if (/int/.test(type)) return ROW_NUMBERS.has(name) ? n : n * 1_000_003;
  const refers = REFERENCES[name];
  if (refers) return refers(n);
  if (table.name === 'idempotency_keys' && name === 'key') return `another key ${n}`; // those of jobs come with the jobs
  return `${name} ${n}${FREE_TEXTS.has(name) && n % 3 === 0 ? ' ä💎"\\' : ''}`;
}
