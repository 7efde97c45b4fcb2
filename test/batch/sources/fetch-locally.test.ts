import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { Agent } from 'undici';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { BatchSource } from '../../../src/batch/model/source.ts';
import { urlSource, userSource } from '../../../src/batch/sources/arguments/links.ts';
import { fetchedSources } from '../../../src/batch/sources/fetch-locally.ts';
import { collected, problemOf } from '../../support/batch/read-sources.ts';
import { webServer } from '../../support/server/web-server.ts';

const NEVER = new AbortController().signal;

async function fetchAll(sources: readonly BatchSource[], signal = NEVER): Promise<BatchSource[]> {
  return await collected(fetchedSources(streamOf(sources), { signal, proxies: undefined }));
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

test('Five redirects are followed, with no more told than the program', async () => {
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
  'A body that is not read, that of %s, is not waited for, and its connection is closed',
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

test('Aborting ends the wait', async () => {
  const site = await webServer(() => {});
  const [source] = await fetchAll([urlSource(site.url)], AbortSignal.timeout(50));
  expect(problemOf(source!)?.message).toContain('interrupted');
});
