import { buildConnector } from 'undici';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  fetchGuarded,
  makeGuardedAgent,
  type ResolveName,
  systemResolve,
} from '../../../../src/server/outbound/guarded-agent.ts';
import { OutboundError, parseNetwork } from '../../../../src/server/outbound/target.ts';
import { ANSWERS, LITERALS, LOCAL_NAMES, URLS } from '../../../support/server/ssrf-rows.ts';
import { type Trap, trapServer, webServer } from '../../../support/server/web-server.ts';

/** Where the friendly server of these tests is: the only address that may be reached. */
const OWN = '127.0.0.5';

let trap: Trap;
beforeEach(async () => {
  trap = await trapServer();
});
afterEach(() => {
  expect({ connections: trap.connections, bytes: trap.bytes }).toEqual({ connections: 0, bytes: 0 });
});

interface Ways {
  readonly resolve?: ResolveName;
  readonly dial?: typeof buildConnector;
}

/** What comes of going to `url`: the code of the refusal and its message, or the status. */
async function go(url: string, { resolve = async () => [], dial }: Ways = {}) {
  const policy = { networks: [parseNetwork(OWN)], ports: [80, 443, trap.port] };
  const agent = makeGuardedAgent({ policy, resolve, ...(dial && { dial }) });
  const limits = { timeout: 60_000, maxBytes: 1_000, maxRedirects: 3 };
  try {
    const { status } = await fetchGuarded(agent, { url, method: 'GET', answer: 'whole', ...limits });
    return { code: String(status), message: '' };
  } catch (error) {
    expect(error).toBeInstanceOf(OutboundError);
    const { code, message } = error as OutboundError;
    return { code, message };
  } finally {
    await agent.close();
  }
}

const strict = { networks: [], ports: [80, 443] };
const at = (host: string) => `http://${host}:${trap.port}/`;

