import { EventEmitter, once } from 'node:events';
import { createServer, ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CountedMessage, UnfinishedBodies, UnreadAnswers } from '../../../src/server/http/unfinished.ts';

import { MovableClock } from '../../support/server/movable-clock.ts';

const MOST = 100_000;

class Bodies {
  dropped = 0;
  flooded = 0;
  readonly #clock = new MovableClock();
  readonly #bodies = new UnfinishedBodies({
    most: MOST,
    clock: this.#clock,
    onDropped: () => this.dropped++,
    onFlood: () => this.flooded++,
  });

  begin(holder: string, early = 0, socket = new Socket(), sender?: string): CountedMessage {
    const message = new CountedMessage(socket);
    message.headers = { 'transfer-encoding': 'chunked' };
    const response = new ServerResponse(message);
    this.#bodies.follow(message, response, { sender, holder });
    if (early > 0) message.push(Buffer.alloc(early));
    return message;
  }

  /** The user whose key came with it is known. */
  recognize(message: CountedMessage): void {
    this.#bodies.attribute(message, undefined);
  }

  /** Someone without a key sent it, as far as a later part of the service can tell. */
  suspect(message: CountedMessage): void {
    this.#bodies.attribute(message, 'a');
  }

  passMinute(): void {
    this.#clock.forward(60_000);
  }

  /** A server that refuses each request before it has read the body. */
  async refuseAll(): Promise<number> {
    const server = createServer({ IncomingMessage: CountedMessage }, (message, response) => {
      this.#bodies.follow(message, response, { sender: undefined, holder: 'a' });
      response.writeHead(415).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    return (server.address() as AddressInfo).port;
  }
}

test("A body known to be a user's never counts as a stranger's again", () => {
  const bodies = new Bodies();
  const ofUser = bodies.begin('a', 1_000);
  bodies.recognize(ofUser);
  bodies.suspect(ofUser);
  ofUser.push(Buffer.alloc(2 * MOST));
  expect([bodies.dropped, ofUser.socket.destroyed]).toEqual([0, false]);
});

const UNFINISHED = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\n${'a'.repeat(60_000)}`;

async function sendUnfinished(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.write(UNFINISHED);
  await once(socket, 'data');
  socket.destroy();
  await once(socket, 'close');
}

const isCut = ({ socket }: CountedMessage) => socket.destroyed;

describe('Unfinished bodies', () => {
  test('are cut off when they are too large together, beginning with the largest of the caller who has most', () => {
    const bodies = new Bodies();
    const [small, large, other] = [bodies.begin('a'), bodies.begin('a', 30_000), bodies.begin('b')];
    small.push(Buffer.alloc(20_000));
    large.push(Buffer.alloc(5_000));
    other.push(Buffer.alloc(40_000));
    expect([small, large, other].map(isCut)).toEqual([false, false, false]);
    other.push(Buffer.alloc(5_000));
    expect([small, large, other].map(isCut)).toEqual([false, true, false]);
    expect(bodies.dropped).toBe(1);
    large.push(Buffer.alloc(90_000)); // what was parsed along with the rest counts no more
    expect([small, other].map(isCut)).toEqual([false, false]);
  });

  test('no longer count when they are complete, or their callers have left', async () => {
    const bodies = new Bodies();
    const [first, second] = [bodies.begin('a', 60_000), bodies.begin('a', 30_000)];
    first.push(null);
    const third = bodies.begin('a', 60_000);
    second.destroy();
    await new Promise((resolve) => second.once('close', resolve));
    const fourth = bodies.begin('a', 30_000);
    expect([first, third, fourth].map(isCut)).toEqual([false, false, false]);
    expect(bodies.dropped).toBe(0);
  });

  test('no longer count when their requests were answered without them', async () => {
    const bodies = new Bodies();
    const port = await bodies.refuseAll();
    for (let number = 0; number < 3; number++) await sendUnfinished(port);
    expect(bodies.dropped).toBe(0);
  });

  test('of closed connections do not count', () => {
    const bodies = new Bodies();
    for (let number = 0; number < 3; number++) bodies.begin('a', 60_000, new Socket().destroy());
    expect(bodies.dropped).toBe(0);
  });

  test('of users take nothing of the memory for anonymous callers', () => {
    const bodies = new Bodies();
    const message = bodies.begin('a', 60_000);
    bodies.recognize(message);
    message.push(Buffer.alloc(90_000));
    expect([isCut(bodies.begin('b', 60_000)), isCut(message)]).toEqual([false, false]);
  });

  test('in single bytes count with the memory they take', () => {
    const bodies = new Bodies();
    const message = bodies.begin('a');
    sendBytes(message, 500);
    expect([isCut(message), bodies.flooded]).toEqual([true, 0]);
  });

  test('may come in a thousand small pieces and any number of larger ones, whoever sends them', () => {
    const bodies = new Bodies();
    const message = bodies.begin('a');
    bodies.recognize(message);
    sendBytes(message, 1_000);
    for (let piece = 0; piece < 2_000; piece++) message.push(Buffer.alloc(536));
    expect(isCut(message)).toBe(false);
    sendBytes(message, 1);
    expect([isCut(message), bodies.flooded, bodies.dropped]).toEqual([true, 1, 1]);
  });

  test('of a sender with twenty thousand small pieces a minute are cut off, all of them', () => {
    const bodies = new Bodies();
    const begin = (sender: string) => {
      const message = bodies.begin(sender, 0, new Socket(), sender);
      bodies.recognize(message);
      return message;
    };
    const [idle, other] = [begin('a'), begin('b')];
    for (let body = 0; body < 20; body++) sendBytes(begin('a'), 1_000);
    expect([bodies.dropped, isCut(idle)]).toEqual([0, false]);
    sendBytes(begin('a'), 1);
    expect([bodies.dropped, isCut(idle), isCut(other)]).toEqual([22, true, false]);
    bodies.passMinute();
    const later = begin('a');
    sendBytes(later, 1_000);
    expect(isCut(later)).toBe(false);
  });

  test('count even after the answer, when nothing needs them any more', async () => {
    const bodies = new Bodies();
    const socket = connect(await bodies.refuseAll(), '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n');
    await once(socket, 'data');
    socket.on('error', () => {}).write('1\r\na\r\n'.repeat(1_001));
    await once(socket, 'close');
    expect([bodies.flooded, bodies.dropped]).toEqual([1, 1]);
  });
});

function sendBytes(message: CountedMessage, count: number): void {
  for (let byte = 0; byte < count; byte++) message.push(Buffer.alloc(1));
}

describe('Unread answers', () => {
  function open() {
    const cut: string[] = [];
    const unread = new UnreadAnswers({ most: MOST, onDropped: () => {} });
    const answer = (name: string, bytes: number, isKnown = false) => {
      const socket = { destroy: () => void cut.push(`${name} ${bytes}`) };
      const response = Object.assign(new EventEmitter(), { writableLength: bytes, closed: false, socket });
      unread.follow(response as unknown as ServerResponse, { name, isKnown });
      const hold = (more: number) =>
        unread.hold(response as unknown as ServerResponse, { name, isKnown }, more);
      return Object.assign(response, { hold });
    };
    return { answer, cut };
  }

  test('are cut off when they are too large together, beginning with the largest of the caller who has most', () => {
    const { answer, cut } = open();
    answer('a', 20_000);
    answer('a', 30_000);
    answer('b', 40_000);
    expect(cut).toEqual([]);
    answer('c', 11_000);
    expect(cut).toEqual(['a 30000']);
  });

  test('of a known caller are cut off when they are eight times those of a stranger', () => {
    const { answer, cut } = open();
    answer('user', 79_000, true);
    answer('a', 10_000);
    answer('a', 12_000);
    expect(cut).toEqual(['a 12000']);
    answer('user', 10_000, true);
    answer('b', 2_000);
    expect(cut).toEqual(['a 12000', 'user 79000']);
  });

  test('that are streams count with their unread bytes, until they end', () => {
    const { answer, cut } = open();
    const [one, two, other] = [answer('a', 0), answer('a', 0), answer('b', 0)];
    for (const bytes of [90_000, 1_000]) one.hold(bytes);
    two.hold(50_000);
    two.emit('close');
    two.hold(1);
    other.hold(98_000);
    expect(cut).toEqual([]);
    one.hold(9_000);
    expect(cut).toEqual(['b 0']);
  });

  test('no longer count when they are read', () => {
    const { answer, cut } = open();
    answer('a', 90_000).emit('finish');
    answer('b', 90_000).emit('close');
    answer('c', 90_000);
    expect(cut).toEqual([]);
  });
});
