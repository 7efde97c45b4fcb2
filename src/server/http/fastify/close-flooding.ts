import type { Socket } from 'node:net';

/** What Node's HTTP parser takes to mean that nothing more of the connection is HTTP. */
const SKIP_THE_REST = 2;

/** Closes a connection that has sent many requests at once, with little work for each of them. */
export function closeFlooding(socket: Socket): void {
  endParsing(socket);
  // Node makes an error for each request that waits, and its stack, which nobody reads, takes most of the time.
  const { stackTraceLimit } = Error;
  socket.prependOnceListener('close', () => {
    Error.stackTraceLimit = 0;
  });
  socket.once('close', () => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  socket.destroy();
}

/**
 * What has been read from the connection may be a thousand requests more. Node documents no way to skip them: without
 * this field they are dropped all the same, but more slowly.
 */
function endParsing(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: { onIncoming?: () => number } | null };
  if (typeof parser?.onIncoming === 'function') parser.onIncoming = () => SKIP_THE_REST;
}
