import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Fate } from '../../../src/double/plans.ts';
import { decodePng } from '../../../src/skin/png/decode.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { parseTexturesValue } from '../../../src/textures/property.ts';
import { callHosted, ended, submit } from '../../support/hosted/run-hosted.ts';
import { drawSkin, skinPng } from '../../support/server/drawn-skins.ts';
import { poll } from '../../support/server/poll.ts';
import { type Heard, TestCaller } from '../../support/server/test-caller.ts';

const pixelsOf = (number: number) => pixelHash(drawSkin(number));

const codesOf = ({ status, body }: Heard) => [status, body.errors?.[0]?.code];

describe('A submission', () => {
  test('becomes a job with 24 digits, an eta and limits, and later its skin in other bytes', async () => {
    const { caller } = await callHosted();
    const heard = await submit(caller, 1);
    expect(heard.status).toBe(202);
    expect(heard.body.job).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      status: 'waiting',
      timestamp: expect.any(Number),
      eta: expect.any(Number),
    });
    expect(heard.body.links).not.toHaveProperty('events');
    expect(heard.headers).toHaveProperty('x-ratelimit-limit');
    const { skin, job } = (await ended(caller, heard)).body;
    expect(job?.result).toBe(skin?.uuid);
    const { url } = parseTexturesValue(skin?.texture.data.value ?? '').skin!;
    const { bytes } = await caller.get(new URL(url).pathname);
    expect(pixelHash(decodePng(bytes))).toBe(pixelsOf(1));
    expect(url.endsWith(createHash('sha256').update(bytes).digest('hex'))).toBe(true);
    expect(bytes.equals(skinPng(1))).toBe(false);
    expect((await caller.get(`/v2/skins/${skin?.uuid}`)).body.skin).toEqual(skin);
  });

  test('by POST /v2/generate is answered when the skin is ready, or after a timeout', async () => {
    const { caller } = await callHosted({
      serviceTime: ({ input }) => (input.pixels === pixelsOf(1) ? 30 : 60_000),
      patience: 300,
    });
    expect((await caller.upload('/v2/generate', skinPng(1))).body.skin?.variant).toBe('classic');
    const late = await caller.upload('/v2/generate', skinPng(2));
    expect(codesOf(late)).toEqual([500, 'generator_timeout']);
    expect(late.body).not.toHaveProperty('links'); // which job it was only the list tells
    expect((await caller.get('/v2/queue')).body.jobs).toMatchObject([{ status: 'processing' }, {}]);
  });

  test('of a known picture is answered at once under a made-up id that stays valid', async () => {
    const { caller, service } = await callHosted({ known: 'everything' });
    const { status, body } = await submit(caller, 1);
    expect([status, body.job?.id.slice(0, 4), body.skin?.duplicate]).toEqual([200, 'f4c3', true]);
    expect((await submit(caller, 1)).body.job?.id).toBe(body.job?.id);
    expect((await ended(caller, { body })).body.skin).toEqual({ ...body.skin, duplicate: false });
    expect((await caller.get('/v2/queue')).body.jobs).toEqual([]);
    expect([service.records.accepted.length, service.doubleSubmissions]).toEqual([2, []]);
  });

  test.each([
    [
      'a URL of another kind',
      (caller: TestCaller) => caller.json('/v2/queue', { url: 'ftp://a.example/b.png' }),
      400,
      'validation_error',
    ],
    ['no file', (caller: TestCaller) => caller.form('/v2/queue', new FormData()), 400, 'missing_file'],
    [
      'no picture',
      (caller: TestCaller) => caller.upload('/v2/queue', Buffer.from('?')),
      400,
      'invalid_image',
    ],
    [
      'a name of other letters',
      (caller: TestCaller) => caller.upload('/v2/queue', skinPng(1), { name: '☃' }),
      400,
      'validation_error',
    ],
  ] as const)('of %s is refused', async (_, send, status, code) => {
    expect(codesOf(await send((await callHosted()).caller))).toEqual([status, code]);
  });

  test('of two files, another field or too much is refused', async () => {
    const { caller } = await callHosted();
    const form = (files: Record<string, Uint8Array>, fields = 0) => {
      const data = new FormData();
      for (let n = 0; n < fields; n++) data.set(`field${n}`, 'x');
      for (const [name, png] of Object.entries(files))
        data.append(name, new Blob([new Uint8Array(png)]), 'a.png');
      return caller.form('/v2/queue', data);
    };
    const refused = [
      await form({ file: skinPng(1), more: skinPng(2) }),
      await form({ image: skinPng(1) }),
      await form({ file: skinPng(1) }, 6),
      await form({ file: new Uint8Array(20_001) }),
    ];
    expect(refused.map(({ body }) => body.errors[0]?.message)).toEqual([
      'invalid file: Too many files',
      'invalid file: Unexpected field',
      'invalid file: Too many fields',
      'invalid file: File too large',
    ]);
    expect((await form({ file: skinPng(1) }, 5)).status).toBe(202);
  });

  test('with an invalid key is refused with two errors; without a key it counts as anonymous', async () => {
    const { service } = await callHosted();
    const stranger = new TestCaller(service.url, { key: 'x'.repeat(70), isOurs: false });
    const refused = await submit(stranger, 1);
    expect([refused.status, refused.body.errors.map(({ code }) => code)]).toEqual([
      403,
      ['invalid_api_key', 'api_key_not_found'],
    ]);
    expect(service.records.accepted).toEqual([]);
    const anonymous = new TestCaller(service.url, { isOurs: false });
    const accepted = await submit(anonymous, 1);
    expect([accepted.status, accepted.body.warnings]).toEqual([
      202,
      [expect.objectContaining({ code: 'no_api_key' })],
    ]);
    expect(codesOf(await anonymous.get('/v2/queue'))).toEqual([401, 'unauthorized']);
    expect(codesOf(await anonymous.get('/v2/me'))).toEqual([404, 'user_not_found']);
    expect(codesOf(await anonymous.get('/v2/me/skins'))).toEqual([401, 'unauthorized']);
    expect((await anonymous.get(`/v2/queue/${accepted.body.job?.id}`)).status).toBe(200);
    expect(codesOf(await anonymous.upload('/v2/queue', skinPng(2), { visibility: 'private' }))).toEqual([
      401,
      'unauthorized',
    ]);
  });

  test('gets a 503 that counts, while generation is switched off', async () => {
    const { caller, service } = await callHosted({
      rate: { limit: 60 },
      flags: { blockGeneration: 'Back at noon.' },
    });
    const { status, body } = await submit(caller, 1);
    expect([status, body.errors, body.rateLimit?.limit.minute]).toEqual([
      503,
      [{ code: 'service_unavailable', message: 'Back at noon.' }],
      expect.objectContaining({ used: 1, remaining: 59 }),
    ]);
    service.flags = {};
    expect((await submit(caller, 1)).status).toBe(202);
  });
});

