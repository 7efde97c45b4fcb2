import { expect, test } from 'vitest';
import { callHosted } from '../../support/hosted/run-hosted.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';

test('Plugins get skins from addresses and players: a picture of its own for each, the same each time', async () => {
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

test('The form of a PHP system is read, and its name of the part of a picture', async () => {
  const { caller } = await callHosted();
  const form = new FormData();
  form.set('visibility', '0');
  form.set('file', new Blob([new Uint8Array(skinPng(1))]), 'skin.png');
  expect((await caller.form('/generate/upload', form)).status).toBe(200);
  const nothing = await caller.form('/generate/upload', new FormData());
  expect([nothing.status, nothing.body]).toMatchObject([400, { errorCode: 'missing_file' }]);
  const text = await caller.send('POST', '/generate/url', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'url=https%3A%2F%2Fa.example%2Fb.png&variant=slim',
  });
  expect([text.status, text.body]).toMatchObject([200, { variant: 'slim' }]);
});

test('The delay between requests is told, and enforced', async () => {
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

test('Skins are found by UUID and in the list, and everybody exists but nobody', async () => {
  const { caller } = await callHosted();
  const { uuid } = (await caller.json('/generate/url', { url: 'https://a.example/b.png' }))
    .body as unknown as { uuid: string };
  expect((await caller.get(`/get/uuid/${uuid}`)).body).toMatchObject({ uuid, data: { texture: {} } });
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
