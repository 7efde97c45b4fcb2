import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { Connections } from '../../../../src/server/http/fastify/connections.ts';
import { NETWORK_LIMITS } from '../../../../src/server/http/fastify/network-limits.ts';
import { NodeServers } from '../../../../src/server/http/fastify/node-servers.ts';
import { Reception } from '../../../../src/server/http/fastify/reception.ts';

const HEAD = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

async function listen(connections: Connections): Promise<{ server: Server; port: number }> {
  const servers = new NodeServers({
    limits: NETWORK_LIMITS,
    connections,
    clock: systemClock,
    isUrgent: () => false,
  });
  const server = servers.makeFirst((_request, response) => response.end());
  server.listen(NodeServers.listenOptions('127.0.0.1', 0));
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { server, port: (server.address() as AddressInfo).port };
}

function anyConnections(): Connections {
  return new Connections({
    ...NETWORK_LIMITS,
    nameOf: (address) => address,
    isProxy: () => false,
    onDropped: () => {},
    clock: systemClock,
  });
}

// Fails when a version of Node no longer asks before it makes a socket of a connection.
test('Connections of a refused address are closed before they become sockets', async () => {
  const connections = anyConnections();
  connections.refuses = (address) => address === '127.0.0.9';
  const { server, port } = await listen(connections);
  const accepted: (string | undefined)[] = [];
  server.on('connection', ({ remoteAddress }) => accepted.push(remoteAddress));
  const refused = connect({ host: '127.0.0.1', port, localAddress: '127.0.0.9' }).resume();
  await once(refused, 'close');
  const welcome = connect({ host: '127.0.0.1', port, localAddress: '127.0.0.8' });
  onTestFinished(() => void welcome.destroy());
  await once(server, 'connection');
  expect(accepted).toEqual(['127.0.0.8']);
});

// Fails when a version of Node no longer pauses accepted connections, or begins with them elsewhere.
test('Nothing is read from an accepted connection until the reception takes it in', async () => {
  const received: (() => void)[] = [];
  const add = vi.spyOn(Reception.prototype, 'add').mockImplementation((takeIn) => void received.push(takeIn));
  onTestFinished(() => add.mockRestore());
  const { server, port } = await listen(anyConnections());
  const client = connect({ host: '127.0.0.1', port });
  onTestFinished(() => void client.destroy());
  client.write(HEAD);
  const [socket] = (await once(server, 'connection')) as [Socket];
  const later = connect({ host: '127.0.0.1', port });
  onTestFinished(() => void later.destroy());
  await once(server, 'connection');
  expect([socket.isPaused(), socket.bytesRead]).toEqual([true, 0]);
  for (const takeIn of received) takeIn();
  const [head] = await once(client.setEncoding('utf8'), 'data');
  expect(head).toMatch(/^HTTP\/1\.1 200 /);
});
