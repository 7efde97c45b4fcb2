import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { makePicture } from '../../../src/skin/picture.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { drawInto } from '../../../src/skin/render/render.ts';
import type { AnyView } from '../../../src/skin/render/views.ts';
import type { FakeGame } from '../../support/fake-game/fake-game.ts';
import { runGame } from '../../support/fake-game/run-game.ts';
import { drawSkin } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';
import { expectRefusal, type Heard } from '../../support/server/test-caller.ts';
import { fill } from '../../support/skin/drawing.ts';

guardAgainstLeaks();

/** The accounts that wear the two default skins have UUIDs for which the game shows these. */
const STEVE_ID = 'c06f89064c8a49119c29ea1dbd1aab82';
const ALEX_ID = '6ab4317889fd490597f60f67d9d76fd9';

const SKIN = drawSkin(3);

interface World {
  readonly game: FakeGame;
  readonly server: ServerUnderTest;
  readonly id: string;
  get(path: string, headers?: Record<string, string>): Promise<Heard>;
}

async function world(): Promise<World> {
  const game = await runGame();
  const server = await runServer({ gameAddresses: game.addresses });
  const cape = fill(makePicture(64, 32), { x: 0, y: 0, width: 64, height: 32 }, [1, 2, 3, 255]);
  const { id } = game.addPlayer({ name: 'Jeb', skin: { picture: SKIN, variant: 'slim' }, cape });
  return { game, server, id, get: async (path, headers) => await server.anonymous().get(path, headers) };
}

function pixelsOf({ bytes }: Heard) {
  const { width, height, data } = PNG.sync.read(bytes);
  return { width, height, pixels: new Uint8Array(data) };
}

function drawn(view: AnyView, width: number, height: number, overlay = false) {
  return drawInto(SKIN, { view, variant: 'slim', width, height, overlay });
}

/** Each line of the documentation, with an address and what it is answered. */
const PICTURES: readonly [line: string, path: (id: string) => string, picture: ReturnType<typeof drawn>][] = [
  ['avatars have 160 pixels', (id) => `/avatars/${id}`, drawn('face', 160, 160)],
  ['size is in pixels', (id) => `/avatars/${id}?size=40`, drawn('face', 40, 40)],
  ['size is at least 1', (id) => `/avatars/${id}?size=1`, drawn('face', 1, 1)],
  ['size is at most 512', (id) => `/avatars/${id}?size=512`, drawn('face', 512, 512)],
  ['a size that is no number is the usual one', (id) => `/avatars/${id}?size=big`, drawn('face', 160, 160)],
  ['overlay needs no value', (id) => `/avatars/${id}?size=8&overlay`, drawn('face', 8, 8, true)],
  [
    'overlay means true whatever it says',
    (id) => `/avatars/${id}?size=8&overlay=false`,
    drawn('face', 8, 8, true),
  ],
  ['overlay was called helm', (id) => `/avatars/${id}?size=8&helm`, drawn('face', 8, 8, true)],
  ['heads have the scale 6', (id) => `/renders/head/${id}`, drawn('head', 120, 111)],
  ['scale is at least 1', (id) => `/renders/head/${id}?scale=1`, drawn('head', 20, 18)],
  ['scale is at most 10', (id) => `/renders/head/${id}?scale=10`, drawn('head', 200, 185)],
  ['heads have overlays', (id) => `/renders/head/${id}?overlay`, drawn('head', 120, 111, true)],
  ['bodies have the scale 6', (id) => `/renders/body/${id}`, drawn('isometric', 120, 270)],
  ['bodies have scales', (id) => `/renders/body/${id}?scale=2`, drawn('isometric', 40, 90)],
  ['bodies have overlays', (id) => `/renders/body/${id}?overlay`, drawn('isometric', 120, 270, true)],
  ['skins are the textures', (id) => `/skins/${id}`, SKIN],
  ['any extension may follow, all are PNG', (id) => `/avatars/${id}.jpg?size=8`, drawn('face', 8, 8)],
  ['… also of skins', (id) => `/skins/${id}.png`, SKIN],
  ['UUIDs may have dashes', (id) => `/avatars/${dashed(id)}?size=8`, drawn('face', 8, 8)],
  ['UUIDs may be in upper case', (id) => `/avatars/${id.toUpperCase()}?size=8`, drawn('face', 8, 8)],
];

