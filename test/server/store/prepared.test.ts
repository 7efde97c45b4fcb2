import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Db, inTransaction } from '../../../src/server/store/db.ts';
import { prepare } from '../../../src/server/store/prepared.ts';
import { openSqliteFile } from '../../../src/server/store/sqlite.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { openOwnStore } from '../../support/server/running-server.ts';

interface Wanted {
  readonly key: string;
  readonly value?: string;
}

const KEEP = prepare((db, row: Required<Wanted>) => db.insertInto('meta').values(row));

/** Looks by key, by value too where one is given, and counts how often it is built. */
function makeLook() {
  const built = { times: 0 };
  const look = prepare((db, { key, value }: Wanted) => {
    built.times++;
    const rows = db.selectFrom('meta').select('value').where('key', '=', key);
    return value === undefined ? rows : rows.where('value', '=', value);
  });
  return { built, look };
}

async function openDb(): Promise<Db> {
  const { db } = await openOwnStore(await ownFolder());
  for (const key of ['a', 'b']) await KEEP.run(db, { key, value: `of ${key}` });
  return db;
}

describe('A prepared query', () => {
  test('is built once, and runs with the values it is given each time', async () => {
    const db = await openDb();
    const { built, look } = makeLook();
    expect(await look.first(db, { key: 'a' })).toEqual({ value: 'of a' });
    expect(await look.first(db, { key: 'b' })).toEqual({ value: 'of b' });
    expect(await look.first(db, { key: 'c' })).toBeUndefined();
    await expect(look.only(db, { key: 'c' })).rejects.toThrow('no result');
    expect(built.times).toBe(1);
  });

  test('is another one where other values are given', async () => {
    const db = await openDb();
    const { built, look } = makeLook();
    for (let round = 0; round < 2; round++) {
      expect(await look.all(db, { key: 'a' })).toHaveLength(1);
      expect(await look.all(db, { key: 'a', value: 'of b' })).toEqual([]);
      expect(await look.all(db, { value: 'of b', key: 'b' })).toHaveLength(1);
    }
    expect(built.times).toBe(3);
  });

  test('outside a transaction waits for one that is open, and sees what it has committed', async () => {
    const db = await openDb();
    const { look } = makeLook();
    const seen: unknown[] = [];
    let outside: Promise<unknown> | undefined;
    await inTransaction(db, async (tx) => {
      await KEEP.run(tx, { key: 'c', value: 'of c' });
      outside = look.first(db, { key: 'c' }).then((row) => seen.push(row));
      await new Promise((resolve) => setImmediate(resolve));
      expect(seen).toEqual([]);
      expect(await look.first(tx, { key: 'c' })).toEqual({ value: 'of c' });
    });
    await outside;
    expect(seen).toEqual([{ value: 'of c' }]);
  });

  test('is built anew for another store', async () => {
    const [one, other] = [await openDb(), await openDb()];
    const { built, look } = makeLook();
    for (const db of [one, other, one]) await look.first(db, { key: 'a' });
    expect(built.times).toBe(2);
  });

  test('belongs to the transaction that it is run in', async () => {
    const db = await openDb();
    const { built, look } = makeLook();
    expect(await look.first(db, { key: 'new' })).toBeUndefined();
    const work = inTransaction(db, async (tx) => {
      await KEEP.run(tx, { key: 'new', value: 'in it' });
      expect(await look.first(tx, { key: 'new' })).toEqual({ value: 'in it' });
      throw new Error('rolled back');
    });
    await expect(work).rejects.toThrow('rolled back');
    expect(await look.first(db, { key: 'new' })).toBeUndefined();
    expect(built.times).toBe(1);
  });

  test('says how many rows it has changed', async () => {
    const db = await openDb();
    const change = prepare((store, { value, key }: Required<Wanted>) =>
      store.updateTable('meta').set({ value }).where('key', '=', key),
    );
    expect(await change.change(db, { key: 'a', value: 'x' })).toBe(1);
    expect(await change.change(db, { key: 'none', value: 'x' })).toBe(0);
  });
});

test('A column that a newer process adds meanwhile does not shift the others', async () => {
  const path = join(await ownFolder(), 'it.db');
  const { dialect } = await openSqliteFile(path);
  const db = new Kysely<{ one: { a: number }; two: { b: number } }>({ dialect });
  const newer = new DatabaseSync(path);
  onTestFinished(async () => {
    newer.close();
    await db.destroy();
  });
  newer.exec(
    'create table one (a); create table two (b); insert into one values (1); insert into two values (2)',
  );
  const read = () =>
    db
      .selectFrom('one')
      .innerJoin('two', (join) => join.onTrue())
      .selectAll('one')
      .select('two.b')
      .execute();
  expect(await read()).toEqual([{ a: 1, b: 2 }]);
  newer.exec("alter table one add column added default 'new'");
  expect(await read()).toEqual([{ a: 1, added: 'new', b: 2 }]);
});
