import { describe, expect, test } from 'vitest';
import { decodePng } from '../../../src/skin/png/decode.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { onSqlite } from '../../support/postgres/on-postgres.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { userWithPlan } from '../../support/server/plans.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import type { TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

async function make(caller: TestCaller, number: number, fields: Record<string, string> = {}) {
  const { body } = await caller.upload('/v2/generate', skinPng(number), fields);
  return body.skin!;
}

describe('GET /v2/skins/:uuid', () => {
  test('shows public and unlisted skins to anyone with the UUID, dashed or not', async () => {
    const { owner, anonymous } = await runServer();
    for (const visibility of ['public', 'unlisted']) {
      const skin = await make(owner, 1, { visibility });
      const dashed = skin.uuid.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase();
      for (const uuid of [skin.uuid, dashed]) {
        const { status, body } = await anonymous().get(`/v2/skins/${uuid}`);
        expect([status, body.skin]).toEqual([200, { ...skin, duplicate: body.skin?.duplicate }]);
        expect(body).toMatchObject({
          success: true,
          uuid: skin.uuid,
          links: { self: `/v2/skins/${skin.uuid}` },
        });
      }
    }
  });

  test('shows a private skin only to its owner, with any of the owner’s keys', async () => {
    const server = await runServer();
    const bob = await userWithPlan(server, 'bob');
    const skin = await make(bob, 1, { visibility: 'private' });
    const callers = [bob, await server.user('bob'), server.owner, server.anonymous()];
    const heard = await Promise.all(
      callers.map(async (caller) => await caller.get(`/v2/skins/${skin.uuid}`)),
    );
    expect(heard.map(({ status }) => status)).toEqual([200, 200, 404, 404]);
  });
});

describe('The lists of skins', () => {
  test("contain public skins for everyone, and all of a caller's own for that caller", async () => {
    const { owner, user, anonymous } = await runServer();
    const bob = await user('bob');
    for (const [caller, number, name, visibility] of [
      [owner, 1, 'open', 'public'],
      [owner, 2, 'linked', 'unlisted'],
      [owner, 3, 'closed', 'private'],
      [bob, 4, 'bobs', 'public'],
    ] as const)
      await make(caller, number, { name, visibility });
    const names = async (caller: TestCaller, path: string) =>
      (await caller.get(path)).body.skins?.map(({ name }) => name);
    expect(await names(anonymous(), '/v2/skins')).toEqual(['bobs', 'open']);
    expect(await names(owner, '/v2/me/skins')).toEqual(['closed', 'linked', 'open']);
    expect(await names(bob, '/v2/me/skins')).toEqual(['bobs']);
    expect(await names(owner, '/v2/skins?filter=OPEN')).toEqual(['open']);
  });

  onSqlite(test)('hold what the contract says of a skin in a list, no values', async () => {
    const { owner } = await runServer();
    const { uuid, texture } = await make(owner, 1, { name: 'Smith' });
    const { body } = await owner.get('/v2/skins');
    expect(body.skins).toEqual([
      {
        uuid,
        shortId: uuid.slice(0, 8),
        name: 'Smith',
        visibility: 'public',
        variant: 'classic',
        views: 0,
        likes: 0,
        timestamp: expect.any(Number),
        texture: texture.hash.skin,
      },
    ]);
  });
});

onSqlite(describe)('GET /v2/skins/:uuid/texture', () => {
  test('leads to the texture on the requested host, even if the signed data names another', async () => {
    const { owner, anonymous } = await runServer({ publicUrl: 'https://skins.example' });
    const { uuid, texture } = await make(owner, 1, { visibility: 'unlisted' });
    expect(texture.url.skin).toBe(`https://skins.example/textures/${texture.hash.skin}`);
    const { status, headers } = await anonymous().get(`/v2/skins/${uuid}/texture`);
    expect([status, headers['location']]).toEqual([302, `/textures/${texture.hash.skin}`]);
    expect((await anonymous().get(String(headers['location']))).bytes.equals(skinPng(1))).toBe(true);
  });

  test('may be shown and cached by pages anywhere, unless the skin is private or only its owner finds it this way', async () => {
    const { owner } = await runServer();
    const [seen, hidden, unlisted] = [
      await make(owner, 1),
      await make(owner, 2, { visibility: 'private' }),
      await make(owner, 3, { visibility: 'unlisted' }),
    ];
    const policyAt = async (id: string) => {
      const { headers } = await owner.get(`/v2/skins/${id}/texture`);
      return [headers['cross-origin-resource-policy'], headers['cache-control']];
    };
    const everywhere = ['cross-origin', 'public, max-age=30'];
    for (const id of [seen.uuid, seen.uuid.slice(0, 8), unlisted.uuid])
      expect(await policyAt(id)).toEqual(everywhere);
    for (const id of [hidden.uuid, unlisted.uuid.slice(0, 8)])
      expect(await policyAt(id)).toEqual(['same-origin', 'no-store']);
  });
});

describe('GET /textures/:hash', () => {
  test('serves the picture in its canonical encoding, to be kept for long', async () => {
    const { owner, anonymous, url } = await runServer();
    const { texture } = await make(owner, 1);
    const { status, headers, bytes } = await anonymous().get(texture.url.skin.slice(url.length));
    expect([status, headers['content-type']]).toEqual([200, 'image/png']);
    expect(bytes.equals(skinPng(1))).toBe(true);
    expect(pixelHash(decodePng(bytes))).toBe(texture.hash.skin);
    expect(headers).toMatchObject({
      etag: `"${texture.hash.skin}"`,
      'cache-control': expect.stringContaining('immutable'),
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    });
  });

  onSqlite(test)('answers 304 without a body to callers who have it, 200 to those with another', async () => {
    const { owner } = await runServer();
    const { texture } = await make(owner, 1);
    const path = `/textures/${texture.hash.skin}`;
    const same = await owner.get(path, { 'if-none-match': `"${texture.hash.skin}"` });
    expect([same.status, same.bytes.length]).toEqual([304, 0]);
    expect((await owner.get(path, { 'if-none-match': '"other"' })).status).toBe(200);
  });

  onSqlite(test)('answers HEAD with the same headers and no body', async () => {
    const { owner } = await runServer();
    const path = `/textures/${(await make(owner, 1)).texture.hash.skin}`;
    const [got, head] = [await owner.get(path), await owner.send('HEAD', path)];
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    for (const name of ['content-type', 'content-length', 'etag', 'cache-control'])
      expect([name, head.headers[name]]).toEqual([name, got.headers[name]]);
  });

  onSqlite(test)('gives a legacy picture the height it came with', async () => {
    const { owner } = await runServer();
    const { height, width } = { ...drawSkin(1), height: 32 };
    const legacy = encodePng({ width, height, pixels: drawSkin(1).pixels.slice(0, 64 * 32 * 4) });
    const { body } = await owner.upload('/v2/generate', legacy);
    const { bytes } = await owner.get(`/textures/${body.skin?.texture.hash.skin}`);
    expect(decodePng(bytes).height).toBe(32);
  });
});
