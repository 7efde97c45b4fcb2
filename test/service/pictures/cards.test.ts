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

describe('the card of a skin', () => {
  test('is a picture that any site may show, the same bytes each time, and sent once', async () => {
    const server = await runServer();
    const path = `/v2/skins/${await makeSkin(server.owner)}/card.png`;
    const first = await server.anonymous().get(path);
    expect([first.status, first.headers['content-type']]).toEqual([200, 'image/png']);
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
    const card = PNG.sync.read(first.bytes);
    expect([card.width, card.height]).toEqual([1200, 630]);
  });

  test('has the same bytes on another server with the same skin', async () => {
    const bytesOf = async () => {
      const server = await runServer();
      const uuid = await makeSkin(server.owner);
      return (await server.owner.get(`/v2/skins/${uuid}/card.png`)).bytes.toString('base64');
    };
    expect(await bytesOf()).toBe(await bytesOf());
  });

  test('changes with the cape, and not with the name', async () => {
    const server = await runServer();
    const uuid = await makeSkin(server.owner);
    const tag = async (of: string) =>
      String((await server.owner.get(`/v2/skins/${of}/card.png`)).headers['etag']);
    const before = await tag(uuid);
    await server.owner.patch(`/v2/skins/${uuid}`, { name: 'King' });
    expect(await tag(uuid)).toBe(before);
    const caped = await makeSkin(server.owner, { cape: await addCape(server, 'team') });
    expect(await tag(caped)).not.toBe(before);
  });

  test('of an unlisted skin is not for search engines; private and hidden skins have none', async () => {
    const server = await runServer();
    const unlisted = await makeSkin(server.owner, { visibility: 'unlisted' });
    const owned = await makeSkin(server.owner, { visibility: 'private' });
    const hidden = await makeSkin(server.owner, { name: 'hidden' });
    await server.owner.patch(`/v2/account/skins/${hidden}`, { hidden: true });
    for (const name of ['card.png', 'face.png']) {
      const heard = await server.anonymous().get(`/v2/skins/${unlisted}/${name}`);
      expect([name, heard.status, heard.headers['x-robots-tag']]).toEqual([name, 200, 'noindex']);
    }
    const { body } = await server.owner.upload('/v2/generate', skinPng(2));
    const blocked = String(body.skin?.uuid);
    await server.owner.json('/v2/account/blocked-images', { hash: body.skin?.texture.hash.skin });
    for (const uuid of [owned, hidden, blocked])
      for (const caller of [server.owner, server.anonymous()])
        expectRefusal(await caller.get(`/v2/skins/${uuid}/card.png`), 'skin_not_found', 404);
  });
});

describe('oEmbed', () => {
  test('describes the page of a skin within the requested size', async () => {
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

  test('refuses other addresses, private skins and XML', async () => {
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
