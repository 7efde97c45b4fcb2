import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../../src/server/store/meta.ts';
import { PreparedQuery } from '../../../src/server/store/prepared-query.ts';
import { sqliteDb } from '../../../src/server/store/sqlite.ts';

async function openMeta() {
  const db = sqliteDb(new DatabaseSync(':memory:'));
  onTestFinished(async () => await db.destroy());
  await migrate(db);
  await db.deleteFrom('meta').execute();
  const rows = ['a', 'b', 'c'].map((key) => ({ key, value: `value of ${key}` }));
  await db.insertInto('meta').values(rows).execute();
  return db;
}

test('A prepared query is built once, and each call brings its own values', async () => {
  const db = await openMeta();
  let built = 0;
  const values = new PreparedQuery((handle, { key }: { readonly key: string }) => {
    built++;
    return handle.selectFrom('meta').select('value').where('key', '=', key);
  });
  for (const key of ['a', 'b', 'none', 'a']) {
    const expected = key === 'none' ? undefined : { value: `value of ${key}` };
    expect(await values.first(db, { key })).toEqual(expected);
  }
  expect(built).toBe(1);
});

test('A prepared query has one form for each set of missing values, and for each literal', async () => {
  const db = await openMeta();
  const keys = new PreparedQuery((handle, { first }: { readonly first: string | null }, order) => {
    const all = handle
      .selectFrom('meta')
      .select('key')
      .orderBy('key', order as 'asc' | 'desc');
    return first === null ? all : all.where('key', '>=', first);
  });
  const read = async (first: string | null, order: string) =>
    (await keys.all(db, { first }, order)).map(({ key }) => key).join('');
  for (const round of [1, 2]) {
    expect([round, await read(null, 'asc')]).toEqual([round, 'abc']);
    expect([round, await read(null, 'desc')]).toEqual([round, 'cba']);
    expect([round, await read('b', 'asc')]).toEqual([round, 'bc']);
    expect([round, await read('c', 'asc')]).toEqual([round, 'c']);
    expect([round, await read('b', 'desc')]).toEqual([round, 'cb']);
  }
});

test('A prepared statement says how many rows it has changed', async () => {
  const db = await openMeta();
  const put = new PreparedQuery((handle, row: { readonly key: string; readonly value: string }) =>
    handle
      .insertInto('meta')
      .values(row)
      .onConflict((conflict) => conflict.column('key').doNothing()),
  );
  expect((await put.run(db, { key: 'd', value: 'new' })).numAffectedRows).toBe(1n);
  expect((await put.run(db, { key: 'd', value: 'other' })).numAffectedRows).toBe(0n);
  const { rows } = await sql`select value from meta where key = 'd'`.execute(db);
  expect(rows).toEqual([{ value: 'new' }]);
});
