import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { openStoreOf } from '../../../../src/server/assembly/service-parts.ts';
import { MIGRATIONS, type Migration, NEWEST_SCHEMA } from '../../../../src/server/store/meta.ts';
import { findSchemaFault } from '../../../../src/server/store/sqlite-copy.ts';
import type { StorePlace } from '../../../../src/server/store-copy/copy-store.ts';
import {
  type Contents,
  differences,
  findHoles,
  type MayChange,
  type PlainRow,
  readContents,
  sizesOf,
} from '../../../support/frozen-stores/contents.ts';
import {
  FROZEN_SCHEMAS,
  giveFrozenKeys,
  NEWEST_FROZEN,
  thawDatabase,
  thawFile,
} from '../../../support/frozen-stores/frozen-stores.ts';
import { FROZEN_URL, LINK_SECRET, SESSION_SECRET } from '../../../support/frozen-stores/secrets.ts';
import { PlainBrowser } from '../../../support/pages/browser.ts';
import { emptyDatabase, ownDatabase } from '../../../support/postgres/own-database.ts';
import { ownFolder } from '../../../support/server/own-folder.ts';
import { VERSIONS } from '../../../support/server/program-versions.ts';
import { runServer, type ServerUnderTest } from '../../../support/server/running-server.ts';

/** The frozen store of a schema, thawed. */
const PLACES = {
  SQLite: async (schema: number): Promise<StorePlace> => {
    const folder = await ownFolder();
    await thawFile(schema, folder);
    return { folder };
  },
  PostgreSQL: async (schema: number): Promise<StorePlace> => {
    const url = await emptyDatabase();
    await thawDatabase(schema, url);
    return { postgres: { url, connections: 1 } };
  },
} as const;

/** Opens and closes it, as a program does that knows these migrations. */
async function upgrade(place: StorePlace, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  const where = 'folder' in place ? { dataDir: place.folder } : { dataDir: '', store: place.postgres };
  const store = await openStoreOf({ ...where, migrations });
  await store.close();
}

/** A service over it. */
async function serve(place: StorePlace): Promise<ServerUnderTest> {
  const dataDir = 'folder' in place ? place.folder : await ownFolder();
  await giveFrozenKeys(dataDir);
  const store = 'folder' in place ? {} : { store: place.postgres };
  return await runServer({ dataDir, ...store, publicUrl: FROZEN_URL, workers: 0 });
}

async function upgraded(place: StorePlace, migrations?: readonly Migration[]): Promise<Contents> {
  await upgrade(place, migrations);
  return await readContents(place);
}

/** An upgrade notes which schema it has led to. */
const noted: MayChange = (table, { key }) =>
  table === 'meta' && (key === 'schema' || key === 'oldest-reader');

/** How many rows each table has, without what an upgrade notes. */
function keptSizes(contents: Contents): ReturnType<typeof sizesOf> {
  const isKept = (table: string, row: PlainRow) => !noted(table, row, 'value');
  return sizesOf(
    new Map([...contents].map(([table, rows]) => [table, rows.filter((row) => isKept(table, row))])),
  );
}

/** Everything in a database that was made by statements, a line each. */
async function schemaOf(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`
    select concat_ws(' ', 'column', attrelid::regclass, attname, format_type(atttypid, atttypmod), attstorage, attnotnull,
        attidentity, attcollation::regcollation, pg_get_expr(adbin, adrelid)) as line
      from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
      where attnum > 0 and not attisdropped and attrelid in
        (select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r')
    union all select concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) from pg_constraint
      where connamespace = 'public'::regnamespace
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
    order by 1`);
  await client.end();
  return rows.map(({ line }) => String(line));
}

describe.each(['SQLite', 'PostgreSQL'] as const)('A frozen store in %s', (kind) => {
  describe('is upgraded', () => {
    test.each(FROZEN_SCHEMAS)('from schema %i: every row is there, unchanged, and no other', async (from) => {
      const place = await PLACES[kind](from);
      const before = await readContents(place);
      for (const migrations of [MIGRATIONS, VERSIONS.next]) {
        const after = await upgraded(place, migrations);
        expect(differences(before, after, noted)).toEqual([]);
        expect(keptSizes(after)).toMatchObject(keptSizes(before));
        const schema = { key: 'schema', value: String(migrations.length) };
        expect(after.get('meta')).toContainEqual(expect.objectContaining(schema));
      }
    });

    test('People stay signed in, and an earlier link still signs in', async () => {
      const place = await PLACES[kind](NEWEST_FROZEN);
      const { url } = await serve(place);
      const [before, after] = [new PlainBrowser(url), new PlainBrowser(url)];
      before.cookie = `__Host-skinsmith=${SESSION_SECRET}`;
      expect((await after.open(`/ui/sign-in/link?secret=${LINK_SECRET}`)).status).toBe(303);
      for (const browser of [before, after])
        expect((await browser.open('/ui/account')).text).toContain('dora');
    });

    test('with rows in every table and something in every column of the newest schema; if not, see the README of test/support/frozen-stores', async () => {
      expect(findHoles(await upgraded(await PLACES[kind](NEWEST_FROZEN)))).toEqual([]);
    });

    test('A table without rows and a column without contents are noticed', async () => {
      const [file, type] = [await PLACES[kind](NEWEST_FROZEN), kind === 'SQLite' ? 'blob' : 'bytea'];
      const apply: Migration['apply'] = async (db) => {
        await sql.raw(`create table ghosts (id ${type} primary key)`).execute(db);
        await sql.raw('alter table skins add column spirit integer default 0').execute(db);
      };
      const after = await upgraded(file, [...MIGRATIONS, { apply, expands: true }]);
      expect(findHoles(after).toSorted()).toEqual(['ghosts', 'skins.spirit']);
    });

    test('A migration that loses a column’s content, or a row, is noticed', async () => {
      const place = await PLACES[kind](NEWEST_FROZEN);
      const before = await readContents(place);
      const apply: Migration['apply'] = async (db) => {
        await sql.raw('alter table reports drop column text').execute(db);
        await sql.raw("update api_keys set scopes = '[]' where v2_compat = 1").execute(db);
        await sql.raw("delete from identities where subject = 'd'").execute(db);
      };
      const found = differences(
        before,
        await upgraded(place, [...MIGRATIONS, { apply, expands: true }]),
        noted,
      );
      expect(found.map((line) => line.replace(/(was) .*,/, '$1 …,')).toSorted()).toEqual([
        expect.stringMatching(/^api_keys \w+: scopes was …, is \[\]$/),
        'identities https://other.example.org d is gone',
        'reports 1: text was …, is undefined',
        'reports 2: text was …, is undefined',
      ]);
    });
  });
});

test('A file that was upgraded has the schema of a new one', async () => {
  const folder = await ownFolder();
  await thawFile(FROZEN_SCHEMAS[0] ?? 0, folder);
  await upgrade({ folder });
  const database = new DatabaseSync(join(folder, 'skinsmith.db'), { readOnly: true });
  expect(await findSchemaFault(database, { version: NEWEST_SCHEMA, besides: '' })).toBeUndefined();
  database.close();
});

describe('With PostgreSQL', () => {
  test('A database that was upgraded has the schema of a new one', async () => {
    const url = await emptyDatabase();
    await thawDatabase(FROZEN_SCHEMAS[0] ?? 0, url);
    await upgrade({ postgres: { url, connections: 1 } });
    const [found, expected] = [await schemaOf(url), await schemaOf(await ownDatabase())];
    expect(found).toEqual(expected);
    expect(found.length).toBeGreaterThan(200);
  });
});
