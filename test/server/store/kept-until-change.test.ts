import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { flushUsage, partsOf } from '../../../src/server/store/adapter-parts.ts';
import { type Db, inTransaction } from '../../../src/server/store/db.ts';
import { KeptUntilChange } from '../../../src/server/store/kept-until-change.ts';
import { StoreReplacedError } from '../../../src/server/store/open-files.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { openOwnStore } from '../../support/server/running-server.ts';

async function write(db: Db, key: string): Promise<void> {
  await db.insertInto('meta').values({ key, value: 'x' }).execute();
}

async function openKept(folder: string): Promise<Store & { kept: KeptUntilChange<string> }> {
  const store = await openOwnStore(folder);
  const sizeOf = (text: string) => text.length;
  return { ...store, kept: new KeptUntilChange<string>(store.db, { maxBytes: 10_000, sizeOf }) };
}

/** As the event loop goes on to what has happened since. */
async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test('A value is found until this process writes anything', async () => {
  const { db, kept } = await openKept(await ownFolder());
  expect(kept.find('a')).toBeUndefined();
  expect(await kept.make('a', async () => 'made')).toBe('made');
  expect(kept.find('a')).toBe('made');
  await write(db, 'new');
  expect(kept.find('a')).toBeUndefined();
});

test('What is counted about keys is no change, unlike whatever else a transaction writes', async () => {
  const { db, kept } = await openKept(await ownFolder());
  await kept.make('a', async () => 'made');
  const count = async (tx: Db) => {
    partsOf(tx).usage.useKey(tx, { id: 'key', last_used_at: null }, 1);
    partsOf(tx).usage.countGeneration(tx, 'key');
    await flushUsage(tx);
  };
  await count(db);
  expect(kept.find('a')).toBe('made');
  await inTransaction(db, async (tx) => await write(tx, 'new'));
  expect(kept.find('a')).toBeUndefined();
});

test('A statement that finds nothing to change is no change', async () => {
  const { db, kept } = await openKept(await ownFolder());
  await kept.make('a', async () => 'made');
  await db.updateTable('jobs').set({ run_at: 1 }).where('owner', '=', 'nobody').execute();
  await db.deleteFrom('meta').where('key', '=', 'unknown').returning('key').execute();
  await inTransaction(db, async (tx) => void (await tx.deleteFrom('jobs').execute()));
  expect(kept.find('a')).toBe('made');
  await write(db, 'new');
  await kept.make('a', async () => 'made');
  await db.deleteFrom('meta').where('key', '=', 'new').returning('key').execute();
  expect(kept.find('a')).toBeUndefined();
});

test('A value that is asked for during a transaction is made of what was committed', async () => {
  const { db, kept } = await openKept(await ownFolder());
  const countOfMeta = async () => String((await db.selectFrom('meta').select('key').execute()).length);
  const before = await kept.make('a', countOfMeta);
  let during: Promise<string> | undefined;
  await inTransaction(db, async (tx) => {
    await write(tx, 'new');
    expect(kept.find('a')).toBeUndefined();
    during = kept.make('a', countOfMeta);
    await nextTurn();
  });
  expect(Number(await during)).toBe(Number(before) + 1);
  expect(Number(kept.find('a') ?? (await countOfMeta()))).toBe(Number(before) + 1);
});

test('It is found until another process writes anything', async () => {
  const folder = await ownFolder();
  const { kept } = await openKept(folder);
  const { db: other } = await openOwnStore(folder);
  await kept.make('a', async () => 'made');
  await nextTurn();
  expect(kept.find('a')).toBe('made');
  await write(other, 'new');
  await nextTurn();
  expect(kept.find('a')).toBeUndefined();
});

test('A value is not found if the store was changed while it was made', async () => {
  const { db, kept } = await openKept(await ownFolder());
  await kept.make('a', async () => {
    await write(db, 'new');
    return 'made of what was there before';
  });
  expect(kept.find('a')).toBeUndefined();
});

test('Nothing is found any more when the files of the store were removed', async () => {
  const folder = await ownFolder();
  const { kept, isReplaced } = await openKept(folder);
  await kept.make('a', async () => 'made');
  await rm(join(folder, 'skinsmith.db'));
  expect(isReplaced()).toBe(true);
  expect(() => kept.find('a')).toThrow(StoreReplacedError);
});
