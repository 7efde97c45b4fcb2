import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { Connections } from '../../../src/server/http/connections.ts';
import { KnownAddresses } from '../../../src/server/pools.ts';

const PROXY = '192.0.2.100';

/** Connections of which an address may have two, and a clock that stands still until it is moved. */
function open() {
  const clock = { now: 5_000, monotonic: () => clock.now };
  const counts = { dropped: 0 };
  const connections = new Connections({
    maxConnections: 10,
    maxConnectionsPerAddress: 2,
    nameOf: (address) => address,
    isProxy: (address) => address === PROXY,
    known: new KnownAddresses(clock.monotonic),
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
    Object.assign(socket, { remoteAddress, destroyed: false, destroy });
    connections.add(socket);
    return socket;
  };
  return { connections, connect, clock, counts };
}

/** A request over the connection; call what it returns when the request is over. */
function begin(connections: Connections, socket: Socket, authorization?: string): () => void {
  const response = new EventEmitter();
  const request = { socket, complete: true, headers: authorization === undefined ? {} : { authorization } };
  const { remoteAddress = '' } = socket;
  connections.begin(request as IncomingMessage, response as ServerResponse, remoteAddress);
  return () => void response.emit('close');
}

describe('An address from which too much came at once', () => {
  test('may open no connection for ten seconds', () => {
    const { connections, connect, clock, counts } = open();
    const [flooding, other] = [connect(), connect()];
    const end = begin(connections, other);
    connections.ban(flooding);
    expect([flooding.destroyed, other.destroyed, counts.dropped]).toEqual([true, false, 1]);
    end();
    expect([connect().destroyed, connect('192.0.2.2').destroyed]).toEqual([true, false]);
    clock.now += 9_999;
    expect(connect().destroyed).toBe(true);
    clock.now += 1;
    expect(connect().destroyed).toBe(false);
  });

  test.each([
    [0, true],
    [1, false],
    [2, true],
  ])('a connection with %d requests under way is closed: %s', (count, isClosed) => {
    const { connections, connect } = open();
    const [flooding, other] = [connect(), connect()];
    for (let n = 0; n < count; n++) begin(connections, other);
    connections.ban(flooding);
    expect(other.destroyed).toBe(isClosed);
  });

  test('is not banned for a user with a valid key, or if it is a proxy', () => {
    const { connections, connect } = open();
    const [own, proxied] = [connect(), connect(PROXY)];
    connections.recognize(own, 'user:1');
    for (const socket of [own, proxied]) connections.ban(socket);
    expect([connect().destroyed, connect(PROXY).destroyed]).toEqual([false, false]);
  });
});

describe('Room for a new connection is made', () => {
  test('by closing a connection that has sent nothing rather than an older one that is idle', () => {
    const { connections, connect } = open();
    const used = connect();
    begin(connections, used)();
    const silent = connect();
    connect();
    expect([used.destroyed, silent.destroyed]).toEqual([false, true]);
  });

  test('by closing the new connection if all others have a request under way', () => {
    const { connections, connect } = open();
    const busy = [connect(), connect()];
    for (const socket of busy) begin(connections, socket);
    const newest = connect();
    expect([...busy, newest].map(({ destroyed }) => destroyed)).toEqual([false, false, true]);
  });
});

test('While its key is checked, a connection does not count as anonymous', () => {
  const { connections, connect } = open();
  const sockets = [connect(), connect()];
  const ends = sockets.map((socket) => begin(connections, socket, 'Bearer key'));
  const others = [connect(), connect()];
  for (const socket of others) begin(connections, socket);
  expect(connect().destroyed).toBe(true);
  connections.recognize(sockets[0]!, 'user:1');
  for (const end of ends) end();
  expect([...sockets, ...others].map(({ destroyed }) => destroyed)).toEqual([false, false, false, false]);
  expect(connect().destroyed).toBe(false);
  expect(sockets[1]!.destroyed).toBe(true);
});