describe('No fetch is misdirected', () => {
  test.each(LITERALS)('to the address %s', async (host) => {
    const { code, message } = await go(at(host));
    expect(code).toBe('address_refused');
    expect(message).toMatch(/^\S+ is an? \S.*, and this service does not connect to those\.$/);
  });

  test.each(LOCAL_NAMES)('to this machine by its name %s', async (host) => {
    expect((await go(at(host), { resolve: systemResolve() })).code).toBe('address_refused');
  });

  test.each(ANSWERS)('by a name server that answers %s', async (...addresses) => {
    const told = await go(at('sly.test'), { resolve: async () => addresses });
    const message = 'sly.test has a private address, and this service does not connect to those.';
    expect(told).toEqual({ code: 'address_refused', message });
  });

  test.each(Object.entries(URLS).flatMap(([code, urls]) => urls.map((url) => ({ url, code }))))(
    'by the URL $url ($code)',
    async ({ url, code }) => {
      const agent = makeGuardedAgent({ policy: strict, resolve: async () => [] });
      onTestFinished(async () => await agent.close());
      const named = { url: url.replace('PORT', String(trap.port)), method: 'GET', answer: 'whole' } as const;
      const going = fetchGuarded(agent, { ...named, timeout: 60_000, maxBytes: 10, maxRedirects: 0 });
      await expect(going).rejects.toMatchObject({ name: 'OutboundError', code });
    },
  );

  test.each([
    ...['http://127.0.0.1:PORT/', '//127.0.0.1:PORT/', 'http://2130706433:PORT/', 'http://[::1]:PORT/'],
    ...['http://sly.test:PORT/', '\\\\127.0.0.1:PORT\\', 'https://127.0.0.1:PORT/'],
  ])('by a redirect to %s', async (location) => {
    const own = await webServer((_request, response) => {
      response.writeHead(302, { location: location.replace('PORT', String(trap.port)) }).end();
    }, OWN);
    expect((await go(own.url, { resolve: async () => ['127.0.0.1'] })).code).toBe('address_refused');
    expect(own.seen).toHaveLength(1);
  });

  test.each([
    ...['file:///etc/passwd', 'gopher://127.0.0.1:PORT/', 'http://user:pw@127.0.0.5/', 'data:,x', 'http://'],
    `http://127.0.0.5/${'a'.repeat(3_000)}`,
  ])('by a redirect to %s', async (location) => {
    const own = await webServer(
      (_request, response) => void response.writeHead(301, { location }).end(),
      OWN,
    );
    expect((await go(own.url)).code).toBe('bad_url');
  });

  test('in circles, or by more than three redirects', async () => {
    const own = await webServer(
      (_request, response) => void response.writeHead(307, { location: '/' }).end(),
      OWN,
    );
    expect((await go(own.url)).code).toBe('too_many_redirects');
    expect(own.seen).toHaveLength(4);
  });

  test('by a name that resolves to another address the second time', async () => {
    const own = await webServer((request, response) => {
      const { port } = own;
      response
        .writeHead(302, { location: `http://turning.test:${request.url === '/' ? port : trap.port}/b` })
        .end();
    }, OWN);
    const answers = [[OWN], ['127.0.0.1']];
    const resolve = vi.fn(async () => answers.shift() ?? ['127.0.0.1']);
    expect((await go(`http://turning.test:${own.port}/`, { resolve })).code).toBe('address_refused');
    expect([own.seen.length, resolve.mock.calls.length]).toEqual([1, 2]);
  });

  test('by a proxy that the environment names', async () => {
    for (const name of ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'])
      vi.stubEnv(name, at('127.0.0.1'));
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    onTestFinished(() => void vi.unstubAllEnvs());
    const own = await webServer((_request, response) => void response.end('hi'), OWN);
    expect((await go(own.url)).code).toBe('200');
  });
});

test('The agent itself connects to no address of this machine, whatever is sent through it', async () => {
  const agent = makeGuardedAgent({ policy: { networks: [], ports: [trap.port] } });
  onTestFinished(async () => await agent.close());
  for (const host of ['127.0.0.1', '[::1]', '2130706433', 'localhost']) {
    const sent = (await agent.sender()).request({ origin: at(host), path: '/', method: 'GET' });
    await expect(sent).rejects.toMatchObject({ code: 'address_refused' });
  }
});

test('A name with public and private addresses is reached only at the public ones, with one look-up', async () => {
  const own = await webServer((_request, response) => void response.end('hi'), OWN);
  const resolve = vi.fn(async () => ['10.0.0.1', '127.0.0.1', '::1', OWN, '192.168.0.1']);
  expect((await go(`http://mixed.test:${own.port}/`, { resolve })).code).toBe('200');
  expect(resolve).toHaveBeenCalledTimes(1);
});

test('Nothing is sent over a connection to another address than the checked one', async () => {
  const seen: string[] = [];
  const elsewhere = await webServer((request, response) => {
    seen.push(String(request.url));
    response.end();
  });
  const dial: typeof buildConnector = (options) => {
    const connect = buildConnector({ ...options, lookup: undefined });
    return (to, callback) =>
      connect({ ...to, hostname: '127.0.0.1', port: String(elsewhere.port) }, callback);
  };
  expect((await go(`http://${OWN}:${trap.port}/`, { dial })).code).toBe('address_refused');
  expect(seen).toEqual([]);
});

test("Ordinary redirects are followed, and the caller's headers go only to the first host", async () => {
  const far = await webServer((_request, response) => void response.end('far'), OWN);
  const own = await webServer((request, response) => {
    const location = request.url === '/' ? '../near?a' : `http://far.test:${far.port}/there#x`;
    response.writeHead(302, { location, 'set-cookie': 'a=b; Domain=test' }).end();
  }, OWN);
  const policy = { networks: [parseNetwork(OWN)], ports: [80, 443] };
  const agent = makeGuardedAgent({ policy, resolve: async () => [OWN] });
  onTestFinished(async () => await agent.close());
  const answer = await fetchGuarded(agent, {
    url: `http://near.test:${own.port}/`,
    method: 'GET',
    headers: { 'x-secret': '1', accept: 'image/png' },
    answer: 'whole',
    timeout: 60_000,
    maxBytes: 100,
    maxRedirects: 3,
  });
  expect([answer.status, answer.bytes.toString(), answer.url]).toEqual([
    200,
    'far',
    `http://far.test:${far.port}/there#x`,
  ]);
  expect(own.seen.map(({ line, headers }) => [line, headers['x-secret']])).toEqual([
    ['GET /', '1'],
    ['GET /near?a', '1'],
  ]);
  const [{ headers } = { headers: {} }] = far.seen;
  expect(headers).toEqual({
    host: `far.test:${far.port}`,
    connection: 'close',
    'user-agent': expect.stringMatching(/^skinsmith\/\d/),
    'accept-encoding': 'identity',
  });
});
