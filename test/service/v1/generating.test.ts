import { describe, expect, test } from 'vitest';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { parseTexturesValue } from '../../../src/textures/property.ts';
import { readGenerated } from '../../support/http/v1/old-format.ts';
import { dataUrl, drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { guardAgainstLeaks, runServer, WITH_KEY_FILE } from '../../support/server/running-server.ts';
import { drawFigure } from '../../support/skin/drawing.ts';

guardAgainstLeaks();

const SLIM = dataUrl(encodePng(drawFigure('slim')));

describe('POST /generate/upload', () => {
  test('answers with a whole skin in the old format', async () => {
    const clock = new MovableClock();
    const { owner, url } = await runServer({ ...WITH_KEY_FILE, clock });
    const hash = pixelHash(drawSkin(1));
    const heard = await owner.upload('/generate/upload', skinPng(1), { name: 'Smith', visibility: '1' });
    const { data, rateLimit, ...made } = readGenerated(heard);
    expect(made).toEqual({
      id: 1,
      idStr: '1',
      uuid: expect.stringMatching(/^[0-9a-f]{32}$/),
      hash,
      name: 'Smith',
      model: 'steve',
      variant: 'classic',
      timestamp: clock.now() / 1000,
      duration: expect.any(Number),
      account: made.accountId,
      accountId: expect.any(Number),
      server: expect.any(String),
      private: false,
      views: 0,
      duplicate: false,
      nextRequest: 0,
      delay: 0,
      delayInfo: { millis: 0, seconds: 0 },
      warnings: [{ code: 'deprecated', message: expect.any(String) }],
      usage: {},
    });
    expect(made.accountId).toBeGreaterThan(0);
    expect(rateLimit?.limit.used).toBe(1);
    const { value, signature, ...texture } = data.texture;
    expect(texture).toEqual({ url: `${url}/textures/${hash}`, urls: { skin: `${url}/textures/${hash}` } });
    expect(data.uuid).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(data.uuid.replaceAll('-', '')).toBe(parseTexturesValue(value).profileId);
    expect(signature).toMatch(/^[A-Za-z0-9+/]{683}=$/);
  });

  test('answers with the same skin, as a duplicate, when it already exists', async () => {
    const { owner } = await runServer();
    const first = readGenerated(await owner.upload('/generate/upload', skinPng(1)));
    const again = readGenerated(await owner.upload('/generate/upload', skinPng(1), { checkOnly: '1' }));
    expect(again).toMatchObject({ uuid: first.uuid, data: first.data, duplicate: true });
    expect(again.rateLimit?.limit.used).toBe(1);
  });

  test('takes a file whose part has a content type and no name', async () => {
    const { owner } = await runServer();
    const part = 'Content-Disposition: form-data; name="file"\r\nContent-Type: application/octet-stream';
    const body = Buffer.concat([
      Buffer.from(`--b\r\n${part}\r\n\r\n`),
      skinPng(1),
      Buffer.from('\r\n--b--\r\n'),
    ]);
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const made = readGenerated(await owner.send('POST', '/generate/upload', { body, headers }));
    expect(made.hash).toBe(pixelHash(drawSkin(1)));
  });

  test('warns a caller without a key and without a User-Agent', async () => {
    const { anonymous } = await runServer();
    const body = JSON.stringify({ url: SLIM });
    const headers = { 'content-type': 'application/json', 'user-agent': '' };
    const made = readGenerated(await anonymous().send('POST', '/generate/url', { body, headers }));
    expect(made.warnings.map(({ code }) => code)).toEqual(['no_api_key', 'no_user_agent', 'deprecated']);
  });
});

/** What each way to say it comes to. */
const VARIANTS: [options: object, variant: 'classic' | 'slim'][] = [
  [{}, 'slim'],
  [{ model: '' }, 'slim'],
  [{ model: null, variant: null }, 'slim'],
  [{ variant: 'unknown' }, 'slim'],
  [{ variant: 'banana' }, 'slim'],
  [{ model: 'alex' }, 'slim'],
  [{ model: 'STEVE' }, 'classic'],
  [{ model: 'default' }, 'classic'],
  [{ variant: 'steve' }, 'classic'],
  [{ variant: 'classic', model: 'slim' }, 'classic'],
  [{ variant: '', model: 'classic' }, 'classic'],
];
const VISIBILITIES: [options: object, visibility: 'public' | 'unlisted'][] = [
  [{}, 'public'],
  [{ visibility: '' }, 'public'],
  [{ visibility: 0 }, 'public'],
  [{ visibility: '0' }, 'public'],
  [{ visibility: false }, 'public'],
  [{ visibility: 'public' }, 'public'],
  [{ visibility: 1 }, 'unlisted'],
  [{ visibility: '1' }, 'unlisted'],
  [{ visibility: 2 }, 'unlisted'],
  [{ visibility: '9' }, 'unlisted'],
  [{ visibility: '1.0' }, 'unlisted'],
  [{ visibility: '-1' }, 'unlisted'],
  [{ visibility: 'undefined' }, 'unlisted'],
  [{ visibility: true }, 'unlisted'],
  [{ visibility: 'unlisted' }, 'unlisted'],
];
const NAMES: [given: unknown, name: string][] = [
  [null, ''],
  ['', ''],
  ['!!!', ''],
  ['Smith', 'Smith'],
  [7, '7'],
  [' A/name with§far too many letters in it', 'Aname withfar too many l'],
];

describe('POST /generate/url', () => {
  test('answers ArcherNpc, which takes the first object with a value and a signature', async () => {
    const { key, anonymous } = await runServer();
    const headers = { 'user-agent': 'ArcherNpc', authorization: `Bearer ${key}` };
    const heard = await anonymous().json('/generate/url', { url: SLIM }, headers);
    const pairs: object[] = [];
    JSON.stringify(heard.body, (_, found: unknown) => {
      if (typeof found === 'object' && found && 'value' in found && 'signature' in found) pairs.push(found);
      return found;
    });
    expect([heard.status, pairs]).toMatchObject([200, [readGenerated(heard).data.texture]]);
  });

  test('makes a skin with the model in old or new words, or else with the detected one', async () => {
    const { owner } = await runServer();
    for (const [options, variant] of VARIANTS) {
      const made = readGenerated(await owner.json('/generate/url', { url: SLIM, ...options }));
      const expected = [variant, variant === 'slim' ? 'slim' : 'steve'];
      expect([made.variant, made.model], JSON.stringify(options)).toEqual(expected);
    }
  });

  test('makes a skin with the visibility in numbers, digits or words', async () => {
    const { owner } = await runServer();
    for (const [options, visibility] of VISIBILITIES) {
      const { uuid } = readGenerated(await owner.json('/generate/url', { url: SLIM, ...options }));
      const { skin } = (await owner.get(`/v2/skins/${uuid}`)).body;
      expect(skin?.visibility, JSON.stringify(options)).toBe(visibility);
    }
  });

  test('makes a valid name from the given text', async () => {
    const { owner } = await runServer();
    for (const [name, expected] of NAMES) {
      const made = readGenerated(await owner.json('/generate/url', { url: SLIM, name }));
      expect(made.name, String(name)).toBe(expected);
    }
  });

  test('prefers the body to the query', async () => {
    const { owner } = await runServer();
    const query = `model=slim&name=query&url=${encodeURIComponent(SLIM)}`;
    const body = { model: 'classic', name: '' };
    const made = readGenerated(await owner.json(`/generate/url?${query}`, body));
    expect(made).toMatchObject({ model: 'steve', name: 'query' });
  });

  test('accepts a request with only a query', async () => {
    const { owner } = await runServer();
    const url = encodeURIComponent(SLIM);
    const made = readGenerated(await owner.send('POST', `/generate/url?url=${url}&visibility=0`));
    expect(made.model).toBe('slim');
  });
});

test('The picture may be in a form part of any name', async () => {
  const { owner } = await runServer();
  const form = new FormData();
  form.append('visibility', '1');
  form.append('smith.png', new Blob([new Uint8Array(skinPng(1))], { type: 'image/png' }), 'smith.png');
  expect(readGenerated(await owner.form('/generate/upload', form)).private).toBe(false);
});
