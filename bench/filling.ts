import { DatabaseSync } from 'node:sqlite';

/** Columns that differ from the first row of the table; `i` is a counter. */
const DIFFERENT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  textures: { hash: "printf('%064x', i)", png: "x'00'" },
  texture_data: {
    identity: "printf('%064x', i)",
    texture_hash: "printf('%064x', i)",
    value: "'v'",
    signature: "'s'",
  },
  skins: { id: 'null', uuid: "printf('%032x', i)", identity: "printf('%064x', i)" },
  jobs: {
    id: 'null',
    uuid: "printf('00000000-0000-4000-8000-%012x', i)",
    request_key: "printf('%064x', i)",
    identity: "printf('%064x', i)",
    texture_hash: "printf('%064x', i)",
    skin_uuid: "printf('%032x', i)",
    idempotency_key: 'null',
  },
};

/** Adds the given numbers of images, skins and jobs to a store that has one of each. No server may have it open. */
export function fillStore(path: string, count: number): void {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  database.exec('pragma synchronous = off; begin');
  for (const [table, different] of Object.entries(DIFFERENT)) {
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
