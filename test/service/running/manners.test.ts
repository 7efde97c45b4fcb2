import { describe, expect, test } from 'vitest';
import { ROUTES } from '../../../src/server/http/routes/routes.ts';
import { exchangeRaw } from '../../support/fuzz/raw-exchange.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { guardAgainstLeaks, runServer } from '../../support/server/running-server.ts';
import { type Heard, TestCaller } from '../../support/server/test-caller.ts';
import { sampled } from '../../support/setup/extent.ts';

guardAgainstLeaks();

const OWN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('The id of a request', () => {
  test('is kept if it has up to 64 letters, digits, dots and dashes, and is replaced otherwise', async () => {
    const { owner } = await runServer();
    for (const [sent, kept] of [
      ['trace_1.A-b', 'trace_1.A-b'],
      ['a'.repeat(64), 'a'.repeat(64)],
      ['a'.repeat(65), undefined],
      ['a b', undefined],
      ['', undefined],
    ]) {
      const { headers } = await owner.get('/health', { 'x-request-id': sent! });
      expect([sent, headers['x-request-id']]).toEqual([sent, kept ?? expect.stringMatching(OWN_ID)]);
    }
  });

  test('is in every answer', async () => {
    const { owner, anonymous } = await runServer();
    const id = { 'x-request-id': 'mine' };
    const answers = await Promise.all([
      owner.get('/nowhere', id),
      owner.get('/%zz', id),
      owner.send('PUT', '/v2/queue', { headers: id }),
      owner.get('/v2/skins', { ...id, authorization: 'Bearer nonsense' }),
      anonymous().send('OPTIONS', '/v2/skins', { headers: id }),
      owner.get('/get/delay', id),
    ]);
    expect(answers.map(({ headers }) => headers['x-request-id'])).toEqual(answers.map(() => 'mine'));
  });
});

describe('A web page of another origin', () => {
  const origin = 'https://pages.example';

  test('may call every route, as each preflight answer says', async () => {
    const { anonymous } = await runServer();
    // Answered before a route is looked for.
    for (const path of sampled([...new Set(ROUTES.flatMap(({ paths }) => paths))], 4)) {
      const headers = { origin, 'access-control-request-method': 'PATCH' };
      const answer = await anonymous().send('OPTIONS', path.replaceAll(/:\w+(?:\{.*\})?/g, 'x'), { headers });
      expect([path, answer.status, answer.headers]).toEqual([
        path,
        204,
        expect.objectContaining({
          'access-control-allow-origin': '*',
          'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
          'access-control-allow-headers': expect.stringMatching(
            /^Authorization, Content-Type, .*User-Agent, MineSkin-User-Agent, .*Idempotency-Key$/,
          ),
          'access-control-max-age': '86400',
        }),
      ]);
    }
  });

  test('gets this preflight answer even without naming the method', async () => {
    const { anonymous } = await runServer();
    const { status, bytes } = await anonymous().send('OPTIONS', '/v2/skins');
    expect([status, bytes.length]).toEqual([204, 0]);
  });

  test('may read answers and errors, with their headers, and without cookies', async () => {
    const { owner } = await runServer();
    for (const path of ['/v2/delay', '/v2/skins/nope', '/openapi.json']) {
      const { headers } = await owner.get(path, { origin });
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(headers['access-control-allow-credentials']).toBeUndefined();
      expect(String(headers['access-control-expose-headers']).split(', ')).toEqual(
        expect.arrayContaining(['X-RateLimit-NextRequest', 'Retry-After', 'MineSkin-Breadcrumb', 'ETag']),
      );
    }
  });
});

