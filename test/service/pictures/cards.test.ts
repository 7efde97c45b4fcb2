import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { addCape } from '../../support/server/drawn-capes.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal, type TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

async function makeSkin(caller: TestCaller, fields: Record<string, string> = {}): Promise<string> {
  const { body } = await caller.upload('/v2/generate', skinPng(1), { name: 'Knight', ...fields });
  return String(body.skin?.uuid);
}

describe('the card and the turn of a skin', () => {
  test('are pictures that any site may show, the same bytes each time, and sent once', async () => {
    const server = await runServer();
    const uuid = await makeSkin(server.owner);
    for (const [name, type, start] of [
      ['card.png', 'image/png', '89504e47'],
      ['turn.webp', 'image/webp', '52494646'],
    ] as const) {
      const path = `/v2/skins/${uuid}/${name}`;
      const first = await server.anonymous().get(path);
      expect([first.status, first.headers['content-type'], first.bytes.toString('hex', 0, 4)]).toEqual([
        200,
        type,
        start,
      ]);
      expect(first.headers).toMatchObject({
        'cache-control': 'public, max-age=30',
        'cross-origin-resource-policy': 'cross-origin',
        'access-control-allow-origin': '*',
      });
      expect(first.headers['x-robots-tag']).toBeUndefined();
      expect(first.bytes.length).toBeLessThan(300_000);
      expect((await server.owner.get(path)).bytes.equals(first.bytes)).toBe(true);
      const known = { 'if-none-match': String(first.headers['etag']) };
      const again = await server.anonymous().get(path, known);
      expect([again.status, again.bytes.length]).toEqual([304, 0]);
    }
    const card = PNG.sync.read((await server.owner.get(`/v2/skins/${uuid}/card.png`)).bytes);
    expect([card.width, card.height]).toEqual([1200, 630]);
  });

  test('have the same bytes on another server at the same address with the same skin', async () => {
    const bytesOf = async () => {
      const server = await runServer({ publicUrl: 'https://skins.example.org' });
      const uuid = await makeSkin(server.owner);
      const names = ['card.png', 'turn.webp'];
      const heard = names.map(async (name) => (await server.owner.get(`/v2/skins/${uuid}/${name}`)).bytes);
      return (await Promise.all(heard)).map((bytes) => bytes.toString('base64'));
    };
    expect(await bytesOf()).toEqual(await bytesOf());
  });

  test('change with the name, and with the cape', async () => {
    const server = await runServer();
    const uuid = await makeSkin(server.owner);
    const tag = async (of: string, name: string) =>
      String((await server.owner.get(`/v2/skins/${of}/${name}`)).headers['etag']);
    const before = [await tag(uuid, 'card.png'), await tag(uuid, 'turn.webp')];
    await server.owner.patch(`/v2/skins/${uuid}`, { name: 'King' });
    const after = [await tag(uuid, 'card.png'), await tag(uuid, 'turn.webp')];
    expect(after[0]).not.toBe(before[0]);
    expect(after[1]).toBe(before[1]);
    const caped = await makeSkin(server.owner, { cape: await addCape(server, 'team'), name: 'King' });
    expect(
      [await tag(caped, 'card.png'), await tag(caped, 'turn.webp')].some((one) => after.includes(one)),
    ).toBe(false);
  });

  test('of an unlisted skin are not for search engines; those of a private one are for nobody, as of a hidden one', async () => {
    const server = await runServer();
    const unlisted = await makeSkin(server.owner, { visibility: 'unlisted' });
    const owned = await makeSkin(server.owner, { visibility: 'private' });
    const hidden = await makeSkin(server.owner, { name: 'hidden' });
    await server.owner.patch(`/v2/account/skins/${hidden}`, { hidden: true });
    for (const name of ['card.png', 'turn.webp', 'face.png']) {
      const heard = await server.anonymous().get(`/v2/skins/${unlisted}/${name}`);
      expect([name, heard.status, heard.headers['x-robots-tag']]).toEqual([name, 200, 'noindex']);
    }
    const { body } = await server.owner.upload('/v2/generate', skinPng(2));
    const blocked = String(body.skin?.uuid);
    await server.owner.json('/v2/account/blocked-images', { hash: body.skin?.texture.hash.skin });
    for (const uuid of [owned, hidden, blocked])
      for (const name of ['card.png', 'turn.webp'])
        for (const caller of [server.owner, server.anonymous()])
          expectRefusal(await caller.get(`/v2/skins/${uuid}/${name}`), 'skin_not_found', 404);
  });
});

describe('oEmbed', () => {
  test('describes the page of a skin within the bounds', async () => {
    const publicUrl = 'https://skins.example.org';
    const server = await runServer({ publicUrl });
    const uuid = await makeSkin(server.owner);
    const ask = async (path: string, more = '') =>
      await server.anonymous().get(`/v2/oembed?url=${encodeURIComponent(`${publicUrl}${path}`)}${more}`);
    const { status, headers, body } = await ask(`/ui/skins/${uuid}`);
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toEqual({
      version: '1.0',
      type: 'rich',
      title: 'Knight',
      provider_name: 'skins.example.org',
      provider_url: `${publicUrl}/`,
      cache_age: 3600,
      thumbnail_url: `${publicUrl}/v2/skins/${uuid}/card.png`,
      thumbnail_width: 1200,
      thumbnail_height: 630,
      html: `<iframe src="${publicUrl}/embed/${uuid}" width="320" height="460" title="Knight" style="border:0" loading="lazy"></iframe>`,
      width: 320,
      height: 460,
    });
    const small = await ask(`/embed/${uuid}`, '&maxwidth=200&maxheight=300&format=json');
    expect(small.body).toMatchObject({
      width: 200,
      height: 300,
      thumbnail_url: `${publicUrl}/v2/skins/${uuid}/isometric.png?size=300`,
      thumbnail_width: 150,
      thumbnail_height: 300,
    });
    const huge = await ask(`/ui/skins/${uuid}/`, '&maxwidth=99999999&maxheight=1e9');
    expect(huge.body).toMatchObject({ width: 320, height: 460 });
  });

  test('knows neither other addresses, nor private skins, nor XML', async () => {
    const publicUrl = 'https://skins.example.org';
    const server = await runServer({ publicUrl });
    const owned = await makeSkin(server.owner, { visibility: 'private' });
    const ask = async (url: string, more = '') =>
      await server.owner.get(`/v2/oembed?url=${encodeURIComponent(url)}${more}`);
    for (const url of [`https://evil.example/ui/skins/${owned}`, `${publicUrl}/ui/gallery`, 'nonsense', ''])
      expectRefusal(await ask(url), 'not_found', 404);
    expectRefusal(await ask(`${publicUrl}/ui/skins/${owned}`), 'skin_not_found', 404);
    expectRefusal(await ask(`${publicUrl}/ui/skins/${owned}`, '&format=xml'), 'invalid_request', 501);
    expectRefusal(await ask(`${publicUrl}/ui/skins/${owned}`, '&maxwidth=0'), 'validation_error', 400);
  });
});
