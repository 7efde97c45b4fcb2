import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import type { FastifyBaseLogger } from 'fastify';
import { expect, test, vi } from 'vitest';
import type { Connections } from '../../../../src/server/http/fastify/connections.ts';
import { Reads } from '../../../../src/server/http/fastify/reads.ts';
import type { Answer } from '../../../../src/server/http/route.ts';
import type { Endpoints } from '../../../../src/server/http/routing/endpoints.ts';
import { Refusal } from '../../../../src/server/service/refusals/refusal.ts';

const DONE: Answer = { status: 200, body: { done: true } };

interface World {
  /** Of the one route that there is. */
  readonly route?: object;
  readonly admit?: () => Promise<object>;
  readonly isRewritten?: boolean;
}

/** Reads over one route, `/known`; what is written, watched and recognized. */
function openReads({
  route = {},
  admit = async () => ({ caller: { kind: 'anonymous' } }),
  isRewritten = false,
}: World = {}) {
  const endpoint = { admit, answer: async () => DONE };
  const find = (_: string, path: string) => {
    if (path === '/malformed') throw new Refusal('invalid_request');
    if (path !== '/known') return undefined;
    return {
      target: { endpoint, route: { method: 'GET', answers: { 200: null }, ...route } },
      params: {},
      pattern: path,
    };
  };
  const [write, watch, recognize] = [vi.fn(), vi.fn(), vi.fn()];
  const reads = new Reads({
    endpoints: { find } as unknown as Endpoints,
    connections: { recognize } as unknown as Connections,
    log: {} as FastifyBaseLogger,
    watch,
    write,
    errorAnswer: (error) => ({ status: 500, body: String(error) }),
    isRewritten: () => isRewritten,
  });
  return { reads, write, watch, recognize };
}

const response = {} as ServerResponse;

function requestOf({ method = 'GET', url = '/known', headers = {} } = {}): IncomingMessage {
  return { method, url, headers, rawHeaders: [], socket: new PassThrough() } as unknown as IncomingMessage;
}

test.each([
  ['a GET', {}],
  ['HEAD', { method: 'HEAD' }],
  ['whatever it asks', { url: '/known?a=1&b=%41' }],
  ['with a whole address, as proxies send it', { url: 'http://skins.invalid/known' }],
])('%s is taken, watched and answered', async (_, request) => {
  const { reads, write, watch } = openReads();
  expect(reads.take(requestOf(request), response)).toBe(true);
  expect(watch).toHaveBeenCalledOnce();
  await vi.waitFor(() => expect(write).toHaveBeenCalledOnce());
  expect(write.mock.calls[0]?.slice(2)).toEqual([DONE, { isTagged: true }]);
});

test.each([
  ['another method', { method: 'POST' }, {}],
  ['a body', { headers: { 'content-length': '2' } }, {}],
  ['a body of unknown length', { headers: { 'transfer-encoding': 'chunked' } }, {}],
  ['an address that leads nowhere', { url: '/unknown' }, {}],
  ['an address that is malformed', { url: '/malformed' }, {}],
  ['a page in the place of a key document', {}, { isRewritten: true }],
  ['an answer that is written while it is read', {}, { route: { isStreamed: true } }],
  ['events', {}, { route: { answers: { 200: 'text/event-stream' } } }],
])('A request with %s is left to the framework', (_, request, world) => {
  const { reads, write, watch } = openReads(world);
  expect(reads.take(requestOf(request), response)).toBe(false);
  expect([write, watch].map((called) => called.mock.calls.length)).toEqual([0, 0]);
});

test('So are all requests once the service closes: it tells connections that they end', () => {
  const { reads } = openReads();
  reads.close();
  expect(reads.take(requestOf(), response)).toBe(false);
});

test('What is refused is answered as an error', async () => {
  const { reads, write } = openReads({ admit: async () => await Promise.reject(new Error('no')) });
  reads.take(requestOf(), response);
  await vi.waitFor(() => expect(write).toHaveBeenCalledOnce());
  expect(write.mock.calls[0]?.slice(2)).toEqual([{ status: 500, body: 'Error: no' }]);
});

test('The connection of a user is known by the user from then on', async () => {
  const caller = { kind: 'user', owner: 'user:1' };
  const { reads, write, recognize } = openReads({ admit: async () => ({ caller }) });
  const request = requestOf();
  reads.take(request, response);
  await vi.waitFor(() => expect(write).toHaveBeenCalledOnce());
  expect(recognize.mock.calls).toEqual([[request.socket, 'user:1']]);
});
