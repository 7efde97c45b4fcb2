import { describe, expect, test } from 'vitest';
import { lookUp } from '../../../src/server/queue/enqueue.ts';
import { nameThisNode } from '../../../src/server/queue/leases.ts';
import { type Db, inTransaction } from '../../../src/server/store/db.ts';
import { deleteSkinRow, findOwnSkin, findSkin, listSkins } from '../../../src/server/store/skins.ts';
import { findServedTexture, keepTexture, pruneUnusedTextures } from '../../../src/server/store/textures.ts';
import { LIMITS, newJob, TEXTURE_HASH } from '../../contract/jobs.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { openOwnStore } from '../../support/server/running-server.ts';
import { keepData, record } from '../../support/server/skin-records.ts';
import { TestQueue } from '../../support/server/test-queue.ts';

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
  ])('is kept or made anew when requested again with %s', async (_, first, second, isSame) => {
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

  test('A look-up creates no record', async () => {
    const db = await ownDb();
    const wanted = { owner: 'ann', identity: 'face', name: null, visibility: 'public' } as const;
    expect(await findOwnSkin(db, wanted)).toBeUndefined();
    expect(await listSkins(db, 'public', { size: 10 })).toEqual([]);
  });

  test('Existing data is returned in the requested order, with the oldest matching record', async () => {
    const db = await ownDb();
    await keepData(db, 'a face');
    await record(db, { name: 'Jones', owner: 'bob' });
    await record(db, { name: 'Jones', visibility: 'unlisted' });
    const [smith, jones] = [await record(db, { name: 'Smith' }), await record(db, { name: 'Jones' })];
    const look = async (pair: [string, string], name: string | null) => {
      const of = { owner: 'ann', textureHash: 'hash', visibility: 'public' } as const;
      const wanted = { ...of, name, identities: pair };
      const { known } = await lookUp(db, wanted, 0);
      return known.map(({ identity, own }) => [identity, own?.uuid]);
    };
    expect(await look(['face', 'none'], null)).toEqual([['face', smith.uuid]]);
    expect(await look(['face', 'none'], 'Jones')).toEqual([['face', jones.uuid]]);
    expect(await look(['face', 'none'], 'Miller')).toEqual([['face', undefined]]);
    const both = [
      ['face', smith.uuid],
      ['a face', undefined],
    ];
    expect(await look(['face', 'a face'], null)).toEqual(both);
    expect(await look(['a face', 'face'], null)).toEqual(both.toReversed());
    expect(await look(['none', 'nothing'], null)).toEqual([]);
    const wanted = { owner: 'ann', textureHash: 'hash', visibility: 'public', name: null } as const;
    const { known } = await lookUp(db, { ...wanted, identities: ['face', 'none'] }, 0);
    expect(known[0]?.own).toEqual(await findSkin(db, smith.uuid));
  });

  test('A record is found by its UUID, together with its data', async () => {
    const db = await ownDb();
    const { uuid } = await record(db, { name: 'Smith' });
    expect(await findSkin(db, uuid)).toMatchObject({ uuid, name: 'Smith', value: 'value of face', views: 0 });
  });
});

describe('The list of skins', () => {
  test('lists the public skins of everyone, or all of one owner, newest first', async () => {
    const db = await ownDb();
    for (const [name, owner, visibility] of [
      ['first', 'ann', 'public'],
      ['hidden', 'ann', 'private'],
      ['by link', 'ann', 'unlisted'],
      ['second', 'bob', 'public'],
    ] as const)
      await record(db, { name, owner, visibility });
    expect(names(await listSkins(db, 'public', { size: 10 }))).toEqual(['second', 'first']);
    expect(names(await listSkins(db, { owner: 'ann' }, { size: 10 }))).toEqual([
      'by link',
      'hidden',
      'first',
    ]);
  });

  test('reads page by page without gap or repetition while skins come and go', async () => {
    const db = await ownDb();
    for (let n = 1; n <= 7; n++) await record(db, { name: `old ${n}` });
    const seen: (string | null)[] = [];
    let before: number | undefined;
    for (;;) {
      const page = await listSkins(db, 'public', {
        size: 3,
        before: before === undefined ? undefined : { id: before, views: 0 },
      });
      const last = page.at(-1);
      if (!last) break;
      seen.push(...names(page));
      before = last.id;
      await record(db, { name: `new after ${seen.length}` });
      await deleteSkinRow(db, last.id);
    }
    expect(seen).toEqual(['old 7', 'old 6', 'old 5', 'old 4', 'old 3', 'old 2', 'old 1']);
  });
});

describe('A picture', () => {
  test('is dropped when it is old and neither data nor a job nor a cape needs it', async () => {
    const db = await ownDb();
    const face = (await record(db)).texture_hash;
    const bare = { width: 64, height: 64, png: new Uint8Array(1) };
    for (const [hash, created_at] of [
      ['old', 10],
      ['fresh', 20],
      ['cape', 10],
      ['worn', 10],
      [TEXTURE_HASH, 10],
    ] as const)
      await keepTexture(db, { hash, created_at, ...bare });
    await db
      .insertInto('capes')
      .values({ uuid: 'c', alias: 'c', texture_hash: 'cape', support: 'public', created_at: 0 })
      .execute();
    await new TestQueue(db, { self: nameThisNode() }).submit(newJob({ capeHash: 'worn' }), LIMITS);
    await pruneUnusedTextures(db, 20);
    const left = await db.selectFrom('textures').select('hash').execute();
    expect(left.map(({ hash }) => hash).toSorted()).toEqual(
      ['cape', 'fresh', 'worn', face, TEXTURE_HASH].toSorted(),
    );
  });

  test('is dropped wherever it stands among many', async () => {
    const db = await ownDb();
    const hashes = Array.from({ length: 2_500 }, (_, n) => n.toString(16).padStart(64, '0'));
    await inTransaction(db, async (tx) => {
      for (const hash of hashes)
        await keepTexture(tx, { hash, width: 64, height: 64, png: new Uint8Array(1), created_at: 0 });
    });
    await pruneUnusedTextures(db, 1);
    expect(await db.selectFrom('textures').select('hash').execute()).toHaveLength(1);
  });

  test('is served only while data or a cape needs it', async () => {
    const db = await ownDb();
    const { texture_hash } = await record(db);
    await keepTexture(db, { hash: 'bare', width: 64, height: 64, png: new Uint8Array(1), created_at: 0 });
    expect((await findServedTexture(db, texture_hash))?.hash).toBe(texture_hash);
    expect(await findServedTexture(db, 'bare')).toBeUndefined();
  });
});
