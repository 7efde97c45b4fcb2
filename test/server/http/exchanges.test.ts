import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { Exchanges } from '../../../src/server/http/exchanges.ts';

/** Exchanges of one holder that never begin, and the sockets that sent too many. */
function openFor(isKnown: boolean) {
  const flooded: Socket[] = [];
  const exchanges = new Exchanges({
    handle: () => {},
    onFlood: (socket) => void flooded.push(socket),
    holderOf: () => ({ name: '192.0.2.1', isKnown }),
    turns: { add: () => {} },
  });
  const send = (socket: EventEmitter, count: number) => {
    for (let number = 0; number < count; number++)
      exchanges.add({ socket } as unknown as IncomingMessage, {} as ServerResponse);
  };
  return { send, flooded };
}

test.each([
  ['a stranger', false, 44],
  ['a known caller', true, 0],
])(
  'Requests waiting on all connections together are limited only for strangers: %s',
  (_, isKnown, floods) => {
    const { send, flooded } = openFor(isKnown);
    for (let number = 0; number < 10; number++) send(new EventEmitter(), 30);
    expect(flooded).toHaveLength(floods);
  },
);

test('The requests of a closed connection no longer count as waiting', () => {
  const { send, flooded } = openFor(false);
  for (let number = 0; number < 20; number++) {
    const socket = new EventEmitter();
    send(socket, 30);
    socket.emit('close');
  }
  expect(flooded).toEqual([]);
});

test('A connection may have 33 requests, including the one under way', () => {
  const { send, flooded } = openFor(true);
  send(new EventEmitter(), 35);
  expect(flooded).toHaveLength(2);
});
