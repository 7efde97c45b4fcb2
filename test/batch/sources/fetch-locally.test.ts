import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { Agent } from 'undici';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { BatchSource } from '../../../src/batch/model.ts';
import { type FetchOptions, fetchedSources } from '../../../src/batch/sources/fetch-locally.ts';
import { urlSource, userSource } from '../../../src/batch/sources/remote-sources.ts';
import { collected, problemOf } from '../../support/batch/read-sources.ts';
import { fakeClock } from '../../support/client/fake-clock.ts';
import { webServer } from '../../support/server/web-server.ts';

const NEVER = new AbortController().signal;

async function fetchAll(
  sources: readonly BatchSource[],
  options: Partial<FetchOptions> = {},
): Promise<BatchSource[]> {
  const usual = { signal: NEVER, clock: fakeClock(), proxies: undefined };
  return await collected(fetchedSources(streamOf(sources), { ...usual, ...options }));
}

async function* streamOf(sources: readonly BatchSource[]): AsyncGenerator<BatchSource> {
  yield* sources;
}

test('Pictures come in the order of their sources, a few fetched at once; other sources are passed on', async () => {
  const [open, most] = [new Set<string>(), { count: 0 }];
  const site = await webServer((request, response) => {
    open.add(String(request.url));
    most.count = Math.max(most.count, open.size);
    setTimeout(() => {
      open.delete(String(request.url));
      response.end(request.url);
    }, 10);
  });
  const urls = Array.from({ length: 20 }, (_, at) => `${site.url}/${at}`);
  const player = userSource('Jeb_');
  const found = await fetchAll([...urls.slice(0, 3).map(urlSource), player, ...urls.slice(3).map(urlSource)]);
  expect(found[3]).toBe(player);
  const bodies = found.flatMap(({ content }) => ('bytes' in content ? String(content.bytes) : []));
  expect(bodies).toEqual(urls.map((_, at) => `/${at}`));
  expect(most.count).toBeGreaterThan(1);
  expect(most.count).toBeLessThanOrEqual(6);
});

