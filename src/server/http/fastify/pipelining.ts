import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { closeFlooding } from './close-flooding.ts';
import type { Reading } from './reading.ts';

/** Requests that may wait on one connection; with more, the connection is closed. */
const MAX_WAITING = 32;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly end: () => void;
}

export interface PipeliningOptions {
  readonly handle: RequestListener;
  /** Called with each request that is received; the function it returns is called when that request is over. */
  readonly receive: (socket: Socket) => () => void;
  /** Called before a connection is closed because too many of its requests wait. */
  readonly flooded: (socket: Socket) => void;
  /** Decides when a request whose turn on its connection has come is handled. */
  readonly start: (request: IncomingMessage, handle: () => void) => void;
  readonly reading: Reading;
}

/**
 * Handles the requests of each connection one after the other, even if they are sent all at once: the next one starts
 * when the previous answer has been taken. While some wait, nothing more is read: they take memory, and more of them
 * would not be answered earlier.
 */
export function handleOneByOne(options: PipeliningOptions): RequestListener {
  const { handle, receive, flooded, start, reading } = options;
  const queues = new WeakMap<Socket, Exchange[]>();
  const run = ({ request, response, end }: Exchange, waiting: Exchange[]): void => {
    response.once('close', () => {
      end();
      const next = waiting.shift();
      if (next && !request.socket.destroyed) run(next, waiting);
      else queues.delete(request.socket);
    });
    if (waiting.length === 0) reading.resume(request.socket, 'requests');
    start(request, () => {
      if (!request.socket.destroyed) handle(request as never, response as never);
    });
  };
  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const waiting = queues.get(socket);
    if (waiting && waiting.length >= MAX_WAITING) {
      flooded(socket);
      closeFlooding(socket);
      return;
    }
    const exchange = { request, response, end: receive(socket) };
    if (waiting) {
      waiting.push(exchange);
      reading.pause(socket, 'requests');
    } else {
      const queue: Exchange[] = [];
      queues.set(socket, queue);
      run(exchange, queue);
    }
  };
}