describe('The limits', () => {
  test('refuse a sixth unfinished job with a Retry-After of nothing', async () => {
    const { caller, service } = await callHosted({ workers: 0 });
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((number) => submit(caller, number)));
    const [refused, ...more] = answers.filter(({ status }) => status === 429);
    expect([refused?.body.errors[0]?.code, more]).toEqual(['job_limit', []]);
    expect(refused?.headers).toHaveProperty('retry-after', '0');
    expect(service.records).toMatchObject({ mostUnfinished: 5, refusals: { job_limit: 1 } });
  });

  test('let a sixth job through if told to, which the records show', async () => {
    const { caller, service } = await callHosted({ workers: 0, slack: 1 });
    for (const number of [1, 2, 3, 4, 5, 6]) await submit(caller, number);
    expect(service.records.mostUnfinished).toBe(6);
  });

  test('count the queued jobs of another program of the caller', async () => {
    const { caller, service } = await callHosted({ limit: 1 });
    const other = service.occupy(400);
    expect((await submit(caller, 1)).status).toBe(429);
    expect((await caller.get('/v2/queue')).body.jobs?.map(({ id }) => id)).toEqual([other]);
    await poll(
      () => submit(caller, 1),
      ({ status }) => status === 202,
    );
    expect(service.records.accepted).toHaveLength(1);
  });

  test('refuse polls of one job that come too fast', async () => {
    const { caller } = await callHosted({ lookGap: 60_000 });
    const { body } = await submit(caller, 1);
    const look = async () => (await caller.get(`/v2/queue/${body.job?.id}`)).status;
    expect([await look(), await look()]).toEqual([200, 429]);
  });

  test('are in GET /v2/me, without the queue that only skinsmith has', async () => {
    const { caller } = await callHosted({ workers: 3, grants: { delay: 2 } });
    const { grants } = (await caller.get('/v2/me')).body;
    expect(grants).toMatchObject({ delay: 2, concurrency: 3 });
    expect(grants).not.toHaveProperty('queue');
  });

  test('count jobs of another key of the user, which no list shows', async () => {
    const { caller, service } = await callHosted({ limit: 1 });
    service.occupy(60_000, { key: 'other' });
    expect(codesOf(await submit(caller, 1))).toEqual([429, 'job_limit']);
    expect((await caller.get('/v2/queue')).body.jobs).toEqual([]);
  });
});