describe('Entity tags', () => {
  test('save sending a body that the caller already has', async () => {
    const { owner } = await runServer();
    const { body } = await owner.upload('/v2/generate', skinPng(1));
    const path = `/v2/skins/${body.skin?.uuid}`;
    const first = await owner.get(path);
    const tag = String(first.headers['etag']);
    expect(tag).toMatch(/^W\/"[\w-]+"$/);
    for (const known of [tag, tag.replace('W/', ''), `"other", ${tag}`, '*']) {
      const again = await owner.get(path, { 'if-none-match': known });
      expect([known, again.status, again.bytes.length]).toEqual([known, 304, 0]);
      expect(again.headers).toMatchObject({ etag: tag, 'cache-control': 'private, no-cache' });
      expect(again.headers['content-type']).toBeUndefined();
      expect((await owner.send('HEAD', path, { headers: { 'if-none-match': known } })).status).toBe(304);
    }
    const other = await owner.get(path, { 'if-none-match': '"other"' });
    expect([other.status, other.bytes.length]).toEqual([200, first.bytes.length]);
  });

  test('change when their content changes', async () => {
    const { owner } = await runServer();
    const before = await owner.get('/v2/queue');
    await owner.upload('/v2/generate', skinPng(1));
    const after = await owner.get('/v2/queue', { 'if-none-match': String(before.headers['etag']) });
    expect([after.status, after.body.jobs?.length]).toEqual([200, 1]);
  });

  test('are missing from errors and from answers to changes', async () => {
    const { owner } = await runServer();
    const error = await owner.get('/v2/skins/00000000000000000000000000000000', { 'if-none-match': '*' });
    const made = await owner.upload('/v2/queue', skinPng(1));
    expect([error.status, error.headers['etag'], made.headers['etag']]).toEqual([404, undefined, undefined]);
  });
});

describe('Who may keep an answer', () => {
  const caching = ({ headers }: Heard) => [headers['cache-control'], headers['vary']];

  test.each([
    ['/v2/me', 'private, no-cache', undefined],
    ['/v2/queue', 'private, no-cache', undefined],
    ['/v2/me/skins', 'private, no-cache', undefined],
    ['/v2/skins', 'public, max-age=30', 'Authorization, Origin'],
    ['/v2/capes', 'public, max-age=30', 'Authorization, Origin'],
    ['/', 'public, max-age=30', 'Accept, Authorization, Origin, User-Agent'],
    ['/health', 'no-store', undefined],
    ['/ready', 'no-store', undefined],
    ['/nowhere', 'no-store', undefined],
    ['/v2/queue/nope', 'no-store', undefined],
    ['/%zz', 'no-store', undefined],
  ])('of %s: %s', async (path, control, vary) => {
    const { owner } = await runServer();
    expect(caching(await owner.get(path))).toEqual([control, vary]);
  });

  test('is nobody for requests that change something', async () => {
    const { owner } = await runServer();
    expect(caching(await owner.json('/v2/account/keys', { name: 'a' }))).toEqual(['no-store', undefined]);
  });
});

test('HEAD gets the answer of GET, without the body, wherever GET changes nothing', async () => {
  const { owner } = await runServer();
  const reads = ROUTES.filter(({ method, changes }) => method === 'GET' && !changes);
  for (const { paths } of sampled(reads, 3)) {
    const path = paths[0].replaceAll(/:\w+(?:\{.*\})?/g, '0'.repeat(32));
    if (path === '/v2/queue/events') continue;
    const get = await owner.get(path);
    const head = await owner.send('HEAD', path);
    expect([path, head.status, head.bytes.length]).toEqual([path, get.status, 0]);
    expect(head.headers['content-type']).toBe(get.headers['content-type']);
  }
});

test('A fragment, which some clients send, is no part of the address', async () => {
  const { url } = await runServer();
  const headers = [
    ['Host', 'a.example'],
    ['Connection', 'close'],
  ] as const;
  const asked = { method: 'GET', address: '/health#fragment', headers, body: Buffer.alloc(0) };
  expect((await exchangeRaw(Number(new URL(url).port), asked, 20_000)).status).toBe(200);
});

describe('Two slashes at the start of an address, as after a base address with a slash at its end,', () => {
  test('count as one, for reads and for requests with a body', async () => {
    const server = await runServer();
    const caller = new TestCaller(server.url, { key: server.key, isOurs: false });
    expect((await caller.get('//v2/me')).status).toBe(200);
    expect((await caller.upload('//v2/generate', skinPng(1))).status).toBe(200);
    expect((await caller.upload('//generate/upload', skinPng(1))).headers['mineskin-api-version']).toBe('v1');
    const stranger = new TestCaller(server.url, { isOurs: false });
    for (const path of ['//v2/me/skins', '//metrics', '///v2/account/users'])
      expect([path, (await stranger.get(path)).status]).toEqual([path, 401]);
  });

  test('never lead to another host', async () => {
    const { anonymous } = await runServer();
    const { status, headers } = await anonymous().get('//evil.example/ui', { accept: 'text/html' });
    expect([status, headers['location']]).toEqual([404, undefined]);
  });
});
