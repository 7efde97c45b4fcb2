import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import type { Db } from '../../../src/server/store/db.ts';
import { type CopiedRow, readNumbers, type Value } from '../../../src/server/store-copy/rows.ts';
import { ALL_TABLES } from './tables.ts';

/** How a database writes bytes, given in hexadecimal digits. */
type Bytes = (hex: string) => string;

function valueText(value: Value, bytes: Bytes): string {
  if (value === null) return 'null';
  if (value instanceof Uint8Array) return bytes(Buffer.from(value).toString('hex'));
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;
}

function insertions(table: string, rows: readonly CopiedRow[], bytes: Bytes, extra = ''): string[] {
  return rows.map((row) => {
    const columns = Object.keys(row).map((name) => `"${name}"`);
    const values = Object.values(row).map((value) => valueText(value, bytes));
    return `insert into "${table}" (${columns.join(', ')})${extra} values (${values.join(', ')});`;
  });
}

/** A whole database of SQLite. */
export function dumpSqlite(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true });
  const all = (query: string) => database.prepare(query).all() as Record<string, Value>[];
  const parts = all(
    "select * from sqlite_schema where sql is not null and name <> 'sqlite_sequence' order by rowid",
  );
  const tables = parts.filter(({ type }) => type === 'table');
  const rows = [...tables.map(({ name }) => String(name)), 'sqlite_sequence'].flatMap((name) => [
    ...(name === 'sqlite_sequence' ? ['delete from sqlite_sequence;'] : []),
    ...insertions(name, all(`select * from "${name}"`), (hex) => `x'${hex}'`),
  ]);
  const rest = parts.filter(({ type }) => type !== 'table');
  database.close();
  const make = (part: Record<string, Value>) => `${part['sql']};`;
  return `${['begin;', ...tables.map(make), ...rows, ...rest.map(make), 'commit;'].join('\n')}\n`;
}

/**
 * A whole database of PostgreSQL.
 * @param statements those that made its schema
 */
export async function dumpPostgres(db: Db, statements: readonly string[]): Promise<string> {
  const lines = statements.map((statement) => `${statement.trim().replace(/;$/, '')};`);
  lines.push('set local session_replication_role = replica;'); // no triggers: what they do is in the rows
  const there = new Set((await db.introspection.getTables()).map(({ name }) => name));
  for (const { name, key } of ALL_TABLES.filter((table) => there.has(table.name))) {
    const order = sql.join(key.map((column) => sql.ref(column)));
    const { rows } = await sql<CopiedRow>`select * from ${sql.table(name)} order by ${order}`.execute(db);
    lines.push(...insertions(name, rows, (hex) => `'\\x${hex}'`, ' overriding system value'));
  }
  for (const [table, last] of await readNumbers(db))
    lines.push(`select setval(pg_get_serial_sequence('${table}', 'id'), ${last});`);
  return `${['begin;', ...lines, 'commit;'].join('\n')}\n`;
}