describe('The fate of a picture', () => {
  const only = (fate: Fate) => ({
    serviceTime: 10,
    fate: (pixels: string) => (pixels === pixelsOf(1) ? fate : undefined),
  });

  test('can be to fail: the request succeeds and tells why', async () => {
    const { caller, service } = await callHosted(
      only({ kind: 'fails', times: 1, code: 'skin_change_failed' }),
    );
    const { status, body } = await ended(caller, await submit(caller, 1));
    expect([status, body.success, body.job?.status, body.errors[0]?.code]).toEqual([
      200,
      true,
      'failed',
      'skin_change_failed',
    ]);
    expect((await ended(caller, await submit(caller, 1))).body.job?.status).toBe('completed');
    expect(service.doubleSubmissions).toEqual([]);
  });

  test('can be a refusal', async () => {
    const { caller } = await callHosted(only({ kind: 'refused', times: 1, code: 'invalid_image' }));
    expect(codesOf(await submit(caller, 1))).toEqual([400, 'invalid_image']);
    expect((await submit(caller, 1)).status).toBe(202);
  });

  test('can be the texture of a picture that was never submitted', async () => {
    const { caller, service } = await callHosted(only({ kind: 'wrong', times: 1 }));
    await ended(caller, await submit(caller, 2));
    const shown = async () => {
      const { skin } = (await ended(caller, await submit(caller, 1))).body;
      const { bytes } = await caller.get(new URL(skin?.texture.url.skin ?? '').pathname);
      return pixelHash(decodePng(bytes));
    };
    const wrong = await shown();
    expect([pixelsOf(1), pixelsOf(2)]).not.toContain(wrong);
    expect(await shown()).toBe(pixelsOf(1));
    expect(service.doubleSubmissions).toEqual([]);
  });

  test.each([
    [true, 200, 200],
    [false, 404, 202],
  ])('can be to be forgotten; the skin stays: %s', async (keepsSkin, skinStatus, nextStatus) => {
    const { caller, service } = await callHosted(
      only({ kind: 'forgotten', times: 1, after: 600, keepsSkin }),
    );
    const first = await ended(caller, await submit(caller, 1));
    const gone = await poll(
      () => caller.get(`/v2/queue/${first.body.job?.id}`),
      ({ status }) => status === 404,
    );
    expect(codesOf(gone)).toEqual([404, 'job_not_found']);
    expect((await caller.get('/v2/queue')).body.jobs).toEqual([]);
    expect((await caller.get(`/v2/skins/${first.body.skin?.uuid}`)).status).toBe(skinStatus);
    expect((await submit(caller, 1)).status).toBe(nextStatus);
    expect(service.doubleSubmissions).toEqual([]);
  });
});

describe('A double submission is recorded', () => {
  test('while the first job is under way, and when it is done', async () => {
    const { caller, service } = await callHosted();
    const [first, second] = [await submit(caller, 1), await submit(caller, 1)];
    await ended(caller, second);
    const third = await submit(caller, 1);
    expect(third.body.job?.id).toMatch(/^f4c3/);
    const pair = { pixels: pixelsOf(1), variant: 'classic', first: first.body.job?.id };
    expect(service.doubleSubmissions).toMatchObject([
      { ...pair, second: second.body.job?.id },
      { ...pair, second: third.body.job?.id },
    ]);
  });

  test('but not for the other variant', async () => {
    const { caller, service } = await callHosted();
    await submit(caller, 1);
    await caller.upload('/v2/queue', skinPng(1), { variant: 'slim' });
    expect([service.records.accepted.length, service.doubleSubmissions]).toEqual([2, []]);
  });
});
