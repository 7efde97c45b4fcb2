import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Outcome, type Reply, refusalReply } from './replies.ts';
import { type DoubleRequest, doubleRequest } from './requests.ts';

/** Longest body to read, in bytes. Longer ones are cut and then are not valid PNGs. */
const MAX_BODY_BYTES = 256 * 1024;
/** Bytes above which the connection is closed instead of read to its end. */
const MAX_READ_BYTES = 16 * 1024 * 1024;

/** The address of a double. */
export interface Door {
  /** Its root, without a trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

export interface DoorOptions {
  /** Default: a free port. */
  readonly port?: number;
  /** Answers a request. `sent`: resolves when the answer has left. */
  readonly handle: (request: DoubleRequest, sent: Promise<void>) => Promise<Outcome>;
}

/** Hosts at which this machine is asked for itself. Any other name may lead here for a page of whoever owns it. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/**
 * Why a request is not for the double, as a sentence: a page of another site sent it, by its own script or under a name of its
 * own. Test programs send no Origin.
 */
function whyForeign({ host, origin }: IncomingHttpHeaders): string | undefined {
  if (!LOOPBACK.test(URL.parse(`http://${host}`)?.hostname ?? ''))
    return 'The double answers only requests to a loopback address, such as 127.0.0.1.';
  if (origin === undefined || LOOPBACK.test(URL.parse(origin)?.hostname ?? '')) return undefined;
  return 'The double does not answer pages of other sites.';
}

/** Listens on the loopback address only. */
export async function openDoor({ port = 0, handle }: DoorOptions): Promise<Door> {
  let requests = 0;
  const closing = new AbortController();
  const server = createServer((message, response) => {
    answer(message, response, ++requests).catch((error: unknown) => {
      if (closing.signal.aborted || message.socket.destroyed || response.headersSent) response.destroy();
      else response.writeHead(599).end(`The double broke: ${(error as Error).message}`);
    });
  });
  const answer = async (message: IncomingMessage, response: ServerResponse, number: number) => {
    const { method = '', url: address = '/', headers } = message;
    const foreign = whyForeign(headers);
    if (foreign !== undefined) {
      message.resume();
      return await sendReply(response, refusalReply(403, { code: 'foreign_request', message: foreign }));
    }
    const body = await readBody(message);
    const { promise: sent, resolve } = Promise.withResolvers<void>();
    response.once('finish', resolve);
    await send(response, await handle(doubleRequest({ number, method, address, headers, body }), sent));
  };
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      closing.abort();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** @throws Error if the caller disconnects before its body is complete */
async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    if (size < MAX_BODY_BYTES) chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_READ_BYTES) throw new Error('The body is too long.');
  }
  return Buffer.concat(chunks);
}

async function send(response: ServerResponse, outcome: Outcome): Promise<void> {
  if (outcome.kind === 'answered') return await sendReply(response, outcome.reply);
  const { half } = outcome;
  if (!half || !Buffer.isBuffer(half.body)) return cutConnection(response);
  response.writeHead(half.status, headersOf(half));
  response.write(half.body.subarray(0, half.body.length / 2), () => cutConnection(response));
}

async function sendReply(response: ServerResponse, reply: Reply): Promise<void> {
  response.writeHead(reply.status, headersOf(reply));
  if (Buffer.isBuffer(reply.body)) response.end(reply.body);
  else await pipeline(Readable.from(reply.body), response);
}

function headersOf({ headers }: Reply): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );
}

function cutConnection(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}
