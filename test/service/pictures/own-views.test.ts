import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { decodePng } from '../../../src/skin/png/decode.ts';
import { drawView } from '../../../src/skin/render/render.ts';
import { VIEWS } from '../../../src/skin/render/views.ts';
import { addCape } from '../../support/server/drawn-capes.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal, type Heard, type TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

function pixelsOf({ bytes }: Heard) {
  const { width, height, data } = PNG.sync.read(bytes);
  return { width, height, pixels: new Uint8Array(data) };
}

async function makeSkin(caller: TestCaller, fields: Record<string, string> = {}) {
  const { body } = await caller.upload('/v2/generate', skinPng(1), { variant: 'slim', ...fields });
  const uuid = String(body.skin?.uuid);
  return { uuid, hash: String(body.skin?.texture.hash.skin) };
}

describe('pictures of a skin', () => {
  test('are those that the renderer draws, for anyone', async () => {
    const server = await runServer();
    const { uuid } = await makeSkin(server.owner);
    const skin = decodePng(skinPng(1));
    for (const view of VIEWS) {
      const heard = await server.anonymous().get(`/v2/skins/${uuid}/${view}.png?size=64&overlay=false`);
      expect([heard.status, heard.headers['content-type']]).toEqual([200, 'image/png']);
      expect(pixelsOf(heard)).toEqual(drawView(skin, { view, variant: 'slim', size: 64, overlay: false }));
    }
    const usual = await server.anonymous().get(`/v2/skins/${uuid}/head.png`);
    expect(pixelsOf(usual)).toEqual(drawView(skin, { view: 'head', variant: 'slim', size: 256 }));
    expect(usual.headers).toMatchObject({
      'cache-control': 'public, max-age=30',
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
    });
  });

  test('show the cape from behind', async () => {
    const server = await runServer();
    const cape = await addCape(server, 'team');
    const bare = await makeSkin(server.owner);
    const caped = await makeSkin(server.owner, { cape });
    const back = async ({ uuid }: { uuid: string }) =>
      pixelsOf(await server.owner.get(`/v2/skins/${uuid}/back.png?size=32`));
    expect(await back(caped)).not.toEqual(await back(bare));
  });

  test('are sent once, because their tag matches later', async () => {
    const server = await runServer();
    const { uuid } = await makeSkin(server.owner);
    const path = `/v2/skins/${uuid}/body.png`;
    const { headers } = await server.owner.get(path);
    const again = await server.owner.get(path, { 'if-none-match': String(headers['etag']) });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
    const other = await server.owner.get(`${path}?size=64`, { 'if-none-match': String(headers['etag']) });
    expect(other.status).toBe(200);
  });

  test('of a private one are for its owner alone, and kept by nobody', async () => {
    const server = await runServer();
    const { uuid } = await makeSkin(server.owner, { visibility: 'private' });
    const path = `/v2/skins/${uuid}/face.png`;
    const own = await server.owner.get(path);
    expect(own.status).toBe(200);
    expect(own.headers['cache-control']).toBe('no-store');
    expect(own.headers['cross-origin-resource-policy']).toBe('same-origin');
    expectRefusal(await server.anonymous().get(path), 'skin_not_found');
    expectRefusal(await (await server.user('bert')).get(path), 'skin_not_found');
    const tagged = { 'if-none-match': String(own.headers['etag']) };
    expectRefusal(await server.anonymous().get(path, tagged), 'skin_not_found');
  });

  test('are refused for a wrong size or overlay', async () => {
    const server = await runServer();
    const { uuid } = await makeSkin(server.owner);
    for (const query of ['size=7', 'size=1025', 'size=64.5', 'size=64&size=32', 'overlay=perhaps'])
      expectRefusal(await server.owner.get(`/v2/skins/${uuid}/face.png?${query}`), 'validation_error');
  });

  test('are sent whatever else is in the query', async () => {
    const server = await runServer();
    const { uuid, hash } = await makeSkin(server.owner);
    for (const path of [`/v2/skins/${uuid}/face.png`, `/textures/${hash}/face.png`])
      expect((await server.anonymous().get(`${path}?size=64&t=1764180000&v=`)).status).toBe(200);
  });

  test('do not exist in other views or for other skins', async () => {
    const server = await runServer();
    const { uuid } = await makeSkin(server.owner);
    expectRefusal(await server.owner.get(`/v2/skins/${uuid}/feet.png`), 'not_found');
    for (const view of VIEWS) {
      expectRefusal(await server.owner.get(`/v2/skins/${'a'.repeat(32)}/${view}.png`), 'skin_not_found');
    }
  });
});

describe('pictures of a texture', () => {
  test('detect the arms or use the requested ones, and never change', async () => {
    const server = await runServer();
    const { hash } = await makeSkin(server.owner);
    const heard = await server.anonymous().get(`/textures/${hash}/front.png?size=32&variant=slim`);
    expect(pixelsOf(heard)).toEqual(
      drawView(decodePng(skinPng(1)), { view: 'front', variant: 'slim', size: 32 }),
    );
    expect(heard.headers['cache-control']).toBe('public, max-age=2592000, immutable');
    const tag = String(heard.headers['etag']);
    const again = await server
      .anonymous()
      .get(`/textures/${hash}/front.png?size=32&variant=slim`, { 'if-none-match': tag });
    expect(again.status).toBe(304);
    expect((await server.anonymous().get(`/textures/${hash}/front.png?size=32`)).status).toBe(200);
  });

  test('disappear with the skin, at the latest after five seconds', async () => {
    const clock = new MovableClock();
    const server = await runServer({ clock });
    const { uuid, hash } = await makeSkin(server.owner);
    expect((await server.owner.get(`/textures/${hash}/face.png`)).status).toBe(200);
    await server.owner.send('DELETE', `/v2/skins/${uuid}`);
    clock.forward(5_000);
    expect((await server.owner.get(`/textures/${hash}`)).status).toBe(404);
    expectRefusal(await server.owner.get(`/textures/${hash}/face.png`), 'not_found');
    expectRefusal(await server.owner.get(`/textures/${'a'.repeat(64)}/face.png`), 'not_found');
  });
});

test('an address has a drawing budget per minute, and pictures drawn before cost nothing', async () => {
  const server = await runServer({ draw: async () => skinPng(1) }); // to draw them takes most of a second
  const { hash } = await makeSkin(server.owner);
  const path = (size: number) => `/textures/${hash}/face.png?size=${size}`;
  const caller = server.anonymous('127.0.0.7');
  const statuses: number[] = [];
  for (let size = 1024; statuses.at(-1) !== 429 && size > 900; size--) {
    const heard = await caller.get(path(size));
    statuses.push(heard.status);
    if (heard.status === 429) expectRefusal(heard, 'rate_limit');
  }
  expect(statuses.at(-1)).toBe(429);
  expect(statuses.length).toBeGreaterThan(30);
  expect((await caller.get(path(1024))).status).toBe(200);
  expect((await server.anonymous('127.0.0.8').get(path(900))).status).toBe(200);
});
