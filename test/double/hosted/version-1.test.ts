import { describe, expect, test } from 'vitest';
import { callHosted } from '../../support/hosted/run-hosted.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';

test('Plugins get a skin for each address and player, the same each time', async () => {
  const { caller } = await callHosted();
  const made = async (path: string, sent: object) =>
    (await caller.json(path, sent)).body as unknown as V1Body;
  const url = 'https://textures.example/knight.png';
  const [first, again, other] = [
    await made('/generate/url', { url, name: 'Sir Knight ☃ of the long, long name', visibility: 1 }),
    await made('/generate/url/', { url }),
    await made('/generate/user', { uuid: '069a79f4-44e9-4726-a5be-fca90e38aaf5' }),
  ];
  expect(first).toMatchObject({ name: 'Sir Knight  of the long', model: 'steve', duplicate: false });
  expect(again).toMatchObject({ uuid: first.uuid, duplicate: true });
  expect(other.hash).not.toBe(first.hash);
});

interface V1Body {
  readonly uuid: string;
  readonly hash: string;
}

describe('The requests of plugins and sites are answered:', () => {
  const picture = skinPng(1);

  test("Citizens' form, byte for byte, with a part that is empty", async () => {
    const { caller } = await callHosted();
    const send = async (before: string, after: string) => {
      const body = Buffer.concat([Buffer.from(before), picture, Buffer.from(after)]);
      const headers = {
        'user-agent': 'Citizens/2.0',
        'cache-control': 'no-cache',
        'content-type': 'multipart/form-data;boundary=*****',
        authorization: '',
      };
      return await caller.send('POST', '/generate/upload?model=slim', { headers, body });
    };
    const made = await send(
      '--*****\r\nContent-Disposition: form-data; name="file"; filename="skin.png"\r\nContent-Type: image/png\r\n\r\n',
      '\r\n--*****\r\nContent-Disposition: form-data; name="name";\r\n\r\n\r\n--*****\r\nContent-Disposition: form-data; name="variant";\r\n\r\nslim\r\n--*****--\r\n',
    );
    expect([made.status, made.body]).toMatchObject([
      200,
      { variant: 'slim', name: '', data: { texture: {} } },
    ]);
    const old = await send(
      '--*****\r\nContent-Disposition: form-data; name="skin.png";filename="skin.png"\r\n\r\n',
      '\r\n--*****--\r\n',
    );
    expect([old.status, old.body]).toMatchObject([400, { error: 'invalid file: Unexpected field' }]);
  });

  test.each([
    ["Citizens'", '/generate/url', { url: 'https://a.example/b.png', name: '', variant: 'slim' }],
    ["TAB's", '/generate/url/', { url: 'https://textures.minecraft.net/texture/1f' }],
    ["ZNPCsPlus's", '/generate/url', { url: 'https://a.example/b.png', visibility: 1 }],
  ])('%s JSON', async (_, path, sent) => {
    const { caller } = await callHosted();
    const made = await caller.json(path, sent, { authorization: '' });
    const texture = { value: expect.any(String), signature: expect.any(String), url: expect.any(String) };
    expect([made.status, made.body]).toMatchObject([200, { data: { texture } }]);
  });

  test('a PHP form, a form without files, and a player in the query without a body', async () => {
    const { caller } = await callHosted();
    const form = new FormData();
    form.set('visibility', '0');
    form.set('file', new Blob([new Uint8Array(picture)]), 'skin.png');
    expect((await caller.form('/generate/upload', form)).status).toBe(200);
    const nothing = await caller.form('/generate/upload', new FormData());
    expect([nothing.status, nothing.body]).toMatchObject([400, { errorCode: 'missing_file' }]);
    const text = await caller.send('POST', '/generate/url', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'url=https%3A%2F%2Fa.example%2Fb.png&variant=slim',
    });
    expect([text.status, text.body]).toMatchObject([200, { variant: 'slim' }]);
    const player = '/generate/user?name=Steve&uuid=069a79f4-44e9-4726-a5be-fca90e38aaf5';
    expect((await caller.send('POST', player)).body).toMatchObject({ name: 'Steve' });
  });
});

test('The delay between requests is announced, and enforced', async () => {
  const { caller } = await callHosted({ delay: 60_000 });
  const url = 'https://a.example/b.png';
  expect((await caller.json('/generate/url', { url })).body).toMatchObject({ delay: 60, nextRequest: 60 });
  const { status, headers, body } = await caller.json('/generate/url', { url });
  expect([status, headers['retry-after']]).toEqual([429, '60']);
  expect(body).toMatchObject({ errorCode: 'rate_limit', delayInfo: { millis: 60_000, seconds: 60 } });
  expect((await caller.get('/get/delay')).body).toMatchObject({ millis: 60_000, nextRelative: 60 });
});

test('A wrong key is refused in the form of version 1', async () => {
  const { caller } = await callHosted();
  const headers = { authorization: `Bearer ${'0'.repeat(72)}`, 'content-type': 'application/json' };
  const { status, body } = await caller.send('POST', '/generate/url', { headers, body: '{}' });
  expect([status, body]).toMatchObject([403, { errorCode: 'invalid_api_key', error: 'Invalid API Key' }]);
});

test('Skins are found by UUID and in the list; every player exists except nobody', async () => {
  const { caller } = await callHosted();
  const { uuid } = (await caller.json('/generate/url', { url: 'https://a.example/b.png' }))
    .body as unknown as { uuid: string };
  expect((await caller.get(`/get/uuid/${uuid}`)).body).toMatchObject({ uuid, data: { texture: {} } });
  const { id } = (await caller.get(`/get/uuid/${uuid}`)).body as unknown as { id: number };
  expect((await caller.get(`/get/id/${id}`)).body).toMatchObject({ uuid });
  expect((await caller.get(`/get/id/${uuid}`)).status).toBe(301);
  expect((await caller.get(`/get/uuid/${'0'.repeat(32)}`)).status).toBe(404);
  expect((await caller.get('/get/list')).body).toMatchObject({
    skins: [{ uuid }],
    page: { index: 1, total: 1 },
  });
  const player = (await caller.get('/validate/name/Steve')).body as unknown as { uuid: string };
  expect(player).toEqual({ valid: true, uuid: expect.stringMatching(/^[0-9a-f]{32}$/), name: 'Steve' });
  expect((await caller.get(`/validate/uuid/${player.uuid}`)).body).toEqual(player);
  expect((await caller.get('/validate/user/nobody')).status).toBe(404);
});
