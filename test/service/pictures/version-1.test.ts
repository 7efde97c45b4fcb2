import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { decodePng } from '../../../src/skin/png/decode.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { drawView } from '../../../src/skin/render/render.ts';
import { runGame } from '../../support/fake-game/run-game.ts';
import { bodyOf, expectOldRefusal } from '../../support/http/v1/old-format.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import type { Heard, TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const SKIN = decodePng(skinPng(1));

function pixelsOf({ bytes }: Heard) {
  const { width, height, data } = PNG.sync.read(bytes);
  return { width, height, pixels: new Uint8Array(data) };
}

async function runWithGame() {
  const fake = await runGame();
  return { fake, ...(await runServer({ gameAddresses: fake.addresses, clock: new MovableClock() })) };
}

const KINDS = [
  ['head', 'head'],
  ['skin', 'body'],
] as const;

/** A skin's number and UUID, as version 1 answers them. */
async function makeSkin(caller: TestCaller) {
  const { body } = await caller.upload('/v2/generate', skinPng(1), { variant: 'slim' });
  return bodyOf(await caller.get(`/get/uuid/${body.skin?.uuid}`)) as {
    id: number;
    uuid: string;
    hash: string;
  };
}

test('A skin is drawn by its number and by its UUID, in its own variant', async () => {
  const { owner, anonymous } = await runServer();
  const { id, uuid } = await makeSkin(owner);
  const dashed = uuid.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  for (const name of [id, uuid, dashed]) {
    for (const [kind, view] of KINDS) {
      const heard = await anonymous().get(`/render/${name}/${kind}?options=&aa=true`);
      expect(heard).toMatchObject({ status: 200, headers: { 'content-type': 'image/png' } });
      expect(pixelsOf(heard)).toEqual(drawView(SKIN, { view, variant: 'slim', size: 256 }));
    }
  }
});

test('The texture of a skin is found by its number and by its UUID', async () => {
  const { owner, anonymous } = await runServer();
  const { id, uuid, hash } = await makeSkin(owner);
  const { bytes } = await owner.get(`/textures/${hash}`);
  for (const name of [id, uuid]) {
    const heard = await anonymous().get(`/render/texture/${name}`);
    expect([heard.status, heard.headers['content-type']]).toEqual([200, 'image/png']);
    expect(heard.bytes.equals(bytes)).toBe(true);
  }
});

test('Pages anywhere may show the pictures, and do not fetch cached ones again', async () => {
  const { owner, anonymous } = await runServer();
  const { id } = await makeSkin(owner);
  for (const path of [`/render/${id}/head`, `/render/texture/${id}`]) {
    const { headers } = await anonymous().get(path);
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=30',
    });
    const again = await anonymous().get(path, { 'if-none-match': String(headers['etag']) });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
  }
});

test('An unlisted skin that its owner finds by the number is kept by no cache', async () => {
  const { owner: maker, anonymous } = await runServer();
  const { body } = await maker.upload('/v2/generate', skinPng(1), { visibility: 'unlisted' });
  const { id, uuid } = bodyOf(await maker.get(`/get/uuid/${body.skin?.uuid}`)) as {
    id: number;
    uuid: string;
  };
  for (const path of [`/render/${id}/head`, `/render/texture/${id}`]) {
    const { status, headers } = await maker.get(path);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'cross-origin-resource-policy': 'same-origin',
    });
    expectOldRefusal(await anonymous().get(path), 'skin_not_found');
  }
  const { headers } = await anonymous().get(`/render/${uuid}/head`);
  expect(headers['cache-control']).toBe('public, max-age=30');
});

test('A missing skin is refused in the format of version 1', async () => {
  const { anonymous } = await runServer();
  for (const path of ['/render/7/head', `/render/${'0'.repeat(32)}/skin`, '/render/texture/7'])
    expectOldRefusal(await anonymous().get(path), 'skin_not_found');
  expectOldRefusal(await anonymous().get('/render/Notch/head'), 'validation_error');
  expectOldRefusal(await anonymous().get('/render/7/feet'), 'not_found');
});

