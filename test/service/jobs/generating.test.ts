import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { dataUrl, drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { HeldWork } from '../../support/server/held-work.ts';
import { MovableClock } from '../../support/server/movable-clock.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, runServer, WITH_KEY_FILE } from '../../support/server/running-server.ts';
import { expectRefusal, type Heard, TestCaller } from '../../support/server/test-caller.ts';
import { drawFigure } from '../../support/skin/drawing.ts';

guardAgainstLeaks();

/** tEXt: a keyword and a text, of one letter each. */
const TEXT_CHUNK = Buffer.from('0000000374455874610062dc49a23b', 'hex');

const codes = (notes: readonly { code: string }[]) => notes.map(({ code }) => code);

describe('POST /v2/generate', () => {
  test('answers with a whole skin', async () => {
    const { owner, url } = await runServer(WITH_KEY_FILE);
    const { status, body } = await owner.upload('/v2/generate', skinPng(1), {
      name: 'Smith',
      visibility: 'unlisted',
    });
    const hash = pixelHash(drawSkin(1));
    expect(status).toBe(200);
    expect(body.skin).toEqual({
      uuid: expect.stringMatching(/^[0-9a-f]{32}$/),
      shortId: body.skin?.uuid.slice(0, 8),
      name: 'Smith',
      visibility: 'unlisted',
      variant: 'classic',
      texture: {
        data: { value: expect.any(String), signature: expect.stringMatching(/^[A-Za-z0-9+/]{683}=$/) },
        hash: { skin: hash },
        url: { skin: `${url}/textures/${hash}` },
      },
      generator: {
        version: expect.any(String),
        timestamp: expect.any(Number),
        duration: expect.any(Number),
        account: expect.stringMatching(/^[0-9a-f]{16}$/),
        server: expect.any(String),
        worker: expect.stringMatching(/^\d$/),
      },
      tags: [],
      views: 0,
      likes: 0,
      duplicate: false,
    });
    const links = { self: `/v2/skins/${body.skin?.uuid}`, skin: `/v2/skins/${body.skin?.uuid}` };
    expect(body).toMatchObject({ success: true, warnings: [], usage: {}, links });
    expect(codes(body.messages)).toEqual(['skin_generated']);
  });

  test('signs with the key in the key document, and names the picture in the value', async () => {
    const { owner, url } = await runServer();
    const { skin } = (await owner.upload('/v2/generate', skinPng(1))).body;
    const document = (await owner.get('/')).body;
    const { value, signature } = skin!.texture.data;
    const key = createPublicKey(String(document.signaturePublickey));
    expect(verify('RSA-SHA1', Buffer.from(value), key, Buffer.from(signature, 'base64'))).toBe(true);
    expect(verify('RSA-SHA1', Buffer.from(`${value} `), key, Buffer.from(signature, 'base64'))).toBe(false);
    const content = JSON.parse(Buffer.from(value, 'base64').toString('utf8'));
    expect(content.textures).toEqual({ SKIN: { url: `${url}/textures/${pixelHash(drawSkin(1))}` } });
    expect(document.skinDomains).toEqual(['127.0.0.1']);
  });

  test.each([
    ['multipart with a file', (server) => server.owner.upload('/v2/generate', skinPng(1)), []],
    ['JSON with a data URL', (server) => server.owner.json('/v2/generate', { url: dataUrl(skinPng(1)) }), []],
    [
      'multipart with a data URL',
      (server) => {
        const form = new FormData();
        form.set('url', dataUrl(skinPng(1)));
        return server.owner.form('/v2/generate', form);
      },
      [],
    ],
    [
      'a form with a data URL',
      (server) =>
        server.owner.send('POST', '/v2/generate', {
          body: new URLSearchParams({ url: dataUrl(skinPng(1)), name: '', variant: '' }).toString(),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        }),
      ['invalid_content_type'],
    ],
    [
      'options that are null or empty',
      (server) =>
        server.owner.json('/v2/generate', {
          url: dataUrl(skinPng(1)),
          name: null,
          variant: '',
          visibility: '',
          cape: '',
        }),
      [],
    ],
  ] satisfies [string, (server: Awaited<ReturnType<typeof runServer>>) => Promise<Heard>, string[]][])(
    'takes %s',
    async (_, send, warnings) => {
      const { status, body } = await send(await runServer());
      expect(status).toBe(200);
      expect(body.skin).toMatchObject({
        texture: { hash: { skin: pixelHash(drawSkin(1)) } },
        visibility: 'public',
      });
      expect(codes(body.warnings)).toEqual(warnings);
    },
  );

  test.each([
    ['no variant and a slim picture', {}, 'slim', []],
    ['no variant and a classic picture', {}, 'classic', []],
    ['"unknown"', { variant: 'unknown' }, 'slim', []],
    ['another variant than the picture has', { variant: 'classic' }, 'slim', ['variant_mismatch']],
  ] as const)(
    'decides on the variant with %s',
    async (_, fields: Record<string, string>, drawn, warnings) => {
      const { owner } = await runServer();
      const { body } = await owner.upload('/v2/generate', encodePng(drawFigure(drawn)), fields);
      expect([body.skin?.variant, codes(body.warnings)]).toEqual([
        fields['variant']?.replace('unknown', 'slim') ?? drawn,
        warnings,
      ]);
    },
  );

  test('warns callers without a key or without a User-Agent', async () => {
    const { anonymous } = await runServer();
    const encoded = JSON.stringify({ url: dataUrl(skinPng(1)) });
    const headers = { 'content-type': 'application/json', 'user-agent': '' };
    const bare = await anonymous().send('POST', '/v2/generate', { body: encoded, headers });
    expect(codes(bare.body.warnings)).toEqual(['no_api_key', 'no_user_agent']);
    const named = { ...headers, 'mineskin-user-agent': 'test/1' };
    const polite = await anonymous().send('POST', '/v2/generate', { body: encoded, headers: named });
    expect(codes(polite.body.warnings)).toEqual(['no_api_key']);
  });

  test('waits for a job that another request has already queued', async () => {
    const work = new HeldWork();
    const { owner } = await runServer(work.options);
    const queued = await owner.upload('/v2/queue', skinPng(1));
    const impatient = await owner.upload('/v2/generate?timeout=1', skinPng(1));
    expectRefusal(impatient, 'generator_timeout');
    expect(impatient.body.links['job']).toBe(queued.body.links['job']);
    expect((await owner.get('/v2/queue')).body.jobs).toHaveLength(1);
    const making = owner.upload('/v2/generate', skinPng(1));
    work.release();
    const made = await making;
    const job = await owner.get(`/v2/queue/${queued.body.job?.id}`);
    expect([made.status, made.body.skin?.uuid]).toEqual([200, job.body.skin?.uuid]);
  });
});

describe('The limits in an answer', () => {
  test('are the same in body and headers, and count what was generated', async () => {
    const clock = new MovableClock();
    const { anonymous } = await runServer({ clock });
    for (const used of [1, 2]) {
      clock.forward(3_000);
      const { body, headers } = await anonymous().upload('/v2/generate', skinPng(used));
      const { next, delay, limit } = body.rateLimit!;
      expect(limit.minute).toEqual({ limit: 20, used, remaining: 20 - used, reset: clock.now() / 1000 + 61 });
      expect(limit).toMatchObject({
        ...limit.minute,
        hour: { limit: 300, used, reset: clock.now() / 1000 + 3630 - 3 * used },
      });
      // The delay of the plan is for version 1 only.
      expect([next, delay]).toEqual([
        { absolute: clock.now(), relative: 0 },
        { millis: 0, seconds: 0 },
      ]);
      expect(headers).toMatchObject({
        'x-ratelimit-limit': String(limit.minute.limit),
        'x-ratelimit-remaining': String(limit.minute.remaining),
        'x-ratelimit-reset': String(limit.minute.reset),
        'x-ratelimit-delay': String(delay.millis),
        'x-ratelimit-nextrequest': String(next.absolute),
      });
      expect(headers).not.toHaveProperty('retry-after');
    }
  });

  test('say, once used up, when the next request is accepted', async () => {
    const clock = new MovableClock();
    const { anonymous } = await runServer({ clock });
    for (let n = 0; n < 20; n++) {
      clock.forward(3_000);
      await anonymous().upload('/v2/generate', skinPng(n));
    }
    const refused = await anonymous().upload('/v2/queue', skinPng(20));
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('4');
    expect(refused.body.rateLimit?.next).toEqual({ absolute: clock.now() + 4_000, relative: 4_000 });
    const delay = await anonymous().get('/v2/delay');
    expect(delay.body).toMatchObject({ ...refused.body.rateLimit, delay: { millis: 0, seconds: 0 } });
    clock.forward(3_999);
    expect((await anonymous().upload('/v2/queue', skinPng(20))).status).toBe(429);
    clock.forward(1);
    expect((await anonymous().upload('/v2/queue', skinPng(20))).status).toBe(202);
  });

  test('do not count a skin that is known already', async () => {
    const { owner } = await runServer({ clock: new MovableClock() });
    await owner.upload('/v2/generate', skinPng(1));
    for (const path of ['/v2/generate', '/v2/queue']) {
      const { status, body } = await owner.upload(path, skinPng(1), { name: 'again' });
      expect([status, body.skin?.duplicate, body.rateLimit?.limit.used]).toEqual([200, true, 1]);
      expect(codes(body.messages)).toEqual(['skin_found']);
    }
  });
});

describe('A picture that is known', () => {
  test('gives every caller a record of its own with the same data', async () => {
    const { owner, user } = await runServer();
    const [bob, ann] = [await user('bob'), await user('ann')];
    const first = (await owner.upload('/v2/generate', skinPng(1), { visibility: 'unlisted' })).body.skin!;
    const second = (await bob.upload('/v2/generate', skinPng(1))).body.skin!;
    const third = (await ann.upload('/v2/queue', skinPng(1))).body.skin!;
    expect(second.texture).toEqual(first.texture);
    expect(third.texture).toEqual(first.texture);
    expect(new Set([first.uuid, second.uuid, third.uuid]).size).toBe(3);
    expect([first, second, third].map(({ duplicate }) => duplicate)).toEqual([false, true, true]);
  });

  test('is found with checkOnly, whatever PNG it comes in', async () => {
    const { owner } = await runServer();
    const made = await owner.upload('/v2/generate', skinPng(1));
    const renamed = Buffer.concat([skinPng(1).subarray(0, 33), TEXT_CHUNK, skinPng(1).subarray(33)]);
    const found = await owner.upload('/v2/generate', renamed, { checkOnly: '1' });
    expect([found.status, found.body.skin?.uuid]).toEqual([200, made.body.skin?.uuid]);
  });

  test('gets different data with another variant', async () => {
    const { owner } = await runServer();
    const classic = (await owner.upload('/v2/generate', skinPng(1))).body.skin!;
    const slim = (await owner.upload('/v2/generate', skinPng(1), { variant: 'slim' })).body.skin!;
    expect(slim.texture.hash).toEqual(classic.texture.hash);
    expect(slim.texture.data.value).not.toBe(classic.texture.data.value);
    expect(slim.duplicate).toBe(false);
  });
});

test('A service that stops finishes what is being generated and keeps the rest', async () => {
  const work = new HeldWork();
  const server = await runServer({ ...work.options, workers: 1 });
  const first = server.owner.upload('/v2/generate', skinPng(1));
  await poll(
    () => server.owner.get('/v2/queue'),
    (heard) => heard.body.jobs?.[0]?.status === 'processing',
  );
  const second = server.owner.upload('/v2/generate', skinPng(2));
  await poll(
    () => server.owner.get('/v2/queue'),
    (heard) => heard.body.jobs?.length === 2,
  );
  const closed = server.close();
  work.release();
  await closed;
  expect((await first).status).toBe(200);
  const cut = await second;
  expect([cut.status, cut.body.errors[0]?.code]).toEqual([500, 'generator_timeout']);
  const next = await runServer({ dataDir: server.dataDir });
  expect(next.key).toBeUndefined();
  const owner = new TestCaller(next.url, { key: server.key });
  const { body } = await poll(
    () => owner.get('/v2/queue'),
    (heard) => heard.body.jobs?.every(({ status }) => status === 'completed') ?? false,
  );
  expect(body.jobs?.map(({ id }) => `/v2/queue/${id}`)).toEqual([
    cut.body.links['job'],
    (await first).body.links['job'],
  ]);
});
