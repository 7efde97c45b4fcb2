import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { BODY_LIMIT } from '../../../src/server/http/bodies.ts';
import { decodePng, readPng } from '../../../src/skin/png/decode.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { dataUrl, skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { expectRefusal } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const JSON_TYPE = { 'content-type': 'application/json' };

test('A request that declares JSON and has no body counts as one without the declaration', async () => {
  const { owner } = await runServer();
  const skin = (await owner.upload('/v2/generate', skinPng(1))).body.skin!;
  const sent = [
    ['POST', `/generate/url?url=${encodeURIComponent(dataUrl(skinPng(2)))}`, 200],
    ['POST', `/v2/skins/${skin.uuid}/interactions/views`, 204],
    ['DELETE', `/v2/skins/${skin.uuid}`, 200],
  ] as const;
  for (const [method, path, status] of sent) {
    expect((await owner.send(method, path, { headers: JSON_TYPE })).status, path).toBe(status);
  }
  const nothing = await owner.send('POST', '/v2/queue', { headers: JSON_TYPE });
  expectRefusal(nothing, 'invalid_request');
});

test('No key is created from a JSON body that arrives incomplete', async () => {
  const { owner } = await runServer();
  const heard = await owner.send('POST', '/v2/account/keys', { headers: JSON_TYPE });
  expectRefusal(heard, 'invalid_request');
  expect(heard.body.errors[0]?.message).toBe('The body is empty.');
  const { id } = (await owner.json('/v2/account/keys', {})).body.key!;
  expect((await owner.send('DELETE', `/v2/account/keys/${id}`, { headers: JSON_TYPE })).status).toBe(200);
});

test('A picture with bytes after its end is accepted', async () => {
  const { owner } = await runServer();
  const file = readFileSync(new URL('../../fixtures/skins/mcskin3d.png', import.meta.url));
  const skin = (await owner.upload('/v2/generate', file)).body.skin!;
  const texture = (await owner.send('GET', new URL(skin.texture.url.skin).pathname)).bytes;
  expect(pixelHash(decodePng(texture))).toBe(pixelHash(decodePng(file)));
  expect(readPng(texture).faults).toEqual([]);
});

const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

/** The ways to compress a body, by their names in Content-Encoding. */
const CODECS = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', (content: string | Buffer) => brotliCompressSync(content, QUICKLY)],
] as const;

const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

describe.each(CODECS)('A body compressed with %s', (encoding, compress) => {
  const headers = { 'content-encoding': encoding };

  test('is read: JSON at version 2, a form at version 1', async () => {
    const { owner } = await runServer();
    const json = JSON.stringify({ url: dataUrl(skinPng(1)), name: 'Smith' });
    const form = String(new URLSearchParams({ url: dataUrl(skinPng(2)), name: 'Smith' }));
    const rows = [
      ['/v2/generate', { ...JSON_TYPE, ...headers }, json],
      ['/generate/url', { ...FORM_TYPE, ...headers }, form],
    ] as const;
    for (const [path, all, text] of rows) {
      const { status, bytes } = await owner.send('POST', path, { headers: all, body: compress(text) });
      expect(status).toBe(200);
      expect(bytes.toString()).toContain('"name":"Smith"');
    }
  });

  test('is refused if it is too large, compressed or decompressed', async () => {
    const { owner } = await runServer();
    const all = { ...JSON_TYPE, ...headers };
    const bomb = compress(Buffer.alloc(8 * 1024 * 1024, ' '));
    expect(bomb.length).toBeLessThan(BODY_LIMIT);
    for (const body of [bomb, Buffer.alloc(BODY_LIMIT + 1)]) {
      const heard = await owner.send('POST', '/v2/queue', { headers: all, body });
      expectRefusal(heard, 'invalid_file', 413);
    }
  });

  test('is refused if it is damaged, and counts as no body if it is empty', async () => {
    const { owner } = await runServer();
    const all = { ...JSON_TYPE, ...headers };
    for (const body of [compress('{"url":"https://example.org/a.png"}').subarray(0, 20), '{}']) {
      const heard = await owner.send('POST', '/v2/queue', { headers: all, body });
      expectRefusal(heard, 'invalid_request');
      expect(heard.body.errors[0]?.message).toBe('The body does not match its Content-Encoding.');
    }
    expectRefusal(await owner.send('POST', '/v2/queue', { headers: all }), 'invalid_request');
    expect((await owner.send('GET', '/v2/queue', { headers: all })).status).toBe(200);
  });
});

test('A body with another compression is refused, and so is a compressed form with a file', async () => {
  const { owner } = await runServer();
  const body = JSON.stringify({ url: dataUrl(skinPng(1)) });
  const send = async (type: string, encoding: string) =>
    await owner.send('POST', '/v2/queue', {
      headers: { 'content-type': type, 'content-encoding': encoding },
      body,
    });
  const rows = [
    ['application/json', 'compress'],
    ['application/json', 'gzip, gzip'],
    ['multipart/form-data; boundary=x', 'gzip'],
  ] as const;
  for (const [type, encoding] of rows) {
    const heard = await send(type, encoding);
    expectRefusal(heard, 'invalid_content_type');
    expect(heard.headers['accept-encoding']).toBe('gzip, deflate, br');
  }
  expect((await send('application/json', 'identity')).status).toBe(202);
});
