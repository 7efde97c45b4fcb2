import { describe, expect, onTestFinished, test } from 'vitest';
import { makeKeyOfOwner, makeLinkOfOwner } from '../../../../../src/server/assembly/owner.ts';
import { NoStoreError } from '../../../../../src/server/store/postgres/postgres-store.ts';
import { openStore } from '../../../../../src/server/store/sqlite.ts';
import { copyStore, type StorePlace } from '../../../../../src/server/store-copy/copy-store.ts';
import { emptyDatabase, ownDatabase } from '../../../../support/postgres/own-database.ts';
import { type PoolMode, pooler } from '../../../../support/postgres/pooler.ts';
import { fillStore } from '../../../../support/server/filled-store.ts';
import { MovableClock } from '../../../../support/server/movable-clock.ts';
import { ownFolder } from '../../../../support/server/own-folder.ts';
import { sampled } from '../../../../support/setup/extent.ts';

/** In `npm test`, the one that keeps nothing of a session. */
const MODES = sampled<PoolMode>(['transaction', 'session'], 2);

async function copy(from: StorePlace, to: StorePlace) {
  const { signal } = new AbortController();
  return (await copyStore({ from, to, signal, onProgress: () => {} })).tables;
}

async function filledFolder(): Promise<string> {
  const folder = await ownFolder();
  const { db, close } = await openStore(folder);
  onTestFinished(close);
  await fillStore(db);
  return folder;
}

describe('Behind an unannounced pooler', () => {
  test.each(MODES)('a store is copied to a database, and back: %s', async (mode) => {
    const postgres = { url: await pooler(await ownDatabase(), mode) };
    const there = await copy({ folder: await filledFolder() }, { postgres });
    expect(there).toContainEqual(expect.objectContaining({ table: 'skins', rows: expect.any(Number) }));
    expect(await copy({ postgres }, { folder: await ownFolder() })).toEqual(there);
  });

  test.each(MODES)('the owner gets keys and links: %s', async (mode) => {
    const store = { url: await pooler(await ownDatabase(), mode) };
    const at = { dataDir: await ownFolder(), store };
    const clock = new MovableClock();
    for (const name of ['one', 'two'])
      expect(await makeKeyOfOwner(at, { name }, clock)).toMatchObject({ name });
    expect(await makeLinkOfOwner(at, clock)).toMatchObject({ path: expect.stringContaining('secret=') });
  });

  test.each(MODES)('no key of the owner is put into an empty database, nor are tables: %s', async (mode) => {
    const url = await emptyDatabase();
    const at = { dataDir: await ownFolder(), store: { url: await pooler(url, mode) } };
    for (const _ of [1, 2])
      await expect(makeKeyOfOwner(at, { name: 'key' }, new MovableClock())).rejects.toThrow(NoStoreError);
    expect(await copy({ folder: await filledFolder() }, { postgres: { url } })).not.toEqual([]);
  });
});
