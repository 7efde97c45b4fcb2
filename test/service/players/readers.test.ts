import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import type { GameAnswer } from '../../../src/game/errors.ts';
import { offlineIdOf } from '../../../src/game/names.ts';
import { joinedInWorn, withWorn } from '../../../src/server/service/players/profiles.ts';
import { isSignedBy, parsePublicKey } from '../../../src/textures/signing-key.ts';
import { runGame } from '../../support/fake-game/run-game.ts';
import { addCape } from '../../support/server/drawn-capes.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { userWithPlan } from '../../support/server/plans.ts';
import { guardAgainstLeaks, openOwnStore, runServer } from '../../support/server/running-server.ts';
import { expectRefusal, type Heard } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

/** A service on which the name Steve wears a skin with a cape, and Alex a slim one without. */
async function world() {
  const game = await runGame();
  const server = await runServer({ gameAddresses: game.addresses });
  const { owner } = server;
  const cape = await addCape(server, 'team');
  const dress = async (name: string, number: number, variant: string, wish: object = {}) => {
    const { body } = await owner.upload('/v2/generate?timeout=30', skinPng(number), { variant });
    await owner.put(`/v2/players/${name}`, { skin: body.skin?.uuid, ...wish });
    return body.skin!;
  };
  const steve = await dress('Steve', 1, 'classic', { cape });
  const alex = await dress('Alex', 2, 'slim');
  return { game, server, owner, steve, alex, nobody: server.anonymous() };
}

const pixelsOf = ({ bytes }: Heard) => new Uint8Array(PNG.sync.read(bytes).data);
/** As HttpRequestUtil.java of xfl03/MCCustomSkinLoader sends it, which sets no user agent unless the player configures one. */
const MOD = { 'user-agent': 'Java/17.0.9', 'accept-encoding': 'gzip' };

