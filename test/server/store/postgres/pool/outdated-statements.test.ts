import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Db, inTransaction } from '../../../../../src/server/store/db.ts';
import { openPostgresDb } from '../../../../../src/server/store/postgres/postgres-store.ts';
import { ownDatabase } from '../../../../support/postgres/own-database.ts';

const read = async (db: Db, id: number) =>
  (await sql`select * from growing where id = ${id}`.execute(db)).rows;

/** A table that is no part of the store, with a row. */
async function openWithTable(): Promise<{ db: Db; addColumn: (name: string) => Promise<void> }> {
  const db = await openPostgresDb(await ownDatabase());
  const run = async (text: string) => void (await sql.raw(text).execute(db));
  onTestFinished(async () => {
    await run('drop table growing');
    await db.destroy();
  });
  await run('create table growing (id int)');
  await run('insert into growing values (1)');
  return { db, addColumn: async (name) => await run(`alter table growing add column ${name} int default 7`) };
}

describe('A table that a newer node gives another column', () => {
  test('is still read by statements that were prepared before', async () => {
    const { db, addColumn } = await openWithTable();
    expect(await read(db, 1)).toEqual([{ id: 1 }]);
    await addColumn('first');
    expect(await read(db, 1)).toEqual([{ id: 1, first: 7 }]);
    await addColumn('second');
    expect(await read(db, 1)).toEqual([{ id: 1, first: 7, second: 7 }]);
  });

  test('is still read by transactions, which begin again', async () => {
    const { db, addColumn } = await openWithTable();
    expect(await read(db, 1)).toEqual([{ id: 1 }]);
    await addColumn('first');
    let attempts = 0;
    const rows = await inTransaction(db, async (tx) => {
      attempts++;
      await sql`update growing set id = id where id = ${2}`.execute(tx);
      return await read(tx, 1);
    });
    expect([rows, attempts]).toEqual([[{ id: 1, first: 7 }], 2]);
  });
});
