import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { Connections } from '../../../../src/server/http/fastify/connections.ts';

const PROXY = '192.0.2.100';

/** Connections of which an address may have two, and a clock that stands still until it is moved. */
function open() {
  const clock = { now: 5_000, monotonic: () => clock.now };
  const counts = { dropped: 0 };
  const connections = new Connections({
    maxConnections: 10,
    maxConnectionsPerAddress: 2,
    unreadTimeout: 10_000,
    nameOf: (address) => address,
    isProxy: (address) => address === PROXY,
    onDropped: () => counts.dropped++,
    clock,
  });
  const connect = (remoteAddress = '192.0.2.1') => {
    const socket = new EventEmitter() as Socket;
    const destroy = () => {
      if (socket.destroyed) return socket;
      Object.assign(socket, { destroyed: true });
      socket.emit('close');
      return socket;
    };
    Object.assign(socket, { remoteAddress, destroyed: false, writableLength: 0, destroy });
    connections.add(socket);
    return socket;
  };
  return { connections, connect, clock, counts };
}

describe('An address that has all its connections', () => {
  test('replaces 50 of them in a quarter of a second, and is then refused', () => {
    const { connections, connect, clock, counts } = open();
    const sockets = [connect(), connect()];
    for (let n = 0; n < 50; n++) {
      expect(connections.refuses('192.0.2.1')).toBe(false);
      sockets.push(connect());
    }
    expect(sockets.filter(({ destroyed }) => !destroyed)).toEqual(sockets.slice(-2));
    expect(counts.dropped).toBe(50);
    clock.now += 249;
    expect(connections.refuses('192.0.2.1')).toBe(true);
    expect(counts.dropped).toBe(51);
    clock.now += 1;
    expect(connections.refuses('192.0.2.1')).toBe(false);
    connect();
    expect(connections.refuses('192.0.2.1')).toBe(false);
  });

  test('is not refused when one of them has ended', () => {
    const { connections, connect } = open();
    const sockets = Array.from({ length: 52 }, () => connect());
    expect(connections.refuses('192.0.2.1')).toBe(true);
    sockets.at(-1)?.destroy();
    expect(connections.refuses('192.0.2.1')).toBe(false);
  });

  test('refuses nothing to others, and a proxy is never refused', () => {
    const { connections, connect } = open();
    for (let n = 0; n < 52; n++) connect();
    for (let n = 0; n < 10; n++) connect(PROXY);
    expect([connections.refuses('192.0.2.2'), connections.refuses(PROXY)]).toEqual([false, false]);
  });
});

describe('An address from which too much came at once', () => {
  test('is banned for ten seconds', () => {
    const { connections, connect, clock, counts } = open();
    const [flooding, other] = [connect(), connect()];
    connections.begin(other);
    connections.ban(flooding);
    flooding.destroy();
    expect(connections.refuses('192.0.2.1')).toBe(true);
    expect(connections.refuses('192.0.2.2')).toBe(false);
    expect([other.destroyed, counts.dropped]).toEqual([false, 2]);
    clock.now += 9_999;
    expect(connections.refuses('192.0.2.1')).toBe(true);
    clock.now += 1;
    expect(connections.refuses('192.0.2.1')).toBe(false);
  });

  test.each([
    [0, true],
    [1, false],
    [2, true],
  ])('a connection with %d requests under way is closed: %s', (count, isClosed) => {
    const { connections, connect } = open();
    const [flooding, other] = [connect(), connect()];
    for (let n = 0; n < count; n++) connections.begin(other);
    connections.ban(flooding);
    expect(other.destroyed).toBe(isClosed);
  });

  test('is not banned for a user with a valid key, and never if it is a proxy', () => {
    const { connections, connect } = open();
    const [own, proxied] = [connect(), connect(PROXY)];
    connections.recognize(own, 'user:1');
    for (const socket of [own, proxied]) connections.ban(socket);
    expect([connections.refuses('192.0.2.1'), connections.refuses(PROXY)]).toEqual([false, false]);
  });
});

describe('Room is made', () => {
  test('by a connection that has sent nothing rather than by an older one that is idle', () => {
    const { connections, connect } = open();
    const used = connect();
    connections.begin(used)();
    const silent = connect();
    connect();
    expect([used.destroyed, silent.destroyed]).toEqual([false, true]);
  });

  test('by none with a request under way: the new connection is closed', () => {
    const { connections, connect } = open();
    const busy = [connect(), connect()];
    for (const socket of busy) connections.begin(socket);
    const newest = connect();
    expect([...busy, newest].map(({ destroyed }) => destroyed)).toEqual([false, false, true]);
  });
});

test('A connection takes no place of a stranger while its key is checked', () => {
  const { connections, connect } = open();
  const sockets = [connect(), connect()];
  const ends = sockets.map((socket) => connections.begin(socket));
  for (const socket of sockets) connections.awaitKey(socket);
  const others = [connect(), connect()];
  for (const socket of others) connections.begin(socket);
  expect(connect().destroyed).toBe(true);
  connections.recognize(sockets[0]!, 'user:1');
  for (const end of ends) end();
  expect([...sockets, ...others].map(({ destroyed }) => destroyed)).toEqual([false, false, false, false]);
  expect(connect().destroyed).toBe(false);
  expect(sockets[1]!.destroyed).toBe(true);
});

test('A connection is recognized from the first valid key of a user until it ends; one of a proxy never', () => {
  const { connections, connect } = open();
  const [own, proxied] = [connect(), connect(PROXY)];
  expect(connections.isRecognized(own)).toBe(false);
  for (const socket of [own, proxied]) connections.recognize(socket, 'user:1');
  expect([own, proxied].map((socket) => connections.isRecognized(socket))).toEqual([true, false]);
  own.destroy();
  expect(connections.isRecognized(own)).toBe(false);
});
