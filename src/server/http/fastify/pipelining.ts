import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait on one connection; with more, the connection is closed. */
const MAX_WAITING = 32;

type Pair = readonly [IncomingMessage, ServerResponse];

/**
 * Handles the requests of each connection one after the other, even if they are sent all at once: the next one starts
 * when the previous answer has been taken. Calls `begin` with each request received; the function it returns is called
 * when that request is over.
 */
export function oneByOne(handle: RequestListener, begin: (socket: Socket) => () => void): RequestListener {
  const queues = new WeakMap<Socket, Pair[]>();
  const run = ([request, response]: Pair, waiting: Pair[]): void => {
    const end = begin(request.socket);
    response.once('close', () => {
      end();
      const next = waiting.shift();
      if (next && !request.socket.destroyed) run(next, waiting);
      else queues.delete(request.socket);
    });
    handle(request as never, response as never);
  };
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const waiting = queues.get(socket);
    if (!waiting) {
      const queue: Pair[] = [];
      queues.set(socket, queue);
      run([request, response], queue);
    } else if (waiting.length < MAX_WAITING) waiting.push([request, response]);
    else socket.destroy();
  };
}
