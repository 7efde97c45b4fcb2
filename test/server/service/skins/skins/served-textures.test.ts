import { expect, test } from 'vitest';
import { ServedTextures } from '../../../../../src/server/service/skins/skins.ts';
import type { Db } from '../../../../../src/server/store/db.ts';
import { deleteTextureData } from '../../../../../src/server/store/textures.ts';
import { MovableClock } from '../../../../support/server/movable-clock.ts';
import { ownFolder } from '../../../../support/server/own-folder.ts';
import { openOwnStore } from '../../../../support/server/running-server.ts';
import { keepData, record } from '../../../../support/server/skin-records.ts';

async function served(): Promise<{ db: Db; clock: MovableClock; textures: ServedTextures; hash: string }> {
  const { db } = await openOwnStore(await ownFolder());
  await keepData(db, 'face');
  const { texture_hash: hash } = await record(db);
  const clock = new MovableClock();
  return { db, clock, textures: new ServedTextures({ db, clock }), hash };
}

test('A texture that is in demand comes from memory', async () => {
  const { textures, hash } = await served();
  const first = await textures.find(hash);
  expect(first?.hash).toBe(hash);
  expect(await textures.find(hash)).toBe(first);
});

test.each([
  ['later', 5_000],
  ['on a clock that was set back', -86_400_000],
])('A texture that nothing needs any more is not served some seconds %s', async (_, moved) => {
  const { db, clock, textures, hash } = await served();
  expect(await textures.find(hash)).toBeDefined();
  await db.deleteFrom('skins').execute();
  await deleteTextureData(db, 'face');
  clock.forward(moved);
  expect(await textures.find(hash)).toBeUndefined();
});

test('A missing texture is found as soon as it exists', async () => {
  const { db, textures } = await served();
  expect(await textures.find('later')).toBeUndefined();
  await db
    .insertInto('textures')
    .values({ hash: 'later', width: 64, height: 64, png: new Uint8Array(1), created_at: 0 })
    .execute();
  await db
    .insertInto('capes')
    .values({ uuid: 'c', alias: 'c', texture_hash: 'later', support: 'public', created_at: 0 })
    .execute();
  expect((await textures.find('later'))?.hash).toBe('later');
});
