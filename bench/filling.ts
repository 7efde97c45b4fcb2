import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

/** The next number. */
const NEXT = 'null';

/** Columns that differ from the first row of the table; `i` is a counter. */
const DIFFERENT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  textures: { hash: "printf('%064x', i)", png: "x'00'" },
  texture_data: {
    identity: "printf('%064x', i)",
    texture_hash: "printf('%064x', i)",
    value: "'v'",
    signature: "'s'",
  },
  skins: { id: NEXT, uuid: "printf('%032x', i)", identity: "printf('%064x', i)" },
  jobs: {
    id: NEXT,
    uuid: "printf('00000000-0000-4000-8000-%012x', i)",
    request_key: "printf('%064x', i)",
    identity: "printf('%064x', i)",
    texture_hash: "printf('%064x', i)",
    skin_uuid: "printf('%032x', i)",
    idempotency_key: '(null)',
  },
};

const NAMES: typeof DIFFERENT = {
  wardrobe: { name: "printf('n%07x', i)", spelling: "printf('N%07x', i)", player_id: "printf('%032x', i)" },
};

/** Adds the given numbers of images, skins and jobs to a store that has one of each. No server may have it open. */
export function fillStore(path: string, count: number): void {
  fillTables(path, DIFFERENT, count);
}

/** Adds player names, which wear the same as the one that is there. */
export function fillNames(path: string, count: number): void {
  fillTables(path, NAMES, count);
}

function fillTables(path: string, tables: typeof DIFFERENT, count: number): void {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  database.exec('pragma synchronous = off; begin');
  for (const [table, different] of Object.entries(tables)) {
    const columns = database
      .prepare('select name from pragma_table_info(?)')
      .all(table)
      .map(({ name }) => String(name));
    const values = columns.map((column) => different[column] ?? `first.${column}`);
    database
      .prepare(
        `with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ?)
         insert into ${table} (${columns.join(', ')})
         select ${values.join(', ')} from numbers, (select * from ${table} limit 1) as first`,
      )
      .run(count);
  }
  database.exec('commit');
  database.close();
}

/** The same in PostgreSQL. */
export async function fillDatabase(url: string, count: number): Promise<void> {
  await fillTablesOf(url, DIFFERENT, count);
}

/** Adds player names in PostgreSQL. */
export async function fillDatabaseNames(url: string, count: number): Promise<void> {
  await fillTablesOf(url, NAMES, count);
}

async function fillTablesOf(url: string, tables: typeof DIFFERENT, count: number): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(
    'begin; set local session_replication_role = replica; set local synchronous_commit = off',
  );
  for (const [table, different] of Object.entries(tables)) {
    const { rows } = await client.query(
      "select column_name as name from information_schema.columns where table_schema = 'public' and table_name = $1",
      [table],
    );
    const columns = rows.map(({ name }) => String(name)).filter((name) => different[name] !== NEXT);
    const values = columns.map((column) => inPostgres(different[column]) ?? `first.${column}`);
    await client.query(`insert into ${table} (${columns.join(', ')}) select ${values.join(', ')}
      from generate_series(1, ${count}) as i, (select * from ${table} limit 1) as first`);
  }
  await client.query('commit');
  await client.query('vacuum analyze');
  await client.end();
}

function inPostgres(value: string | undefined): string | undefined {
  return value
    ?.replace(/printf\('(.*)%0(\d+)x', i\)/, "'$1' || lpad(to_hex(i), $2, '0')")
    .replace("x'00'", "'\\x00'::bytea");
}