describe('A texture by its URL', () => {
  test("of Minecraft's host is drawn once it is fetched, and fetched once", async () => {
    const { fake, anonymous } = await runWithGame();
    const hash = fake.textures.keep(SKIN);
    for (const [kind, view] of KINDS) {
      const heard = await anonymous().get(`/render/${kind}?url=${fake.url}/texture/${hash}&options=&aa=true`);
      expect(heard).toMatchObject({
        status: 200,
        headers: { 'content-type': 'image/png', 'cache-control': 'public, max-age=2592000, immutable' },
      });
      expect(pixelsOf(heard)).toEqual(drawView(SKIN, { view, variant: 'classic', size: 256 }));
    }
    expect(fake.calls.map(({ kind }) => kind)).toEqual(['texture']);
  });

  test("of Minecraft's host that a skin of this service uses is not even fetched", async () => {
    const { fake, owner, anonymous } = await runWithGame();
    const player = fake.addPlayer({ skin: { picture: SKIN } });
    const { body } = await owner.json('/v2/generate', { user: player.id });
    const before = fake.calls.length;
    const heard = await anonymous().get(`/render/head?url=${body.skin?.texture.url.skin}`);
    expect([heard.status, fake.calls.length]).toEqual([200, before]);
  });

  test('of this service is drawn, by each of its addresses', async () => {
    const { owner, anonymous, url } = await runServer();
    const { hash } = await makeSkin(owner);
    for (const path of [`/textures/${hash}`, `/v2/images/${hash}`]) {
      const heard = await anonymous().get(`/render/head?url=${encodeURIComponent(url + path)}`);
      expect(pixelsOf(heard)).toEqual(drawView(SKIN, { view: 'head', variant: 'classic', size: 256 }));
    }
  });

  test('that does not exist is refused in the format of version 1', async () => {
    const { fake, anonymous, url } = await runWithGame();
    for (const address of [`${fake.url}/texture/abc`, `${url}/textures/${'0'.repeat(64)}`]) {
      const refusal = expectOldRefusal(await anonymous().get(`/render/head?url=${address}`), 'not_found');
      expect(refusal.error).toBe('Texture not found.');
    }
  });

  test('is not shown once its image is blocked', async () => {
    const { fake, owner, anonymous } = await runWithGame();
    const path = `/render/head?url=${fake.url}/texture/${fake.textures.keep(SKIN)}`;
    expect((await anonymous().get(path)).status).toBe(200);
    const blocked = await owner.json('/v2/account/blocked-images', { hash: pixelHash(SKIN) });
    expect(blocked.status).toBe(200);
    expectOldRefusal(await anonymous().get(path), 'not_found');
  });

  test('of any other host, or with an invalid URL, is refused without a request', async () => {
    const { fake, anonymous, owner, url } = await runWithGame();
    const { uuid } = await makeSkin(owner);
    const others = [
      `${fake.url}/skin.png`,
      `${url}/v2/skins/${uuid}/texture`,
      'https://example.org/skin.png',
      'Notch',
      '',
    ];
    for (const address of others)
      expectOldRefusal(await anonymous().get(`/render/skin?url=${address}`), 'invalid_image_url');
    expectOldRefusal(await anonymous().get('/render/skin'), 'validation_error');
    expect(fake.calls).toEqual([]);
  });

  test('is replaced by an uncached placeholder once its caller has caused many look-ups', async () => {
    const { fake, anonymous } = await runWithGame();
    const statuses: number[] = [];
    for (let number = 0; number < 41; number++) {
      const path = `/render/head?url=${fake.url}/texture/${fake.textures.keep(drawSkin(number))}`;
      const heard = await anonymous().get(path);
      statuses.push(heard.status);
      expect(PNG.sync.read(heard.bytes).height).toBeGreaterThan(0);
      if (heard.status !== 200) expect(heard.headers['cache-control']).toBe('no-store');
    }
    expect(statuses).toEqual([...Array<number>(40).fill(200), 503]);
  });
});
