import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Double, type DoubleOptions, startDouble } from '../../src/double/double.ts';

async function listening(options: DoubleOptions = {}): Promise<Double> {
  const double = await startDouble(options);
  onTestFinished(async () => await double.stop());
  return double;
}

type HeaderTexts = Readonly<Record<string, string>>;

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: HeaderTexts;
  readonly body?: string;
}

/** What is answered to a request with exactly these headers. */
async function send(double: Double, { method = 'GET', path = '/v2/me', headers = {}, body = '' }: Sent) {
  const { port, host: own } = new URL(double.url);
  const { host = own, ...others } = headers;
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  const all = { host, ...others, 'content-length': String(body.length), connection: 'close' };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${body}`);
  const answer = await text(socket);
  return { status: Number(answer.split(' ', 2)[1]), answer };
}

const JSON_TYPE = { 'content-type': 'application/json' };
const RESET = { method: 'POST', path: '/_double/reset', headers: JSON_TYPE, body: '{}' };
const EVERYTHING: readonly Sent[] = [
  { path: '/' },
  { path: '/v2/skins' },
  { path: '/_double/requests' },
  RESET,
  { ...RESET, path: '/_double/clock', body: '{"advance":"1m"}' },
  { ...RESET, path: '/_double/expect' },
];

describe('A double that listens', () => {
  test.each<readonly [string, HeaderTexts]>([
    ['a name that leads here', { host: 'evil.example' }],
    ['a name with a port', { host: 'evil.example:8080' }],
    ['a name that begins like an address', { host: '127.0.0.1.evil.example' }],
    ['a name that ends like one', { host: 'evil.example.localhost.evil' }],
    ['an address of another machine', { host: '192.168.1.2' }],
    ['a page of another site', { origin: 'https://evil.example' }],
    ['a page of a site that is called like this machine', { origin: 'https://localhost.evil.example' }],
    ['a page of no site', { origin: 'null' }],
  ])('answers 403 to everything from %s', async (_, headers) => {
    const double = await listening({ clock: 'manual' });
    await send(double, { path: '/v2/capes' });
    for (const sent of EVERYTHING) {
      const { status, answer } = await send(double, { ...sent, headers: { ...sent.headers, ...headers } });
      expect([status, answer]).toEqual([403, expect.stringContaining('foreign_request')]);
    }
    expect(double.requests).toHaveLength(1);
  });

  test.each(['localhost', 'LOCALHOST:1', '127.0.0.1', '127.9.9.9:1', '[::1]:8080'])(
    'answers %s, and pages there',
    async (host) => {
      const double = await listening();
      const both: readonly HeaderTexts[] = [{ host }, { host, origin: `http://${host}` }];
      for (const headers of both)
        expect((await send(double, { path: '/_double/requests', headers })).status).toBe(200);
    },
  );

  test.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])(
    'takes no orders as %s',
    async (type) => {
      const double = await listening();
      for (const path of ['reset', 'clock', 'expect', 'stop']) {
        const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
        const { status } = await send(double, { ...RESET, path: `/_double/${path}`, headers });
        expect(status).toBe(415);
      }
      expect((await send(double, RESET)).status).toBe(200);
    },
  );

  test.each(['hosted', 'skinsmith'] as const)(
    'answers invalid addresses without a stack trace, as %s',
    async (as) => {
      const double = await listening({ as });
      const paths = [
        '/v2/skins/%zz',
        '/v2/queue/%',
        '/%zz',
        '//',
        '//%zz',
        '/\\',
        '/v2/skins?%zz=%',
        '/texture/%zz',
      ];
      for (const path of paths) {
        const { status, answer } = await send(double, { path });
        expect([path, status < 500], answer).toEqual([path, true]);
        expect(answer).not.toMatch(/\.ts:\d|node:internal/);
      }
    },
  );

  test('stops at once, whatever a client has begun', async () => {
    const double = await startDouble();
    const socket = connect(Number(new URL(double.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket
      .on('error', () => {})
      .write('POST /v2/queue HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9\r\n\r\n');
    await double.stop();
    await closed;
  });

  test('gives its port back when it cannot start', async () => {
    const first = await startDouble();
    const port = Number(new URL(first.url).port);
    await first.stop();
    const scenario = { rules: [{ do: { job: { polls: 3 } } }] };
    const unplayable = startDouble({ port, as: 'skinsmith', scenario });
    await expect(unplayable).rejects.toMatchObject({ code: 'scenario_unsupported' });
    await (await startDouble({ port })).stop();
  });
});