describe('CustomSkinLoader', () => {
  test('CustomSkinAPI: it requests root + name + .json, then root + textures/ + hash', async () => {
    const { nobody, steve, alex } = await world();
    const root = '/csl/';
    const profile = JSON.parse((await nobody.get(`${root}Steve.json`, MOD)).bytes.toString());
    expect(profile).toEqual({
      username: 'Steve',
      skins: { default: steve.texture.hash.skin },
      cape: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(pixelsOf(await nobody.get(`${root}textures/${profile.skins.default}`, MOD))).toEqual(
      drawSkin(1).pixels,
    );
    const { width, height } = PNG.sync.read((await nobody.get(`${root}textures/${profile.cape}`)).bytes);
    expect([width, height]).toEqual([64, 32]);
    const other = JSON.parse((await nobody.get(`${root}alex.json`, MOD)).bytes.toString());
    expect(other).toEqual({ username: 'Alex', skins: { slim: alex.texture.hash.skin } });
  });

  test('asks again with its kept entity tag, and learns that nothing has changed', async () => {
    const { owner, nobody, alex } = await world();
    const paths = ['/csl/Steve.json', '/csl/skins/Steve.png'];
    const tags = [];
    for (const path of paths) {
      const { headers } = await nobody.get(path);
      expect(headers['cache-control']).toBe('public, max-age=60');
      tags.push(String(headers['etag']));
    }
    for (const [n, path] of paths.entries())
      expect((await nobody.get(path, { 'if-none-match': tags[n]! })).status).toBe(304);
    await owner.put('/v2/players/Steve', { skin: alex.uuid });
    for (const [n, path] of paths.entries())
      expect((await nobody.get(path, { 'if-none-match': tags[n]! })).status).toBe(200);
  });

  // MineSkinAPIImpl.java of SkinsRestorer/SkinsRestorer sends the URL to MineSkin, which fetches the picture.
  test('gets pictures by name in its mode Legacy, and so does SkinsRestorer by URL', async () => {
    const { nobody } = await world();
    expect(pixelsOf(await nobody.get('/csl/skins/Steve.png'))).toEqual(drawSkin(1).pixels);
    expect(PNG.sync.read((await nobody.get('/csl/capes/STEVE.png')).bytes).height).toBe(32);
    expectRefusal(await nobody.get('/csl/capes/Alex.png'), 'player_not_found', 404);
  });

  test('gets the same answer for every name that shows nothing, possible or not', async () => {
    const { owner, nobody } = await world();
    await owner.put('/v2/players/Reserved', { user: 'owner' });
    const paths = ['/csl/Nobody.json', '/csl/Reserved.json', '/csl/Steve', '/csl/.json', '/csl/a-b.json'];
    const answers = [];
    for (const path of [...paths, '/csl/skins/Reserved.png', '/csl/capes/Nobody.png']) {
      const heard = await nobody.get(path);
      expect([path, heard.status]).toEqual([path, 404]);
      answers.push(heard.bytes.toString());
    }
    expect(new Set(answers).size).toBe(1);
  });

  test('no longer gets at any address what operators block', async () => {
    const { owner, nobody, steve } = await world();
    await owner.json('/v2/account/blocked-images', { skin: steve.uuid });
    const hash = steve.texture.hash.skin;
    for (const path of ['/csl/Steve.json', '/csl/skins/Steve.png', `/csl/textures/${hash}`])
      expect((await nobody.get(path)).status).toBe(404);
  });
});

// Profiles and names are asked for as YggdrasilClient.java of yushijinhun/authlib-injector does.
describe('authlib-injector', () => {
  const PROFILE = '/sessionserver/session/minecraft/profile';
  const read = ({ bytes }: Heard) =>
    JSON.parse(bytes.toString()) as {
      id: string;
      name: string;
      properties: { name: string; value: string; signature?: string }[];
    };

  test('The profile of an offline UUID has the worn textures, signed with the key of the service', async () => {
    const { nobody, steve, game } = await world();
    const before = game.calls.length;
    const id = offlineIdOf('Steve');
    const { name, properties } = read(await nobody.get(`${PROFILE}/${id}?unsigned=false`));
    expect(name).toBe('Steve');
    const { value, signature = '' } = properties[0]!;
    const { textures } = JSON.parse(Buffer.from(value, 'base64').toString());
    expect(textures.SKIN.url).toBe(steve.texture.url.skin);
    expect(Object.keys(textures)).toEqual(['SKIN', 'CAPE']);
    const pem = (await nobody.get('/')).body.signaturePublickey ?? '';
    expect(isSignedBy(parsePublicKey(pem), value, signature)).toBe(true);
    expect((await nobody.get(`${PROFILE}/${offlineIdOf('Nobody')}`)).status).toBe(204);
    expect(game.calls.length).toBe(before);
  });

  test('A player of Mojang whose name wears something here has those textures, in the profile and when joining', async () => {
    const { game, owner, nobody, steve } = await world();
    const notch = game.addPlayer({ name: 'Notch', skin: { picture: drawSkin(7), variant: 'classic' } });
    const { id } = notch;
    const secret = 'an-agreed-secret';
    game.join(notch, secret);
    const ask = async () =>
      read(await nobody.get(`/sessionserver/session/minecraft/hasJoined?username=Notch&serverId=${secret}`));
    const theirs = (await ask()).properties[0]!;
    await owner.put('/v2/players/Notch', { skin: steve.uuid });
    for (const { id: found, properties } of [
      await ask(),
      read(await nobody.get(`${PROFILE}/${id}?unsigned=false`)),
    ]) {
      expect(found).toBe(id);
      expect(properties[0]!.value).toBe(steve.texture.data.value);
      expect(properties[0]!.signature).not.toBe(theirs.signature);
    }
  });

  test('A name that only wears something here has its offline UUID', async () => {
    const { nobody, game } = await world();
    const notch = game.addPlayer({ name: 'Notch' });
    const found = await nobody.json('/api/profiles/minecraft', ['Notch', 'STEVE', 'Nobody']);
    expect(found.body).toEqual([
      { id: notch.id, name: 'Notch' },
      { id: offlineIdOf('Steve'), name: 'Steve' },
    ]);
  });
});

test('Pictures of a player show what the name wears, by name and by offline UUID, without asking Mojang', async () => {
  const { nobody, game } = await world();
  const before = game.calls.length;
  expect(pixelsOf(await nobody.get('/skin/Steve'))).toEqual(drawSkin(1).pixels);
  expect(pixelsOf(await nobody.get(`/skins/${offlineIdOf('Alex')}`))).toEqual(drawSkin(2).pixels);
  const head = await nobody.get('/avatar/Steve/64');
  expect(head.bytes).not.toEqual((await nobody.get('/avatar/Alex/64')).bytes);
  expect((await nobody.get(`/capes/${offlineIdOf('Alex')}`)).status).toBe(404);
  expect(game.calls.length).toBe(before);
});

test('A private skin is shown at every address once it is worn, and at none by name once the name is released', async () => {
  const { server, owner, nobody } = await world();
  const ann = await userWithPlan(server, 'ann');
  const { body } = await ann.upload('/v2/generate?timeout=30', skinPng(5), { visibility: 'private' });
  const skin = body.skin!;
  await owner.put('/v2/players/Ann', { user: 'ann' });
  const paths = [
    ...['/csl/Ann.json', '/csl/skins/Ann.png', `/csl/textures/${skin.texture.hash.skin}`],
    ...['/v2/players/Ann', '/skin/Ann', '/avatar/Ann', `/skins/${offlineIdOf('Ann')}`],
  ];
  const profile = `/sessionserver/session/minecraft/profile/${offlineIdOf('Ann')}`;
  const shows = async () => [
    ...(await Promise.all(paths.map(async (path) => (await nobody.get(path)).status === 200))),
    (await nobody.get(profile)).status === 200,
  ];
  const named = (await shows()).slice(0, 2);
  expect(named).toEqual([false, false]);
  await ann.put('/v2/players/Ann', { skin: skin.uuid, publish: true });
  expect(await shows()).toEqual(Array(8).fill(true));
  for (const path of [...paths.filter((path) => !path.startsWith('/v2')), profile])
    expect((await nobody.get(path)).bytes.toString()).not.toContain(skin.uuid);
  await owner.send('DELETE', '/v2/players/Ann');
  expect((await shows()).filter((_, n) => [0, 1, 3].includes(n))).toEqual(Array(3).fill(false));
  expect((await nobody.get(profile)).status).toBe(204);
});

test('Names are looked up only in this service, and use up no look-ups at Mojang', async () => {
  const { nobody, game } = await world();
  game.addPlayer({ name: 'Notch', skin: { picture: drawSkin(7) } });
  const before = game.calls.length;
  for (const name of ['Steve', 'Nobody', 'Notch'])
    for (const path of [`/csl/${name}.json`, `/csl/skins/${name}.png`])
      expect((await nobody.get(path)).status).toBe(name === 'Steve' ? 200 : 404);
  expect(game.calls.length).toBe(before);
});

test("Mojang's data of a player beside the textures stays", async () => {
  const { server } = await world();
  const { db } = await openOwnStore(server.dataDir);
  const properties = ['textures', 'rank'].map((name) => ({ name, value: 'theirs' }));
  const bytes = Buffer.from(JSON.stringify({ id: 'a', name: 'STEVE', properties }));
  const joined = await joinedInWorn(db, { status: 200, bytes } as GameAnswer);
  const seen = JSON.parse(Buffer.from(joined.bytes).toString()) as { properties: { name: string }[] };
  expect(seen.properties.map(({ name }) => name).toSorted()).toEqual(['rank', 'textures']);
  const profile = { id: 'a', name: 'STEVE', actions: ['FORCED_NAME_CHANGE'] };
  const worn = await withWorn(db, profile as never);
  expect(worn).toMatchObject(profile);
});
