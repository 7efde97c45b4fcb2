import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait on one connection; with more, the connection is closed. */
const MAX_WAITING = 32;
/** What Node's HTTP parser takes to mean that nothing more of the connection is HTTP. */
const SKIP_THE_REST = 2;

type Pair = readonly [IncomingMessage, ServerResponse];

export interface PipeliningOptions {
  readonly handle: RequestListener;
  /** Called with each request that is received; the function it returns is called when that request is over. */
  readonly receive: (socket: Socket) => () => void;
  /** Decides when a request whose turn on its connection has come is handled. */
  readonly start: (request: IncomingMessage, handle: () => void) => void;
}

/**
 * Handles the requests of each connection one after the other, even if they are sent all at once: the next one starts
 * when the previous answer has been taken.
 */
export function handleOneByOne({ handle, receive, start }: PipeliningOptions): RequestListener {
  const queues = new WeakMap<Socket, Pair[]>();
  const run = ([request, response]: Pair, waiting: Pair[]): void => {
    const end = receive(request.socket);
    response.once('close', () => {
      end();
      const next = waiting.shift();
      if (next && !request.socket.destroyed) run(next, waiting);
      else queues.delete(request.socket);
    });
    start(request, () => {
      if (!request.socket.destroyed) handle(request as never, response as never);
    });
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
    else cut(socket);
  };
}

/**
 * Closes a connection, and ends the parsing of what has been read from it: that may be a thousand requests more, for
 * each of which Node would make an error when the connection closes.
 */
function cut(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: { onIncoming?: () => number } | null };
  if (parser) parser.onIncoming = () => SKIP_THE_REST;
  socket.destroy();
}
