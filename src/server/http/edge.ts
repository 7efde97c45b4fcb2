import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '../service/refusal.ts';
import { refusalAnswer } from './error-answers.ts';

/** What the service puts up with from connections, before it knows what they want. Milliseconds, bytes. */
export interface EdgeLimits {
  /** Connections open at one time; further ones are closed at once. */
  readonly maxConnections: number;
  /** From the first byte of a request to the end of its headers, and to its end. */
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  /** How long a connection is kept without a request. */
  readonly keepAliveTimeout: number;
}

export const EDGE_LIMITS: EdgeLimits = {
  maxConnections: 2_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 10_000,
};

const MAX_URL = 8 * 1024;
const MAX_HEADERS = 100;
/** Bytes of the request line and all headers together. */
const MAX_HEADER_SIZE = 16 * 1024;

/** Options of Node's server. How often it looks for slow requests: a quarter of what they may take. */
export function nodeServerOptions({ headersTimeout, requestTimeout }: EdgeLimits): ServerOptions {
  const connectionsCheckingInterval = Math.ceil(headersTimeout / 4);
  return { headersTimeout, requestTimeout, connectionsCheckingInterval, maxHeaderSize: MAX_HEADER_SIZE };
}

/** How many headers Node is to keep: one more than allowed, to see that there were too many. */
export const KEPT_HEADERS = MAX_HEADERS + 1;

/** @throws Refusal with status 400, 414, 431 */
export function verifyHead({ method, url, raw }: FastifyRequest): void {
  // The router takes `*` for `/`; only OPTIONS may be about the service as a whole.
  if (method !== 'OPTIONS' && !/^(?:\/|https?:\/\/)/i.test(url)) {
    throw new Refusal('invalid_request', 'The address is not well-formed.');
  }
  if (url.length > MAX_URL) {
    throw new Refusal('invalid_request', { status: 414, message: 'The address is too long.' });
  }
  if (raw.rawHeaders.length / 2 > MAX_HEADERS) {
    throw new Refusal('invalid_request', { status: 431, message: 'There are too many headers.' });
  }
}

/** An incoming id that is fit for logs and headers, or one of our own. */
export function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}

/** What is no HTTP, or not in time, comes to no route: the answer is written by hand, and the connection closed. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): Refusal | undefined {
  if (error.code === 'ECONNRESET' || socket.destroyed) return undefined;
  const refusal = refusalOf(error);
  if (socket.writable && !isAnswering(socket)) socket.write(rawAnswer(refusal));
  socket.destroySoon();
  return refusal;
}

const SENTENCES: Readonly<Record<string, readonly [status: number, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not come in time.'],
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The extensions of a chunk are too large.'],
};

function refusalOf(cause: NodeJS.ErrnoException): Refusal {
  const [status, message] = SENTENCES[cause.code ?? ''] ?? [400, 'This is no HTTP request.'];
  return new Refusal('invalid_request', { status, message, cause });
}

/** Bytes in the middle of another answer would be taken for a part of it. Node looks at the same field for this. */
function isAnswering(socket: Socket): boolean {
  const { _httpMessage: answer } = socket as Socket & { _httpMessage?: ServerResponse | null };
  return answer?.headersSent === true;
}

const REASONS: Readonly<Record<number, string>> = {
  408: 'Request Timeout',
  413: 'Payload Too Large',
  431: 'Request Header Fields Too Large',
};

function rawAnswer(refusal: Refusal): string {
  const { status, body } = refusalAnswer(refusal);
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${REASONS[status] ?? 'Bad Request'}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Access-Control-Allow-Origin: *',
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}
