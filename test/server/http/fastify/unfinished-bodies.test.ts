import { once } from 'node:events';
import { createServer, ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CountedMessage } from '../../../../src/server/http/fastify/counted-message.ts';
import { UnfinishedBodies } from '../../../../src/server/http/fastify/unfinished-bodies.ts';

const MOST = 100_000;

class Bodies {
  dropped = 0;
  readonly #bodies = new UnfinishedBodies({ most: MOST, onDropped: () => this.dropped++ });

  begin(caller: string, early = 0, socket = new Socket()): CountedMessage {
    const message = new CountedMessage(socket);
    const response = new ServerResponse(message);
    message.once('close', () => response.emit('close'));
    if (early > 0) message.push(Buffer.alloc(early));
    this.#bodies.follow(message, response, caller);
    return message;
  }

  /** A server that refuses each request before it has read the body. */
  async refuseAll(): Promise<number> {
    const server = createServer({ IncomingMessage: CountedMessage }, (message, response) => {
      this.#bodies.follow(message, response, 'a');
      response.writeHead(415).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    return (server.address() as AddressInfo).port;
  }
}

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
  test('are cut off when they are too large together: the largest of the caller who has most', () => {
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

  test('count no more when they are complete, or their callers gone', async () => {
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

  test('count no more when their requests have been answered without them', async () => {
    const bodies = new Bodies();
    const port = await bodies.refuseAll();
    for (let number = 0; number < 3; number++) await sendUnfinished(port);
    expect(bodies.dropped).toBe(0);
  });

  test('of connections that are closed by now are not counted', () => {
    const bodies = new Bodies();
    for (let number = 0; number < 3; number++) bodies.begin('a', 60_000, new Socket().destroy());
    expect(bodies.dropped).toBe(0);
  });

  test('in single bytes count as what they take', () => {
    const bodies = new Bodies();
    const message = bodies.begin('a');
    for (let byte = 0; byte < 500; byte++) message.push(Buffer.alloc(1));
    expect(isCut(message)).toBe(true);
  });
});
