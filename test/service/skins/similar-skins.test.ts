import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drawSmith } from '../../../examples/characters/smith.ts';
import type { SimilarSkin } from '../../../src/protocol/skin.ts';
import { type Db, dbOf } from '../../../src/server/store/db.ts';
import { similarSkins } from '../../../src/server/store/similar-skins.ts';
import { changeSkin } from '../../../src/server/store/skins.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { pixelOffsets, type Rect } from '../../../src/skin/regions.ts';
import { mostlyOnSqlite } from '../../support/postgres/on-postgres.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { ownFolder } from '../../support/server/own-folder.ts';
import { userWithPlan } from '../../support/server/plans.ts';
import { guardAgainstLeaks, openOwnStore, runServer } from '../../support/server/running-server.ts';
import { hashOfData, keepData, record } from '../../support/server/skin-records.ts';
import { expectRefusal, TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

async function make(
  caller: TestCaller,
  picture: number | string,
  fields: Record<string, string> = {},
): Promise<string> {
  const png =
    typeof picture === 'number'
      ? skinPng(picture)
      : readFileSync(join(import.meta.dirname, '../../../examples', picture));
  return String((await caller.upload('/v2/generate', png, fields)).body.skin?.uuid);
}

async function similarTo(caller: TestCaller, uuid: string): Promise<SimilarSkin[]> {
  const { status, bytes } = await caller.get(`/v2/skins/${uuid}/similar`);
  expect(status).toBe(200);
  return (JSON.parse(bytes.toString()) as { skins: SimilarSkin[] }).skins;
}

test('Skins of the same picture come first, then those that look alike', async () => {
  const { owner, anonymous } = await runServer();
  const classic = await make(owner, 'smith.png', { variant: 'classic', name: 'Smith' });
  for (const other of ['robot.png', 'ranger-slim.png', 'knight-overlay.png']) await make(owner, other);
  expect(await similarTo(anonymous(), classic)).toEqual([]);

  const slim = await make(owner, 'smith.png', { variant: 'slim' });
  const again = await make(owner, 'smith.png', { variant: 'classic', name: 'Wayland' });
  const retouched = await makeChanged(owner, { x: 20, y: 20, width: 8, height: 12 });
  const unseen = await makeChanged(owner, { x: 0, y: 0, width: 2, height: 2 });
  const similar = await similarTo(anonymous(), classic);
  expect(similar.slice(0, 2).toSorted((a, b) => a.variant.localeCompare(b.variant))).toEqual([
    { uuid: again, name: 'Wayland', variant: 'classic', distance: 0 },
    { uuid: slim, variant: 'slim', distance: 0 },
  ]);
  expect(similar.slice(2)).toEqual([
    { uuid: unseen, variant: 'classic', distance: 0.001 },
    { uuid: retouched, variant: 'classic', distance: expect.any(Number) },
  ]);
  expect(similar[3]?.distance).toBeGreaterThan(0.001);
  const alike = (await similarTo(anonymous(), retouched)).map(({ uuid }) => uuid);
  expect(alike.filter((uuid) => [classic, slim, again].includes(uuid))).toHaveLength(1);
});

/** The smith with a part of the picture in a reddish tone. */
async function makeChanged(caller: TestCaller, part: Rect): Promise<string> {
  const picture = drawSmith();
  for (const at of pixelOffsets(part, picture.width)) {
    picture.pixels[at] = 200;
    picture.pixels[at + 3] = 255;
  }
  return String((await caller.upload('/v2/generate', encodePng(picture))).body.skin?.uuid);
}

mostlyOnSqlite(test)('One skin is shown for each name, arms and cape of a picture', async () => {
  const server = await runServer();
  const first = await make(server.owner, 1, { name: 'one' });
  for (const name of ['ann', 'bob', 'emil']) await make(await server.user(name), 1, { name: 'two' });
  const similar = await similarTo(server.anonymous(), first);
  expect(similar.map(({ name, distance }) => [name, distance])).toEqual([['two', 0]]);
});

mostlyOnSqlite(test)('Similar skins of others are public ones, and never hidden ones', async () => {
  const server = await runServer();
  const [ann, bob] = [await userWithPlan(server, 'ann'), await userWithPlan(server, 'bob')];
  const narrow = await ann.json('/v2/account/keys', { scopes: ['generate'] });
  const callers = {
    anonymous: server.anonymous(),
    ann,
    'a key of ann’s without read': new TestCaller(server.url, {
      key: String(narrow.body.key?.secret),
      dataDir: server.dataDir,
    }),
    bob,
    operator: server.owner,
  };
  const asked = await make(server.owner, 1);
  const kinds = {
    public: await make(ann, 2),
    unlisted: await make(ann, 3, { visibility: 'unlisted' }),
    private: await make(ann, 4, { visibility: 'private' }),
    hidden: await make(ann, 5),
    deleted: await make(ann, 6),
    'private, of the same picture': await make(ann, 1, { visibility: 'private', name: 'mine' }),
    'unlisted, made without a key': await make(server.anonymous(), 7, { visibility: 'unlisted' }),
  };
  await server.owner.patch(`/v2/account/skins/${kinds.hidden}`, { hidden: true });
  await ann.send('DELETE', `/v2/skins/${kinds.deleted}`);
  const seen: Record<string, string[]> = {};
  for (const [name, caller] of Object.entries(callers)) {
    const found = (await similarTo(caller, asked)).map(({ uuid }) => uuid);
    seen[name] = Object.entries(kinds).flatMap(([kind, uuid]) => (found.includes(uuid) ? [kind] : []));
    expect(found).toHaveLength(seen[name].length);
  }
  const PUBLIC = ['public'];
  expect(seen).toEqual({
    anonymous: PUBLIC,
    ann: ['public', 'unlisted', 'private', 'private, of the same picture'],
    'a key of ann’s without read': PUBLIC,
    bob: PUBLIC,
    operator: PUBLIC,
  });
  expectRefusal(await bob.get(`/v2/skins/${kinds.private}/similar`), 'skin_not_found');
});

async function ownDb(): Promise<Db> {
  return (await openOwnStore(await ownFolder())).db;
}

mostlyOnSqlite(test)(
  'However many skins have a picture, those with other arms, another cape or another name are found',
  async () => {
    const db = await ownDb();
    const picture = { texture_hash: hashOfData('b classic') };
    for (let n = 0; n < 60; n++) {
      await keepData(db, `a secret ${n}`, 0, { ...picture, cape_hash: 'red' });
      await record(db, { identity: `a secret ${n}`, owner: `secret ${n}`, visibility: 'private' });
    }
    await keepData(db, 'b classic', 0, picture);
    for (let n = 0; n < 60; n++) await record(db, { identity: 'b classic', owner: `${n}` });
    await keepData(db, 'c caped', 0, { ...picture, cape_hash: 'red' });
    await keepData(db, 'd slim', 0, { ...picture, variant: 'slim' });
    for (const owner of ['ann', 'bob'])
      for (const name of ['Smith', 'Jones']) await record(db, { identity: 'd slim', owner, name });
    await record(db, { identity: 'c caped' });
    const skin = await record(db, { identity: 'b classic', owner: 'zoe', name: 'Miller' });
    const looks = async (size: number) =>
      (await similarSkins(db, skin, { viewer: undefined, size })).map(
        ({ variant, cape_hash, name, distance }) => [variant, cape_hash, name, distance],
      );
    const first = [
      ['classic', null, null, 0],
      ['classic', 'red', null, 0],
      ['slim', null, 'Smith', 0],
    ];
    expect(await looks(3)).toEqual(first);
    expect(await looks(12)).toEqual([...first, ['slim', null, 'Jones', 0]]);
  },
);

mostlyOnSqlite(test)('Skins that the viewer may not see do not displace similar ones', async () => {
  const db = await ownDb();
  for (let n = 0; n < 150; n++) {
    await keepData(db, `a uniform ${n}`);
    await record(db, { identity: `a uniform ${n}`, owner: 'school', visibility: 'private' });
  }
  await keepData(db, 'b face');
  await keepData(db, 'c other');
  const [skin, other] = [await record(db, { identity: 'b face' }), await record(db, { identity: 'c other' })];
  const similar = async (viewer?: string) =>
    (await similarSkins(db, skin, { viewer, size: 3 })).map(({ uuid, visibility }) => [uuid, visibility]);
  expect(await similar()).toEqual([[other.uuid, 'public']]);
  expect((await similar('school')).map(([, visibility]) => visibility)).toEqual([
    'private',
    'private',
    'private',
  ]);
});

test('A skin that becomes private during the search is not in the result', async () => {
  const db = await ownDb();
  for (const identity of ['face', 'other']) await keepData(db, identity);
  const [skin, other] = [await record(db), await record(db, { identity: 'other' })];
  const found: string[] = [];
  const hiding = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (result.rows.some((row) => row['skin'] === other.id)) {
        found.push(other.uuid);
        await changeSkin(db, other.id, { visibility: 'private' });
      }
      return result;
    },
  });
  expect(await similarSkins(dbOf(hiding, db.store), skin, { viewer: undefined, size: 3 })).toEqual([]);
  expect(found).toContain(other.uuid);
});
