import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { Connections } from '../../../../src/server/http/fastify/connections.ts';
import { NETWORK_LIMITS } from '../../../../src/server/http/fastify/network-limits.ts';
import { NodeServers } from '../../../../src/server/http/fastify/node-servers.ts';
import { UnfinishedBodies } from '../../../../src/server/http/fastify/unfinished-bodies.ts';

// Fails when a version of Node no longer asks before it makes a socket of a connection.
test('Connections of a refused address are closed before they become sockets', async () => {
  const connections = new Connections({
    ...NETWORK_LIMITS,
    nameOf: (address) => address,
    isProxy: () => false,
    onDropped: () => {},
    clock: systemClock,
  });
  connections.refuses = (address) => address === '127.0.0.9';
  const servers = new NodeServers({
    limits: NETWORK_LIMITS,
    connections,
    bodies: new UnfinishedBodies({ most: 1, clock: systemClock, onDropped: () => {}, onFlood: () => {} }),
    clock: systemClock,
    isUrgent: () => false,
  });
  const server = servers.makeFirst((_request, response) => response.end());
  const accepted: (string | undefined)[] = [];
  server.on('connection', ({ remoteAddress }) => accepted.push(remoteAddress));
  server.listen(NodeServers.listenOptions('127.0.0.1', 0));
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const refused = connect({ host: '127.0.0.1', port, localAddress: '127.0.0.9' }).resume();
  await once(refused, 'close');
  const welcome = connect({ host: '127.0.0.1', port, localAddress: '127.0.0.8' });
  onTestFinished(() => void welcome.destroy());
  await once(server, 'connection');
  expect(accepted).toEqual(['127.0.0.8']);
});
