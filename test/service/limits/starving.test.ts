import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PlainBrowser } from '../../support/pages/browser.ts';
import { skinPng } from '../../support/server/drawn-skins.ts';
import { poll } from '../../support/server/poll.ts';
import { guardAgainstLeaks, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';
import { expectRefusal } from '../../support/server/test-caller.ts';
import { isWhole } from '../../support/setup/whole-run.ts';

guardAgainstLeaks();

/** A connection from this loopback address that sends `text` and reads nothing. */
function silent({ url }: ServerUnderTest, address: string, text = ''): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: address });
  socket.on('error', () => {}); // being cut off is what is tested
  socket.pause();
  if (text) socket.write(text);
  onTestFinished(() => void socket.destroy());
  return socket;
}

const TEXTURE = `data:image/png;base64,${Buffer.from(skinPng(1)).toString('base64')}`;

const open = (sockets: readonly Socket[]) => sockets.filter(({ destroyed }) => !destroyed).length;

describe('Connections', () => {
  test('that send nothing are closed to make room, the ones of the same address first', async () => {
    const server = await runServer({ networkLimits: { maxConnectionsPerAddress: 5 } });
    const sockets = Array.from({ length: 20 }, () => silent(server, '127.0.0.9').resume());
    await poll(
      () => open(sockets),
      (count) => count <= 5,
    );
    for (const address of ['127.0.0.9', '127.0.0.10']) {
      expect((await server.anonymous(address).get('/health')).status).toBe(200);
    }
  });

  test('of the address that has most are closed to make room when there are too many', async () => {
    const server = await runServer({ networkLimits: { maxConnections: 10, maxConnectionsPerAddress: 100 } });
    const sockets = Array.from({ length: 10 }, () => silent(server, '127.0.0.9').resume());
    const few = silent(server, '127.0.0.8').resume();
    expect((await server.anonymous('127.0.0.7').get('/health')).status).toBe(200);
    await poll(
      () => open(sockets),
      (count) => count < 10,
    );
    expect(few.destroyed).toBe(false);
  });

  test('with a valid key are never closed to make room', async () => {
    const server = await runServer({ networkLimits: { maxConnectionsPerAddress: 2 } });
    const streams = [await server.owner.events(), await server.owner.events(), await server.owner.events()];
    await Promise.all(streams.map(async (stream) => await stream.first(1)));
    const sockets = Array.from({ length: 20 }, () => silent(server, '127.0.0.1').resume());
    await poll(
      () => open(sockets),
      (count) => count <= 2,
    );
    expect(streams.map(({ end }) => end)).toEqual([undefined, undefined, undefined]);
    expect((await server.owner.get('/v2/me')).status).toBe(200);
  });

  const slow = (head: string) =>
    `POST ${head}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\na`;
  const keyless: [what: string, text: (host: string) => string][] = [
    [
      'a header without a key',
      (host) => slow(`/v2/queue HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer`),
    ],
    [
      'a key that a page does not read',
      (host) =>
        slow(
          `/ui/sign-in HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nAuthorization: Bearer ${'a'.repeat(64)}`,
        ),
    ],
  ];
  test.each(keyless)('of one address have the same limit with %s', async (_, text) => {
    const server = await runServer({ networkLimits: { maxConnectionsPerAddress: 2 } });
    const sockets: Socket[] = [];
    for (let n = 0; n < 6; n++) {
      sockets.push(silent(server, '127.0.0.9', text(new URL(server.url).host)).resume());
      await server.anonymous('127.0.0.8').get('/health'); // by then the request has come
    }
    await poll(
      () => open(sockets),
      (count) => count <= 2,
    );
    expect(sockets.slice(-2).map(({ destroyed }) => destroyed)).toEqual([false, false]);
  });

  test('from one address can all upload at once if each has a valid key', async () => {
    const server = await runServer();
    await server.owner.upload('/v2/generate', skinPng(1));
    const answers = await Promise.all(
      Array.from(
        { length: isWhole ? 200 : 50 },
        async () => await server.owner.upload('/v2/queue', skinPng(1)),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });

  test('whose client does not read the answer are closed', async () => {
    const server = await runServer({ networkLimits: { unreadTimeout: 1_000 } });
    const ask = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n';
    const socket = silent(server, '127.0.0.9', ask.repeat(30));
    const more = setInterval(() => void socket.write(ask), 20); // until what the system keeps for it is full
    onTestFinished(() => clearInterval(more));
    await poll(() => socket.destroyed || socket.errored !== null || socket.writableEnded, Boolean);
  });
});

describe('Pipelined requests', () => {
  const ask = (n: number) => `GET /health HTTP/1.1\r\nHost: a\r\nX-Request-Id: r${n}\r\n\r\n`;

  test('are answered one after the other, in their order', async () => {
    const server = await runServer();
    let heard = '';
    const socket = silent(server, '127.0.0.9', Array.from({ length: 20 }, (_, n) => ask(n)).join(''));
    socket.on('data', (chunk) => {
      heard += chunk.toString();
    });
    socket.resume();
    const ids = () => [...heard.matchAll(/x-request-id: r(\d+)/gi)].map(([, n]) => Number(n));
    await poll(ids, (found) => found.length === 20);
    expect(ids()).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  test('end the connection when there are too many', async () => {
    const server = await runServer();
    const socket = silent(server, '127.0.0.9', Array.from({ length: 1_000 }, (_, n) => ask(n)).join(''));
    socket.resume();
    await poll(() => socket.destroyed, Boolean);
    expect((await server.anonymous().get('/health')).status).toBe(200);
  });
});

describe('Requests of one address without a key', () => {
  test('are limited per minute, reads too; key holders, other addresses and /health are not', async () => {
    const server = await runServer({ networkLimits: { requestsPerMinute: 3 } });
    const stranger = server.anonymous('127.0.0.9');
    for (let n = 0; n < 3; n++) expect((await stranger.get('/v2/skins')).status).toBe(200);
    const refused = await stranger.get('/v2/skins');
    expectRefusal(refused, 'rate_limit');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(10);
    expect((await stranger.get('/openapi.json')).status).toBe(429);
    expect((await stranger.get('/get/delay')).status).toBe(429);
    for (const path of ['/health', '/ready']) expect((await stranger.get(path)).status).toBe(200);
    expect((await server.anonymous('127.0.0.8').get('/v2/skins')).status).toBe(200);
    for (let n = 0; n < 5; n++) expect((await server.owner.get('/v2/skins')).status).toBe(200);
  });

  test.each(['OPTIONS /v2/skins', 'GET /%zz'])('count also when no route answers them: %s', async (line) => {
    const server = await runServer({ networkLimits: { requestsPerMinute: 2 } });
    let heard = '';
    const text = `${line} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(3);
    const socket = silent(server, '127.0.0.9', text).on('data', (piece) => {
      heard += piece.toString();
    });
    socket.resume();
    const statuses = () => [...heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
    const [, , last] = await poll(statuses, ({ length }) => length === 3);
    expect(last).toBe(429);
  });

  test('end their connection when a hundred in a row are refused', async () => {
    const server = await runServer({ networkLimits: { requestsPerMinute: 1 } });
    const text = 'GET /v2/skins HTTP/1.1\r\nHost: a\r\n\r\n';
    let count = 0;
    const socket = silent(server, '127.0.0.9', text);
    socket.on('data', (piece) => {
      const answers = piece.toString().split('HTTP/1.1 ').length - 1;
      count += answers;
      socket.write(text.repeat(answers));
    });
    socket.resume();
    await poll(() => socket.destroyed, Boolean);
    expect(count).toBe(101);
  });

  test('count also when their key is wrong', async () => {
    const server = await runServer({ networkLimits: { requestsPerMinute: 2 } });
    const guess = async () =>
      (await server.anonymous('127.0.0.9').get('/v2/me', { authorization: `Bearer ${'0'.repeat(69)}` }))
        .status;
    expect([await guess(), await guess(), await guess()]).toEqual([403, 403, 429]);
  });

  test.each(['/v2/nothing', '/nothing', '/ui/nothing'])(
    'count also when nothing is at their address: %s',
    async (path) => {
      const server = await runServer({ networkLimits: { requestsPerMinute: 3 } });
      const stranger = server.anonymous('127.0.0.9');
      const statusOf = async (accept: string, method: 'GET' | 'PUT' = 'GET') =>
        (await stranger.send(method, path, { headers: { accept } })).status;
      expect(await statusOf('*/*')).toBe(404);
      expect(await statusOf('text/html')).toBe(404);
      expect(await statusOf('*/*', 'PUT')).toBe(404);
      expect([await statusOf('*/*'), await statusOf('text/html')]).toEqual([429, 429]);
      expect((await server.anonymous('127.0.0.8').get(path)).status).toBe(404);
    },
  );

  test('count also when they are forms of a page of another site', async () => {
    const server = await runServer({ networkLimits: { requestsPerMinute: 1 } });
    const headers = { 'sec-fetch-site': 'cross-site' };
    const send = async () =>
      (await new PlainBrowser(server.url).open('/ui/sign-out', { headers, form: {} })).status;
    expect([await send(), await send()]).toEqual([403, 429]);
  });

  test.each([
    ['/v2/skins', 200],
    ['/v2/skins/unknown', 400],
    ['/ui/gallery', 200],
    ['/ui/skins/unknown', 404],
  ])('count as simultaneous only until they end: %s', async (path, status) => {
    const { url } = await runServer({ workers: 0, networkLimits: { requestsAtOnce: 1 } });
    const send = async () => (await new PlainBrowser(url).open(path)).status;
    expect([await send(), await send()]).toEqual([status, status]);
  });

  test('have a limit on how many run simultaneously', async () => {
    const server = await runServer({ workers: 0, networkLimits: { requestsAtOnce: 1 } });
    const stranger = server.anonymous('127.0.0.9');
    const waiting = stranger.json('/v2/generate?timeout=5', { url: TEXTURE }).catch(() => undefined);
    await poll(
      async () => (await stranger.get('/v2/skins')).status,
      (status) => status === 429,
    );
    expectRefusal(await stranger.get('/v2/skins'), 'concurrency_limit');
    expect((await server.owner.get('/v2/skins')).status).toBe(200);
    await server.close({ limit: 0 });
    await waiting;
  });
});

test('Callers without a key open at most ten event streams per address, and leave room for callers with a key', async () => {
  const server = await runServer();
  const stranger = server.anonymous('127.0.0.9');
  for (let n = 0; n < 10; n++) expect((await stranger.events()).status).toBe(200);
  expect((await stranger.events()).status).toBe(429);
  expect((await server.owner.events()).status).toBe(200);
});
