import { describe, expect, test } from 'vitest';
import { findOwnSkin, findSkin, listOwnSkins, listPublicSkins } from '../../../src/server/store/skins.ts';
import type { Db } from '../../../src/server/store/store.ts';
import { dropUnusedTextures, findTexture, keepTexture } from '../../../src/server/store/textures.ts';
import { ownFolder } from '../own-folder.ts';
import { openOwnStore } from '../running-server.ts';
import { keepData, record } from './skin-records.ts';

async function ownDb(): Promise<Db> {
  const { db } = await openOwnStore(await ownFolder());
  await keepData(db, 'face');
  return db;
}

const names = (skins: readonly { name: string | null }[]) => skins.map(({ name }) => name);

describe("A caller's record of signed data", () => {
  test.each([
    ['nothing else', {}, {}, true],
    ['no name where there is one', { name: 'Smith' }, {}, true],
    ['the same name', { name: 'Smith' }, { name: 'Smith' }, true],
    ['another name', { name: 'Smith' }, { name: 'Jones' }, false],
    ['a name where there is none', {}, { name: 'Smith' }, false],
    ['another visibility', {}, { visibility: 'unlisted' as const }, false],
    ['another owner', {}, { owner: 'bob' }, false],
    ['other data', {}, { identity: 'other face' }, false],
  ])('Asked again with %s', async (_, first, second, isSame) => {
    const db = await ownDb();
    await keepData(db, 'other face');
    const before = await record(db, first);
    const after = await record(db, second);
    expect(after.uuid === before.uuid).toBe(isSame);
    expect(after).toMatchObject({
      owner: 'ann',
      identity: 'face',
      visibility: 'public',
      ...(isSame ? first : second),
    });
  });

  test('Looking for one makes none', async () => {
    const db = await ownDb();
    const wanted = { owner: 'ann', identity: 'face', name: null, visibility: 'public' } as const;
    expect(await findOwnSkin(db, wanted)).toBeUndefined();
    expect(await listPublicSkins(db, { size: 10 })).toEqual([]);
  });

  test('It is found by its UUID with the data it stands for', async () => {
    const db = await ownDb();
    const { uuid } = await record(db, { name: 'Smith' });
    expect(await findSkin(db, uuid)).toMatchObject({ uuid, name: 'Smith', value: 'value of face', views: 0 });
  });
});

describe('The list of public skins', () => {
  test('has public ones alone, of everybody, newest first', async () => {
    const db = await ownDb();
    for (const [name, owner, visibility] of [
      ['first', 'ann', 'public'],
      ['hidden', 'ann', 'private'],
      ['by link', 'ann', 'unlisted'],
      ['second', 'bob', 'public'],
    ] as const)
      await record(db, { name, owner, visibility });
    expect(names(await listPublicSkins(db, { size: 10 }))).toEqual(['second', 'first']);
    expect(names(await listOwnSkins(db, 'ann', { size: 10 }))).toEqual(['by link', 'hidden', 'first']);
  });

  test('reads page by page without gap or repetition while new skins come in', async () => {
    const db = await ownDb();
    for (let n = 1; n <= 7; n++) await record(db, { name: `old ${n}` });
    const seen: (string | null)[] = [];
    let after: string | undefined;
    for (;;) {
      const page = await listPublicSkins(db, { size: 3, after });
      if (page.length === 0) break;
      seen.push(...names(page));
      after = page.at(-1)?.uuid;
      await record(db, { name: `new after ${seen.length}` });
    }
    expect(seen).toEqual(['old 7', 'old 6', 'old 5', 'old 4', 'old 3', 'old 2', 'old 1']);
  });

  test('is empty after a UUID that nobody has', async () => {
    const db = await ownDb();
    await record(db);
    expect(await listPublicSkins(db, { size: 10, after: 'nobody' })).toEqual([]);
  });

  test.each([
    ['smi', ['Smith', 'blacksmith']],
    ['%', ['100% wool']],
    ['_', ['under_score']],
    ['\\', ['back\\slash']],
    ["'", ["o'clock"]],
    ['nothing like it', []],
    ['', ["o'clock", 'back\\slash', 'under_score', '100% wool', 'blacksmith', 'Smith']],
  ])('takes the filter %j literally', async (filter, expected) => {
    const db = await ownDb();
    for (const name of ['Smith', 'blacksmith', '100% wool', 'under_score', 'back\\slash', "o'clock"])
      await record(db, { name });
    const found = names(await listPublicSkins(db, { size: 10, filter }));
    expect(found.toSorted()).toEqual(expected.toSorted());
  });

  test('never shows a private or unlisted one, whatever is asked', async () => {
    const db = await ownDb();
    const hidden = await record(db, { name: 'secret', visibility: 'private' });
    await record(db, { name: 'secret too', visibility: 'unlisted' });
    for (const page of [{ size: 128 }, { size: 128, filter: 'secret' }, { size: 128, after: hidden.uuid }])
      expect(await listPublicSkins(db, page)).toEqual([]);
  });
});

describe('Pictures that nobody needs', () => {
  test('are dropped when old; those with signed data stay', async () => {
    const db = await ownDb();
    const face = (await record(db)).texture_hash;
    for (const [hash, created_at] of [
      ['old', 10],
      ['fresh', 20],
    ] as const)
      await keepTexture(db, { hash, width: 64, height: 64, png: new Uint8Array(1), created_at });
    await dropUnusedTextures(db, 20);
    const left = await Promise.all(
      ['old', 'fresh', face].map(async (hash) => (await findTexture(db, hash))?.hash),
    );
    expect(left).toEqual([undefined, 'fresh', face]);
  });
});
