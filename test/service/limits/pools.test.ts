import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { runGame } from '../../support/fake-game/run-game.ts';
import { guardAgainstLeaks, runServer, type ServerUnderTest } from '../../support/server/running-server.ts';

guardAgainstLeaks();

/** Small ones, so that few strangers fill everything. */
const LIMITS = { maxConnections: 40, maxConnectionsPerAddress: 10, maxUnfinished: 200_000 };

/** A connection from this address that sends `text` and reads nothing. */
async function send({ url }: ServerUnderTest, address: string, text: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: address });
  socket.on('error', () => {}); // some are cut off
  socket.pause();
  onTestFinished(() => void socket.destroy());
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  socket.write(text);
  return socket;
}

const post = (length: number, headers = '') =>
  `POST /v2/queue HTTP/1.1\r\nHost: a\r\n${headers}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

const ATTACKS: [what: string, text: string][] = [
  ['connections that say nothing', ''],
  ['requests without an end', 'GET / HTTP/1.1\r\n'],
  ['bodies that arrive byte by byte', `${post(1_000)}{`],
  [
    'bodies of unknown keys that arrive byte by byte',
    `${post(1_000, `Authorization: Bearer ${'a'.repeat(69)}\r\n`)}{`,
  ],
  ['large bodies that never end', `${post(100_000)}${' '.repeat(90_000)}`],
  ['answers that nobody reads', get('/openapi.json')],
  ['event streams', get('/v2/queue/events')],
  ['pipelined requests that nothing counts', `${get('/health')}${get('/%zz')}`.repeat(14)],
];

test.each(ATTACKS)('A key holder, a game server and /health are answered beside %s', async (_, text) => {
  const game = await runGame();
  const server = await runServer({ networkLimits: LIMITS, gameAddresses: game.addresses });
  for (let n = 0; n < 3 * LIMITS.maxConnections; n++) await send(server, `127.0.5.${1 + (n % 8)}`, text);
  const key = { authorization: `Bearer ${server.key}` };
  expect((await server.anonymous('127.0.0.7').get('/v2/me', key)).status).toBe(200);
  const joins = '/sessionserver/session/minecraft/hasJoined?username=Jeb&serverId=abc';
  expect((await server.anonymous('127.0.0.8').get(joins)).status).toBe(204);
  expect((await server.anonymous('127.0.0.9').get('/health')).status).toBe(200);
});

test('Bodies from a trusted proxy count for the forwarded addresses', async () => {
  const server = await runServer({
    networkLimits: { ...LIMITS, maxConnectionsPerAddress: 5 },
    trustProxy: '127.0.0.1',
  });
  const sockets: Socket[] = [];
  for (let n = 0; n < 12; n++)
    sockets.push(await send(server, '127.0.0.1', `${post(1_000, 'X-Forwarded-For: 192.0.2.1\r\n')}{`));
  const other = await send(server, '127.0.0.1', `${post(1_000, 'X-Forwarded-For: 192.0.2.2\r\n')}{`);
  await Promise.all(
    sockets.slice(0, 7).map(async (socket) => socket.destroyed || (await once(socket.resume(), 'close'))),
  );
  const isOpen = (socket: Socket) => !socket.destroyed;
  expect([sockets.filter(isOpen).length, isOpen(other)]).toEqual([5, true]);
});