function dashed(id: string): string {
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

test('a blocked image is not shown, regardless of the player who wears it', async () => {
  const { get, id, server } = await world();
  const shown = async () => [pixelsOf(await get(`/skins/${id}`)), pixelsOf(await get('/skin/Jeb'))];
  expect(await shown()).toEqual([SKIN, SKIN]);
  await server.owner.json('/v2/account/blocked-images', { hash: pixelHash(SKIN) });
  const [skin, named] = await shown();
  expect(skin).not.toEqual(SKIN);
  expect(named).not.toEqual(SKIN);
});

test('every address of the documentation shows what it says', async () => {
  const { get, id } = await world();
  for (const [line, path, picture] of PICTURES) {
    const heard = await get(path(id));
    expect([heard.status, heard.headers['content-type']], line).toEqual([200, 'image/png']);
    expect(pixelsOf(heard), line).toEqual(picture);
  }
});

describe('what is refused', () => {
  test.each([
    ['a size below 1', '/avatars/ID?size=-1'],
    ['a size above 512', '/avatars/ID?size=513'],
    ['a scale below 1', '/renders/head/ID?scale=-1'],
    ['a scale above 10', '/renders/body/ID?scale=11'],
    ['a malformed UUID', '/avatars/853c80ef3c3749fdaa49938b674adae'],
    ['a malformed UUID of a skin', '/skins/nothing'],
    ['a malformed UUID of a cape', '/capes/nothing'],
    ['a malformed UUID of a render', '/renders/body/nothing'],
    ['every name', '/avatars/jeb_'],
  ])('%s is an error of the caller', async (_, path) => {
    const { get, id } = await world();
    const heard = await get(path.replace('ID', id));
    expectRefusal(heard, 'validation_error', 422);
    expect(heard.headers['x-storage-type']).toBe('user error');
  });

  test('a path with more parts is not found', async () => {
    const { get, id } = await world();
    for (const path of [`/avatars/${id}/8`, `/renders/feet/${id}`, `/skins/${id}/8`]) {
      expectRefusal(await get(path), 'not_found');
    }
  });
});

describe('players without a skin', () => {
  const facesOf = async ({ get }: World, path: string) => pixelsOf(await get(path));

  test('have the default of their UUID, unless another one is requested', async () => {
    const here = await world();
    const steve = await facesOf(here, `/avatars/${STEVE_ID}?size=8`);
    const alex = await facesOf(here, `/avatars/${ALEX_ID}?size=8`);
    expect(steve).not.toEqual(alex);
    for (const name of ['MHF_Steve', 'mhf_steve', 'steve']) {
      expect(await facesOf(here, `/avatars/${ALEX_ID}?size=8&default=${name}`)).toEqual(steve);
    }
    for (const name of ['MHF_Alex', 'alex']) {
      expect(await facesOf(here, `/avatars/${STEVE_ID}?size=8&default=${name}`)).toEqual(alex);
    }
    for (const path of [`/renders/head/${STEVE_ID}`, `/renders/body/${STEVE_ID}`, `/skins/${STEVE_ID}`]) {
      const [one, other] = [await facesOf(here, path), await facesOf(here, `${path}?default=MHF_Alex`)];
      expect(one).not.toEqual(other);
    }
  });

  test('may be shown as another player, by redirection within this service', async () => {
    const { get, id } = await world();
    const avatar = await get(`/avatars/${STEVE_ID}?default=${dashed(id)}&size=8&overlay`);
    expect([avatar.status, avatar.headers['location']]).toEqual([307, `/avatars/${id}?overlay=&size=8`]);
    expect(avatar.headers).toMatchObject({
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=3600',
    });
    const render = await get(`/renders/body/${STEVE_ID}?default=${id}`);
    expect([render.status, render.headers['location']]).toEqual([307, `/renders/body/${id}`]);
    expect((await get(`/avatars/${id}?default=${STEVE_ID}`)).status).toBe(200);
  });

  test.each(['https://example.org/face.png', '//example.org', 'javascript:alert(1)', 'x'])(
    'are never shown as %s: no caller is sent to another site',
    async (wanted) => {
      const { get } = await world();
      const usual = await get(`/avatars/${STEVE_ID}?size=8`);
      const heard = await get(`/avatars/${STEVE_ID}?size=8&default=${encodeURIComponent(wanted)}`);
      expect([heard.status, heard.headers['location']]).toEqual([200, undefined]);
      expect(heard.bytes).toEqual(usual.bytes);
    },
  );

  test('have no cape', async () => {
    const { get, id } = await world();
    expect(pixelsOf(await get(`/capes/${id}`))).toMatchObject({ width: 64, height: 32 });
    const none = await get(`/capes/${STEVE_ID}`);
    expectRefusal(none, 'not_found');
    expect(none.headers['x-storage-type']).toBe('checked');
  });
});

describe('X-Storage-Type', () => {
  test('says where a texture comes from', async () => {
    const { get, id, game } = await world();
    const typeOf = async (path: string) => (await get(path)).headers['x-storage-type'];
    expect(await typeOf(`/avatars/${id}`)).toBe('downloaded');
    expect(await typeOf(`/avatars/${id}`)).toBe('cached');
    expect(await typeOf(`/renders/body/${id}`)).toBe('cached');
    expect(await typeOf(`/capes/${id}`)).toBe('downloaded');
    expect(await typeOf(`/avatars/${STEVE_ID}`)).toBe('checked');
    expect(await typeOf(`/avatars/${STEVE_ID}`)).toBe('none');
    expect(game.calls.filter(({ kind }) => kind === 'profile')).toHaveLength(2);
  });
});

describe('headers', () => {
  test('let browsers keep a picture for an hour, and pages of any origin show it', async () => {
    const { get, id } = await world();
    const heard = await get(`/avatars/${id}`);
    expect(heard.headers).toMatchObject({
      'cache-control': 'public, max-age=3600',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-request-id': expect.any(String),
    });
    const again = await get(`/avatars/${id}`, { 'if-none-match': String(heard.headers['etag']) });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
  });
});

test('an address with too many requests gets a placeholder, which is not cached', async () => {
  const server = await runServer({ networkLimits: { requestsPerMinute: 1 } });
  await server.anonymous().get('/v2/delay');
  for (const path of ['/avatars/', '/renders/head/', '/renders/body/', '/skins/', '/avatar/', '/skin/']) {
    const heard = await server.anonymous().get(`${path}${STEVE_ID}`);
    expect([heard.status, heard.headers['cache-control']], path).toEqual([429, 'no-store']);
    expect(heard.headers['cross-origin-resource-policy']).toBe('cross-origin');
    expect(pixelsOf(heard)).toMatchObject({ width: 64, height: 64 });
  }
});

describe('while the game is down', () => {
  test('a placeholder is marked as an error and not cached', async () => {
    const { get, id, game } = await world();
    await game.close();
    const heard = await get(`/avatars/${id}?size=8`);
    expect([heard.status, heard.headers['content-type']]).toEqual([502, 'image/png']);
    expect(pixelsOf(heard)).toMatchObject({ width: 8, height: 8 });
    expect(heard.headers).toMatchObject({
      'x-storage-type': 'server error',
      'cache-control': 'no-cache, max-age=0',
    });
    expectRefusal(await get(`/capes/${id}`), 'service_unavailable', 502);
  });
});
