import { EventEmitter } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import type { ServiceContext } from '../../../src/server/context.ts';
import type { ServiceEvents } from '../../../src/server/events.ts';
import { NETWORK_LIMITS, type NetworkLimits } from '../../../src/server/http/connections.ts';
import { Log } from '../../../src/server/http/log.ts';
import { HttpServer } from '../../../src/server/http/node-server.ts';
import { KnownAddresses, Turns } from '../../../src/server/pools.ts';
import { Plans } from '../../../src/server/service/plans.ts';
import { poll } from '../../support/server/poll.ts';
import { RawSocket } from '../../support/server/raw-socket.ts';

const BOTH = ['127.0.0.1', '127.0.0.2'];

const listening = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;

/** A server without a service behind it, which listens on all the addresses. */
async function listen(limits: Partial<NetworkLimits> = {}, addresses = BOTH) {
  const dropped = { count: 0 };
  const events: ServiceEvents = new EventEmitter();
  events.on('connectionDropped', () => dropped.count++);
  const known = new KnownAddresses(() => systemClock.monotonic());
  const turns = new Turns(systemClock);
  const context = { clock: systemClock, events, known, turns, plans: new Plans(), trouble: () => undefined };
  const server = new HttpServer({
    context: context as unknown as ServiceContext,
    allowsAnonymous: true,
    log: new Log({ level: 'silent', stream: process.stderr, now: () => 0 }),
    logAddresses: 'none',
    limits: { ...NETWORK_LIMITS, ...limits },
    isProxy: () => false,
  });
  onTestFinished(async () => {
    await server.close();
    await poll(listening, (count) => count === 0);
  });
  const { port } = await server.listen('localhost', 0, async () => addresses);
  const open = async (address: string) => await RawSocket.open(`http://${address}:${port}`);
  return { server, port, open, dropped };
}

test('All addresses of a host answer at the same port', async () => {
  const { port } = await listen();
  for (const address of BOTH) {
    expect((await fetch(`http://${address}:${port}/none`)).status).toBe(404);
  }
});

test('The limit of connections holds for all addresses together', async () => {
  const { open, dropped, server } = await listen({ maxConnections: 3 });
  for (const address of [...BOTH, ...BOTH, ...BOTH]) await open(address);
  await poll(
    () => dropped.count,
    (count) => count === 3,
  );
  await poll(
    async () => await server.countConnections(),
    (count) => count === 3,
  );
});

test('Invalid HTTP is answered in our envelope at each address', async () => {
  const { open } = await listen();
  for (const address of BOTH) {
    const socket = await open(address);
    socket.write('nonsense\r\n\r\n');
    expect(await socket.untilClosed()).toContain('invalid_request');
  }
});

test('Closing ends the idle connections at all addresses', async () => {
  const { server, open } = await listen();
  const sockets = await Promise.all(BOTH.map(open));
  for (const socket of sockets) {
    socket.write('GET /none HTTP/1.1\r\nHost: a\r\n\r\n');
    await poll(() => socket.heard.includes('not_found'), Boolean);
  }
  await server.close();
  for (const socket of sockets) await socket.untilClosed();
});

test('An unusable address does not stop the service on the others', async () => {
  const { port } = await listen({}, ['127.0.0.1', '192.0.2.1']);
  expect((await fetch(`http://127.0.0.1:${port}/none`)).status).toBe(404);
});
