import { expect, test } from 'vitest';
import { offlineIdOf } from '../../../src/game/names.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { runGame } from '../../support/fake-game/run-game.ts';
import { addCape } from '../../support/server/drawn-capes.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { userWithPlan } from '../../support/server/plans.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal, type TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const PROFILE = '/sessionserver/session/minecraft/profile';
const addressOf = (id: string, type = 'skin') => `/api/user/profile/${id}/${type}`;

/** As authlib-injector's specification has it: parts `model` and `file`, and the token as Bearer. */
async function put(caller: TestCaller, address: string, png: Uint8Array, model?: string) {
  const form = new FormData();
  if (model !== undefined) form.set('model', model);
  form.set('file', new Blob([new Uint8Array(png)], { type: 'image/png' }), 'mine.png');
  const encoded = new Response(form);
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' };
  return await caller.send('PUT', address, { body: Buffer.from(await encoded.arrayBuffer()), headers });
}

async function world() {
  const game = await runGame();
  const server = await runServer({ gameAddresses: game.addresses });
  const [ann, bob] = [await userWithPlan(server, 'ann'), await userWithPlan(server, 'bob')];
  await server.owner.put('/v2/players/Steve', { user: 'ann' });
  return { game, server, owner: server.owner, ann, bob, nobody: server.anonymous() };
}

test('A launcher uploads a skin for a name of the user, and takes it off; the profile allows uploads', async () => {
  const { ann, nobody } = await world();
  const id = offlineIdOf('Steve');
  expect((await put(ann, addressOf(id), skinPng(1), 'slim')).status).toBe(204);
  expect(JSON.parse((await nobody.get('/csl/Steve.json')).bytes.toString())).toEqual({
    username: 'Steve',
    skins: { slim: pixelHash(drawSkin(1)) },
  });
  expect((await put(ann, addressOf(id), skinPng(2), '')).status).toBe(204);
  expect(JSON.parse((await nobody.get('/csl/Steve.json')).bytes.toString()).skins).toEqual({
    default: pixelHash(drawSkin(2)),
  });
  const { properties } = JSON.parse((await nobody.get(`${PROFILE}/${id}`)).bytes.toString());
  expect(properties[1]).toEqual({ name: 'uploadableTextures', value: 'skin' });
  expect((await ann.send('DELETE', addressOf(id))).status).toBe(204);
  expect((await nobody.get('/csl/Steve.json')).status).toBe(404);
  expect((await ann.get('/v2/players/Steve')).body.player).toMatchObject({ user: 'ann' });
});

test("Uploads for another user's name, for a free name or without a key are refused", async () => {
  const { bob, nobody } = await world();
  for (const id of [offlineIdOf('Steve'), offlineIdOf('Alex'), 'nonsense']) {
    expectRefusal(await put(bob, addressOf(id), skinPng(1), ''), 'player_not_found', 404);
    expectRefusal(await bob.send('DELETE', addressOf(id)), 'player_not_found', 404);
    expect((await put(nobody, addressOf(id), skinPng(1))).status).toBe(401);
  }
});

test('The UUID of a Minecraft account stands for its name; a profile with textures of Mojang announces no upload', async () => {
  const { game, owner, ann, nobody } = await world();
  const { id } = game.addPlayer({ name: 'Notch', skin: { picture: drawSkin(7), variant: 'classic' } });
  const properties = async () =>
    JSON.parse((await nobody.get(`${PROFILE}/${id}`)).bytes.toString()).properties as { name: string }[];
  expect((await properties()).map(({ name }) => name)).toEqual(['textures']);
  expectRefusal(await put(ann, addressOf(id), skinPng(1)), 'player_not_found', 404);
  await owner.put('/v2/players/Notch', { user: 'ann' });
  expect((await put(ann, addressOf(id), skinPng(1))).status).toBe(204);
  expect((await properties()).map(({ name }) => name)).toEqual(['textures', 'uploadableTextures']);
});

test('An uploaded cape must be one of the service’s; it stays when the skin changes, and is taken off alone', async () => {
  const { server, owner, nobody } = await world();
  const uuid = await addCape(server, 'team');
  const { body } = await owner.upload('/v2/generate?timeout=30', skinPng(1));
  await owner.put('/v2/players/Alex', { skin: body.skin?.uuid, cape: uuid });
  const cape = await nobody.get('/csl/capes/Alex.png');
  const id = offlineIdOf('Alex');
  expect((await owner.send('DELETE', addressOf(id, 'cape'))).status).toBe(204);
  expect((await nobody.get('/csl/capes/Alex.png')).status).toBe(404);
  expect((await put(owner, addressOf(id, 'cape'), cape.bytes)).status).toBe(204);
  expect((await put(owner, addressOf(id), skinPng(2), 'slim')).status).toBe(204);
  expect((await nobody.get('/csl/capes/Alex.png')).bytes).toEqual(cape.bytes);
  expectRefusal(await put(owner, addressOf(id, 'cape'), skinPng(3)), 'invalid_image', 400);
  await owner.send('DELETE', `/v2/account/capes/${uuid}`);
  expectRefusal(await put(owner, addressOf(id, 'cape'), cape.bytes), 'invalid_cape', 400);
});

test('An invalid skin or an unknown model changes nothing', async () => {
  const { ann } = await world();
  const address = addressOf(offlineIdOf('Steve'));
  expectRefusal(await put(ann, address, Buffer.from('no picture')), 'invalid_image', 400);
  expect((await put(ann, address, skinPng(1), 'wide')).status).toBe(400);
  expect((await ann.get('/v2/players/Steve')).body.player?.skin).toBeUndefined();
});
