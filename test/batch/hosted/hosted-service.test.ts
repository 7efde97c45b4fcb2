import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { decodePng } from '../../../src/skin/decode.ts';
import { pixelHash } from '../../../src/skin/pixel-hash.ts';
import { parseTexturesValue } from '../../../src/textures/property.ts';
import { drawSkin, skinPng } from '../../server/drawn-skins.ts';
import { poll } from '../../server/poll.ts';
import { type Heard, TestCaller } from '../../server/test-caller.ts';
import type { Fate } from './fates.ts';
import { callHosted, ended, submit } from './run-hosted.ts';

const pixelsOf = (number: number) => pixelHash(drawSkin(number));

const codesOf = ({ status, body }: Heard) => [status, body.errors[0]?.code];

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

  test('by POST /v2/generate is answered when the skin is there, or when patience ends', async () => {
    const { caller } = await callHosted({
      serviceTime: ({ wish }) => (wish.pixels === pixelsOf(1) ? 30 : 60_000),
    });
    expect((await caller.upload('/v2/generate', skinPng(1))).body.skin?.variant).toBe('classic');
    const late = await caller.upload('/v2/generate?timeout=0.05', skinPng(2));
    expect([...codesOf(late), late.body.links['job']]).toEqual([
      500,
      'generator_timeout',
      expect.stringMatching(/^\/v2\/queue\//),
    ]);
  });

  test('of a picture that it has is answered at once under a made-up id that lives on', async () => {
    const { caller, service } = await callHosted({ known: 'everything' });
    const { status, body } = await submit(caller, 1);
    expect([status, body.job?.id.slice(0, 4), body.skin?.duplicate]).toEqual([200, 'f4c3', true]);
    expect((await ended(caller, { body })).body.skin).toEqual(body.skin);
    expect((await caller.get('/v2/queue')).body.jobs).toEqual([]);
    expect([service.records.accepted.length, service.doubleSubmissions]).toEqual([1, []]);
  });

  test.each([
    [
      'a URL',
      (caller: TestCaller) => caller.json('/v2/queue', { url: 'http://a.example/b.png' }),
      400,
      'invalid_image_url',
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

  test('needs the key', async () => {
    const { service } = await callHosted();
    expect(codesOf(await submit(new TestCaller(service.url, { isOurs: false }), 1))).toEqual([
      401,
      'unauthorized',
    ]);
    const stranger = new TestCaller(service.url, { key: 'x'.repeat(70), isOurs: false });
    expect(codesOf(await submit(stranger, 1))).toEqual([403, 'invalid_api_key']);
    expect(service.records.accepted).toEqual([]);
  });
});

describe('The limits', () => {
  test('refuse a sixth unfinished job without a word about when', async () => {
    const { caller, service } = await callHosted({ workers: 0 });
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((number) => submit(caller, number)));
    const [refused, ...more] = answers.filter(({ status }) => status === 429);
    expect([refused?.body.errors[0]?.code, more]).toEqual(['job_limit', []]);
    expect(refused?.headers).not.toHaveProperty('retry-after');
    expect(service.records).toMatchObject({ mostUnfinished: 5, refusals: { job_limit: 1 } });
  });

  test('let a sixth through by mistake when told to, and the records show it', async () => {
    const { caller, service } = await callHosted({ workers: 0, slack: 1 });
    for (const number of [1, 2, 3, 4, 5, 6]) await submit(caller, number);
    expect(service.records.mostUnfinished).toBe(6);
  });

  test('count what another program of the caller has in the queue', async () => {
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

  test.each([
    ['seconds', /^1$/],
    ['date', / GMT$/],
    ['next', /^undefined$/],
  ] as const)('hold back a third submission in the window, saying when in %s', async (says, header) => {
    const { caller, service } = await callHosted({ rate: { limit: 2, window: 600, says } });
    await submit(caller, 1);
    await submit(caller, 2);
    const { status, body, headers } = await submit(caller, 3);
    expect([status, body.errors[0]?.code, String(headers['retry-after'])]).toEqual([
      429,
      'rate_limit',
      expect.stringMatching(header),
    ]);
    await sleep(body.rateLimit?.next.relative);
    expect((await submit(caller, 3)).status).toBe(202);
    service.rate = undefined;
    expect((await submit(caller, 4)).body.rateLimit?.limit.minute.remaining).toBeGreaterThan(2);
  });

  test('hold back looks at one job that come too fast', async () => {
    const { caller } = await callHosted({ lookGap: 60_000 });
    const { body } = await submit(caller, 1);
    const look = async () => (await caller.get(`/v2/queue/${body.job?.id}`)).status;
    expect([await look(), await look()]).toEqual([200, 429]);
  });

  test('are told by GET /v2/me, without the queue that only skinsmith tells', async () => {
    const { caller } = await callHosted({ workers: 3, grants: { delay: 2 } });
    const { grants } = (await caller.get('/v2/me')).body;
    expect(grants).toMatchObject({ delay: 2, concurrency: 3 });
    expect(grants).not.toHaveProperty('queue');
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

  test("can be somebody else's texture", async () => {
    const { caller, service } = await callHosted(only({ kind: 'wrong', times: 1 }));
    await ended(caller, await submit(caller, 2));
    const shown = async () => {
      const { skin } = (await ended(caller, await submit(caller, 1))).body;
      const { bytes } = await caller.get(new URL(skin?.texture.url.skin ?? '').pathname);
      return pixelHash(decodePng(bytes));
    };
    expect([await shown(), await shown()]).toEqual([pixelsOf(2), pixelsOf(1)]);
    expect(service.doubleSubmissions).toEqual([]);
  });

  test.each([
    [true, 200, 200],
    [false, 404, 202],
  ])('can be to be forgotten; that the skin stays is %s', async (keepsSkin, skinStatus, nextStatus) => {
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
