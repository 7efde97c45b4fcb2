import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { ownDatabase } from '../../../support/postgres/own-database.ts';

/** Parts of a schema, one a line, in words that both databases have. */
type Parts = readonly string[];

/** What SQLite calls a type, in PostgreSQL's words; numbers that other rows refer to have 64 bits there. */
const TYPES: Readonly<Record<string, string>> = { real: 'double precision', blob: 'bytea' };
const NUMBERS_OF_ROWS =
  /^(skins|jobs|callbacks|reports|operator_log|sets|wardrobe_history)\.id |\.(job_id|skin_id|set_id) /;

function partsOfSqlite(): Parts {
  const database = new DatabaseSync(inject('storePath'), { readOnly: true });
  const all = (sql: string) => database.prepare(sql).all() as Record<string, string | number | null>[];
  const from = (pragma: string) =>
    `from sqlite_schema as t, pragma_${pragma}(t.name) as p where t.type = 'table' and t.name not like 'sqlite%'`;
  const columns = all(`select t.name as owner, p.* ${from('table_info')}`);
  const keys = all(`select t.name as owner, p.* ${from('foreign_key_list')}`);
  const uniques = all(`select t.name as owner, (select group_concat(name, ',') from
    (select name from pragma_index_info(p.name) order by seqno)) as columns
    ${from('index_list')} and p.origin in ('u', 'pk')`);
  const indices = all("select sql from sqlite_schema where type = 'index' and sql is not null");
  database.close();
  return [
    ...columns.map(columnOfSqlite),
    ...keys.map((k) => `${k['owner']}.${k['from']} -> ${k['table']}.${k['to']} ${k['on_delete']}`),
    ...uniques.map(({ owner, columns: names }) => `unique ${owner} (${names})`),
    ...indices.map(({ sql }) => normalized(String(sql))),
  ].map((line) => line.trim().toLowerCase());
}

function columnOfSqlite(c: Record<string, string | number | null>): string {
  const declared = String(c['type']).toLowerCase();
  const isRequired = c['notnull'] === 1 || c['pk'] !== 0;
  const line = `${c['owner']}.${c['name']} ${TYPES[declared] ?? declared}${isRequired ? ' not null' : ''} ${c['dflt_value'] ?? ''}`;
  return NUMBERS_OF_ROWS.test(line) ? line.replace('integer', 'bigint') : line;
}

async function partsOfPostgres(): Promise<Parts> {
  const client = new Client({ connectionString: await ownDatabase() });
  await client.connect();
  const all = async (sql: string) => (await client.query(sql)).rows as Record<string, string>[];
  const columns =
    await all(`select table_name, column_name, data_type, is_nullable, column_default, collation_name
    from information_schema.columns where table_schema = 'public'`);
  const constraints =
    await all(`select conrelid::regclass as "table", contype, pg_get_constraintdef(oid) as definition
    from pg_constraint where connamespace = 'public'::regnamespace and contype in ('p', 'u', 'f')`);
  const indices = await all(`select indexdef from pg_indexes where schemaname = 'public'
    and indexname not in (select conname from pg_constraint)`);
  await client.end();
  expect(columns.filter((c) => c['data_type'] === 'text' && c['collation_name'] !== 'C')).toEqual([]);
  return [
    ...columns.map((c) => {
      const isRequired = c['is_nullable'] === 'NO' ? ' not null' : '';
      const value = (c['column_default'] ?? '').replace('::text', '');
      return `${c['table_name']}.${c['column_name']} ${c['data_type']}${isRequired} ${value}`;
    }),
    ...constraints.map(({ table, contype, definition = '' }) => {
      const [, from, other, to, deletes] =
        /\((\w+)\) REFERENCES (\w+)\((\w+)\)(?: ON DELETE (CASCADE|SET NULL))?/.exec(definition) ?? [];
      if (contype === 'f') return `${table}.${from} -> ${other}.${to} ${deletes ?? 'no action'}`;
      return `unique ${table} ${/\(.*\)/.exec(definition)?.[0].replaceAll(', ', ',')}`;
    }),
    ...indices.map(({ indexdef = '' }) => normalized(indexdef)),
  ].map((line) => line.trim().toLowerCase());
}

/** One spelling for both. */
function normalized(index: string): string {
  return index
    .toLowerCase()
    .replaceAll('"', '')
    .replace(' on public.', ' on ')
    .replace(' using btree', '')
    .replaceAll('::text', '')
    .replace(/= any \(array\[(.*)\]\)/, 'in ($1)')
    .replace(/where \((.*)\)$/, 'where $1')
    .replace(/where \((.*)\)$/, 'where $1');
}

/** Rows of callers count what is in progress, so that the database itself keeps an owner within its burst. */
const ONLY_IN_POSTGRES = ['callers.processing integer not null 0', 'callers.burst integer not null 1000'];

describe('With PostgreSQL', () => {
  test('A store has the tables, columns, indices and constraints that it has in SQLite', async () => {
    const expected = [...partsOfSqlite(), ...ONLY_IN_POSTGRES];
    const found = await partsOfPostgres();
    const primary = new Set([
      'unique skins (id)',
      'unique jobs (id)',
      'unique callbacks (id)',
      'unique queue_clock (id)',
      'unique operator_log (id)',
      'unique reports (id)',
      'unique sets (id)',
      'unique wardrobe_history (id)',
    ]);
    expect(found.filter((line) => !primary.has(line)).toSorted()).toEqual(expected.toSorted());
  });

  test("The database refuses more jobs in progress than an owner's burst", async () => {
    const client = new Client({ connectionString: await ownDatabase() });
    await client.connect();
    const row = "('ann', 0, 0, 0, '[]', '[]', 3, 2)";
    const insertion = client.query(
      `insert into callers (owner, turn, spent_at, generated_at, minute, hour, processing, burst) values ${row}`,
    );
    await expect(insertion).rejects.toMatchObject({ constraint: 'callers_within_burst' });
    await client.end();
  });
});
