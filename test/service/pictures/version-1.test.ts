import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { decodePng } from '../../../src/skin/png/decode.ts';
import { drawView } from '../../../src/skin/render/render.ts';
import { bodyOf, expectOldRefusal } from '../../support/http/v1/old-format.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import type { Heard, TestCaller } from '../../support/server/test-caller.ts';

guardAgainstLeaks();

const SKIN = decodePng(skinPng(1));

function pixelsOf({ bytes }: Heard) {
  const { width, height, data } = PNG.sync.read(bytes);
  return { width, height, pixels: new Uint8Array(data) };
}

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
    for (const [kind, view] of [
      ['head', 'head'],
      ['skin', 'body'],
    ] as const) {
      const heard = await anonymous().get(`/render/${name}/${kind}?options=&aa=true`);
      expect(heard).toMatchObject({ status: 200, headers: { 'content-type': 'image/png' } });
      expect(pixelsOf(heard)).toEqual(drawView(SKIN, { view, variant: 'slim', size: 256 }));
    }
  }
});

test('The texture of a skin is there by its number and by its UUID', async () => {
  const { owner, anonymous } = await runServer();
  const { id, uuid, hash } = await makeSkin(owner);
  const { bytes } = await owner.get(`/textures/${hash}`);
  for (const name of [id, uuid]) {
    const heard = await anonymous().get(`/render/texture/${name}`);
    expect([heard.status, heard.headers['content-type']]).toEqual([200, 'image/png']);
    expect(heard.bytes.equals(bytes)).toBe(true);
  }
});

test('Pages anywhere may show the pictures, and ask for none again that they have', async () => {
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

test('What is no skin is refused in the format of version 1', async () => {
  const { anonymous } = await runServer();
  for (const path of ['/render/7/head', `/render/${'0'.repeat(32)}/skin`, '/render/texture/7'])
    expectOldRefusal(await anonymous().get(path), 'skin_not_found');
  expectOldRefusal(await anonymous().get('/render/Notch/head'), 'validation_error');
  expectOldRefusal(await anonymous().get('/render/7/feet'), 'not_found');
});