test("Five redirects are followed, and hosts learn only the program's name", async () => {
  const site = await webServer((request, response) => {
    const left = Number(request.url?.slice(1));
    if (left > 0) response.writeHead(302, { location: `/${left - 1}` }).end();
    else response.end('here');
  });
  const [five, six] = await fetchAll([urlSource(`${site.url}/5`), urlSource(`${site.url}/6`)]);
  expect(five?.content).toMatchObject({ kind: 'bytes' });
  expect(problemOf(six!)?.message).toContain('more than 5 redirects');
  expect(site.seen[0]?.headers['user-agent']).toMatch(/^skinsmith\//);
});

test.each<[what: string, says: string, listener: RequestListener]>([
  ['a wrong status', 'answered 404', (_request, response) => void response.writeHead(404).end()],
  ['a body without end', 'more than 262144 bytes', (_request, response) => pour(response)],
  [
    'a compressed body',
    'compressed',
    (_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x')),
  ],
  [
    'a redirect to a file',
    'non-http address',
    (_request, response) => void response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
  ],
  [
    'a page',
    'answered with a page; give the address of the picture itself',
    (_request, response) => void response.end('<!DOCTYPE html><title>A skin</title>'),
  ],
  [
    'a page that begins with comments',
    'answered with a page; give the address of the picture itself',
    (_request, response) => void response.end('\uFEFF<!-- ad -->\n<!-- -->\n<HTML><title>A skin</title>'),
  ],
  [
    'a cut',
    'could not be fetched: the connection was reset.',
    (_request, response) => void response.socket?.resetAndDestroy(),
  ],
])('%s is the problem of that source: %s', async (_what, says, listener) => {
  const site = await webServer(listener);
  const [source] = await fetchAll([urlSource(site.url)]);
  expect(problemOf(source!)).toMatchObject({
    code: 'invalid_image_url',
    message: expect.stringContaining(says),
  });
});

test.each([
  [299, undefined],
  [300, 'redirects to a non-http address'],
  [399, 'redirects to a non-http address'],
  [400, 'answered 400'],
])('The status %i without an address means: %s', async (status, says) => {
  const site = await webServer((_request, response) => void response.writeHead(status).end('here'));
  const [source] = await fetchAll([urlSource(site.url)]);
  if (says === undefined) expect(source?.content).toMatchObject({ kind: 'bytes' });
  else expect(problemOf(source!)?.message).toContain(says);
});

function pour(response: Parameters<RequestListener>[1]): void {
  const timer = setInterval(() => response.write(Buffer.alloc(64 * 1024)), 1);
  response.on('close', () => clearInterval(timer));
}

/** The bodies of all answers that are asked for from now on, until the test ends. */
function answeredBodies(): readonly { readonly destroyed: boolean }[] {
  const bodies: { readonly destroyed: boolean }[] = [];
  const { request } = Agent.prototype;
  vi.spyOn(Agent.prototype, 'request').mockImplementation(async function (this: Agent, options) {
    const answer = await request.call(this, options);
    bodies.push(answer.body);
    return answer;
  } as typeof request);
  onTestFinished(() => void vi.restoreAllMocks());
  return bodies;
}

test.each([
  ['a wrong status', 404, {}],
  ['a redirect', 302, { location: '/next' }],
  ['a redirect to a file', 302, { location: 'file:///etc/passwd' }],
  ['a compressed body', 200, { 'content-encoding': 'gzip' }],
])(
  'The unread body of %s is not waited for, and its connection is closed',
  async (_what, status, headers) => {
    const closed = Promise.withResolvers<void>();
    const site = await webServer((request, response) => {
      if (request.url === '/next') return void response.end('here');
      response.writeHead(status, headers).on('close', closed.resolve);
      pour(response);
    });
    const bodies = answeredBodies();
    await fetchAll([urlSource(site.url)]);
    expect(bodies[0]?.destroyed).toBe(true);
    await closed.promise;
  },
);

test('Aborting ends the wait for pictures', async () => {
  const site = await webServer(() => {});
  const [source] = await fetchAll([urlSource(site.url)], { signal: AbortSignal.timeout(50) });
  expect(problemOf(source!)?.message).toContain('interrupted');
});

/** What a host says at first, for each address. */
const PASSING: [what: string, listener: RequestListener][] = [
  ['answers 429', (_request, response) => void response.writeHead(429, { 'retry-after': '3' }).end()],
  ['answers 429 without a time', (_request, response) => void response.writeHead(429).end()],
  ['answers 503', (_request, response) => void response.writeHead(503).end('<html>')],
  ['hangs up', (_request, response) => void response.socket?.resetAndDestroy()],
  [
    'breaks off',
    (_request, response) =>
      void response
        .writeHead(200, { 'content-length': 9 })
        .write('a', () => response.socket?.resetAndDestroy()),
  ],
];

test.each(PASSING)(
  'Requests to a host that %s at first are repeated until all pictures have arrived',
  async (_what, fail) => {
    const asked = new Map<string, number>();
    const site = await webServer((request, response) => {
      const url = String(request.url);
      asked.set(url, (asked.get(url) ?? 0) + 1);
      if (asked.get(url)! < 3) fail(request, response);
      else response.end(url);
    });
    const found = await fetchAll(Array.from({ length: 30 }, (_, at) => urlSource(`${site.url}/${at}`)));
    const bodies = found.map(({ content }) => 'bytes' in content && String(content.bytes));
    expect(bodies).toEqual(found.map((_, at) => `/${at}`));
  },
);

test('While a host asks to wait, no download contacts it', async () => {
  const clock = fakeClock();
  const told = new Set<string>();
  const times: number[] = [];
  const busy = await webServer((_request, response) => {
    times.push(clock.monotonic());
    if (clock.monotonic() < 60_000) response.writeHead(429, { 'retry-after': '60' }).end();
    else response.end('here');
  });
  const found = await fetchAll(
    Array.from({ length: 20 }, (_, at) => urlSource(`${busy.url}/${at}`)),
    { clock, onWait: ({ message, pause }) => told.add(`${message} ${pause}`) },
  );
  expect([...told]).toEqual([`${new URL(busy.url).host} answered 429. 60000`]);
  expect(found.every(({ content }) => content.kind === 'bytes')).toBe(true);
  expect(times.filter((time) => time < 60_000).length).toBeLessThanOrEqual(6);
});

test('Pictures of a host that stays down fail after the usual patience, which is spent only once', async () => {
  const clock = fakeClock();
  const site = await webServer((_request, response) => void response.writeHead(503).end());
  const found = await fetchAll(
    Array.from({ length: 30 }, (_, at) => urlSource(`${site.url}/${at}`)),
    { clock },
  );
  expect(found.map((source) => problemOf(source)?.message)).toEqual(
    found.map(({ label }) => expect.stringMatching(`^${label} could not be fetched: .* answered 503\\.$`)),
  );
  expect(clock.monotonic()).toBeLessThan(300_000);
  expect(site.seen.length).toBeLessThan(120);
});

test('A host that asks for an hour is not waited for', async () => {
  const clock = fakeClock();
  const site = await webServer(
    (_request, response) => void response.writeHead(429, { 'retry-after': '3600' }).end(),
  );
  const [source] = await fetchAll([urlSource(site.url)], { clock });
  expect([problemOf(source!)?.message, clock.sleeps]).toEqual([expect.stringContaining('answered 429'), []]);
});

test('The picture on a page of a skin site is fetched, not the page', async () => {
  const asked: string[] = [];
  vi.spyOn(Agent.prototype, 'request').mockImplementation((async (options: {
    origin: string;
    path: string;
  }) => {
    asked.push(`${options.origin}${options.path}`);
    throw Object.assign(new Error('nobody there'), { code: 'ECONNREFUSED' });
  }) as unknown as Agent['request']);
  onTestFinished(() => void vi.restoreAllMocks());
  const [source] = await fetchAll([urlSource('https://de.namemc.com/skin/4f0932f4d85b1609')]);
  expect(asked).toEqual(['https://namemc.com/texture/4f0932f4d85b1609.png']);
  expect(problemOf(source!)?.message).toMatch(
    'namemc.com/skin/4f0932f4d85b1609 could not be fetched: connection refused',
  );
});
