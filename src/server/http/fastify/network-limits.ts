import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { REQUEST_LIMITS, type RequestLimits } from '../../service/limits/request-limiter.ts';
import { Refusal } from '../../service/refusal.ts';
import { SERVER_NAME } from '../../workers/worker-pool.ts';
import { malformedUrl, verifyUrlLength } from '../limits.ts';
import { refusalAnswer } from '../refusal-answer.ts';
import { VERSION_HEADERS } from './version-headers.ts';
import { makeBreadcrumb } from './write-answer.ts';

/** Limits for connections, before their requests are known. Milliseconds, bytes. */
export interface NetworkLimits extends RequestLimits {
  /** Maximum number of open connections; idle strangers make room for new ones. */
  readonly maxConnections: number;
  /** The same for one address, excluding connections that have sent a valid key. */
  readonly maxConnectionsPerAddress: number;
  /** How long an answer may wait for a peer that reads nothing of it. */
  readonly unreadTimeout: number;
  /** Bytes that all callers without a key may have sent of bodies that are not complete. */
  readonly maxUnfinished: number;
  /** From the first byte of a request to the end of its headers, and to its end. */
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  /** How long an idle connection is kept. */
  readonly keepAliveTimeout: number;
}

export const NETWORK_LIMITS: NetworkLimits = {
  maxConnections: 2_000,
  maxConnectionsPerAddress: 100,
  unreadTimeout: 10_000,
  maxUnfinished: 32 * 1024 * 1024,
  ...REQUEST_LIMITS,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 10_000,
};

const MAX_HEADERS = 100;
/** Bytes of the request line and all headers together. */
const MAX_HEADER_SIZE = 16 * 1024;

/** Options of Node's server. It checks for slow requests at a quarter of their time limit. */
export function nodeServerOptions(limits: NetworkLimits): ServerOptions {
  const { headersTimeout, requestTimeout, keepAliveTimeout } = limits;
  const connectionsCheckingInterval = Math.ceil(headersTimeout / 4);
  const maxHeaderSize = MAX_HEADER_SIZE;
  return { headersTimeout, requestTimeout, keepAliveTimeout, connectionsCheckingInterval, maxHeaderSize };
}

/** How many headers Node keeps: one more than allowed, to detect requests with too many. */
export const KEPT_HEADERS = MAX_HEADERS + 1;

/** @throws Refusal with status 400, 414, 431 */
export function verifyHead({ method, url, raw }: Pick<FastifyRequest, 'method' | 'url' | 'raw'>): void {
  // The router treats `*` as `/`; only OPTIONS may address the service as a whole.
  if (method !== 'OPTIONS' && !/^(?:\/|https?:\/\/)/i.test(url)) {
    throw malformedUrl();
  }
  verifyUrlLength(url);
  // A proxy in front of the service might use the other one.
  if (countOf('host', raw.rawHeaders) > 1) throw new Refusal('invalid_request', 'Send one Host header only.');
  if (raw.rawHeaders.length / 2 > MAX_HEADERS) {
    throw new Refusal('invalid_request', { status: 431, message: 'There are too many headers.' });
  }
}

function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const text = rawHeaders[at] ?? '';
    if (text.length === name.length && text.toLowerCase() === name) count++;
  }
  return count;
}

/** The incoming id if it is safe for logs and headers, otherwise a new one. */
export function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}

/** Input that is not HTTP, or too slow, reaches no route: writes the answer by hand and closes the connection. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): Refusal | undefined {
  if (error.code === 'ECONNRESET' || socket.destroyed) return undefined;
  const refusal = refusalOf(error);
  if (socket.writable && !isAnswering(socket)) socket.write(rawAnswer(refusal));
  socket.destroySoon();
  return refusal;
}

const SENTENCES: Readonly<Record<string, readonly [status: number, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request timed out.'],
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The extensions of a chunk are too large.'],
};

function refusalOf(cause: NodeJS.ErrnoException): Refusal {
  const [status, message] = SENTENCES[cause.code ?? ''] ?? [400, 'This is no HTTP request.'];
  return new Refusal('invalid_request', { status, message, cause });
}

/** Bytes written during another answer would become part of it. Node checks the same field. */
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
    `MineSkin-Server: ${SERVER_NAME}`,
    `MineSkin-Breadcrumb: ${makeBreadcrumb()}`,
    ...Object.entries(VERSION_HEADERS).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
    // The server may have been held up, and not the caller.
    ...(status === 408 ? ['Retry-After: 1'] : []),
  ];
  return `${head.join('\r\n')}\r\n\r\n${text}`;
}
