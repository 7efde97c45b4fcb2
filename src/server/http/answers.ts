import { hash, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { SERVER_NAME, VERSION } from '../../base/version.ts';
import type { ServiceContext } from '../context.ts';
import { asRefusal, type Refusal } from '../service/refusal.ts';
import { ANSWER_HEADERS, v1RefusalAnswer } from './described-answers.ts';
import type { ServiceLog } from './log.ts';
import type { HttpRequest } from './route.ts';
import { type Answer, type Cache, isV1Address, type Route } from './route.ts';
import { rateLimitHeaders } from './views.ts';

/** Makes browsers treat answers as mere data. */
export const SECURITY_HEADERS = {
  // Browsers style the documents that they make for pictures and JSON themselves.
  'content-security-policy':
    "default-src 'none';style-src 'unsafe-inline';base-uri 'none';form-action 'none';frame-ancestors 'self'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
} as const;

const { 'x-frame-options': _, ...unframed } = SECURITY_HEADERS;

/** The same for what other sites may show in a frame. */
export const FRAMED_HEADERS = { ...unframed, 'cross-origin-resource-policy': 'cross-origin' } as const;

/** For all answers of the API, except those of version 1. */
const VERSION_HEADERS = {
  'mineskin-api-version': 'v2',
  'mineskin-version': `skinsmith-${VERSION}`,
} as const;

/** Web pages of any origin may call the service, with an API key in a header, never with a cookie. */
const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': Object.keys(ANSWER_HEADERS).join(', '),
} as const;

export const API_HEADERS = { ...SECURITY_HEADERS, ...CORS_HEADERS, ...VERSION_HEADERS } as const;

/** Headers that pages send to the hosted service, and those that only this one knows. */
const ALLOWED_HEADERS = [
  'Authorization',
  'Content-Type',
  'Accept',
  'User-Agent',
  'MineSkin-User-Agent',
  'Origin',
  'X-Requested-With',
  'Turnstile-Token',
  'Baggage',
  'Sentry-Trace',
  'Idempotency-Key',
];

/** The answer to a preflight: browsers send OPTIONS before a cross-origin request. */
export const PREFLIGHT: Answer = {
  status: 204,
  body: undefined,
  headers: {
    ...CORS_HEADERS,
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': ALLOWED_HEADERS.join(', '),
    'access-control-max-age': String(24 * 3600),
  },
};

/** Names in lower case. */
type HeaderFields = Record<string, string | string[]>;

/** What an answer depends on besides its route. */
export interface WriteOptions {
  /** Headers of all answers. Names in lower case. */
  readonly common: Readonly<Record<string, string>>;
  /** Whether the answer gets an entity tag, and no body if the caller already has it. */
  readonly isTagged?: boolean;
  readonly request: Pick<HttpRequest, 'id'> & Partial<Pick<HttpRequest, 'method' | 'headers'>>;
}

/** Scripts do not read the headers of pictures, and these headers matter only for documents. */
const NOT_FOR_PICTURES = [
  'access-control-expose-headers',
  'cross-origin-opener-policy',
  'origin-agent-cluster',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
];

/** An answer as its caller gets it. */
export interface Written {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: HeaderFields;
  readonly payload: string | Uint8Array | Readable | undefined;
}

/** The answer as a standard `Response`. */
export function responseOf({ status, headers, payload }: Written): Response {
  const content =
    payload instanceof Readable ? streamOf(payload) : (payload as Uint8Array<ArrayBuffer> | undefined);
  return new Response(content ?? null, { status, headers: listOf(headers) });
}

/** Sends an answer to a request over the network. A `Response` would copy the bytes, which many answers may share. */
export function send(outgoing: ServerResponse, written: Written): Response {
  const { status, headers, payload } = written;
  if (payload instanceof Readable) return responseOf(written);
  outgoing.writeHead(status, headers).end(payload);
  return RESPONSE_ALREADY_SENT;
}

/** Completes an answer, and leaves out of it what the caller already has. */
export function write({ status, body, headers }: Answer, options: WriteOptions): Written {
  const all = headersOf(options, headers);
  const isHead = options.request.method === 'HEAD';
  if (body instanceof Readable) {
    const isKnown = isUnchanged(all, status, options);
    if (!isKnown && !isHead) return { status, headers: all, payload: body };
    body.destroy();
    return isKnown ? unchanged(all) : { status, headers: all, payload: undefined };
  }
  if (isPicture(all)) for (const name of NOT_FOR_PICTURES) delete all[name];
  const payload = payloadOf(body, all);
  if (options.isTagged && status >= 400) delete all['etag'];
  else if (options.isTagged && payload !== undefined) {
    all['etag'] ??= weakTag(payload);
    if (isUnchanged(all, status, options)) return unchanged(all);
  }
  if (status === 204 || status === 304) return { status, headers: all, payload: undefined };
  if (payload !== undefined || !isHead)
    all['content-length'] = String(payload === undefined ? 0 : Buffer.byteLength(payload));
  return { status, headers: all, payload: isHead ? undefined : payload };
}

/** Whether the caller already has what the answer would send. */
function isUnchanged({ etag }: HeaderFields, status: number, { isTagged, request }: WriteOptions): boolean {
  const named = request.headers?.['if-none-match'];
  return isTagged === true && status === 200 && etag !== undefined && isKnownTag(String(etag), named);
}

function unchanged({ 'content-type': _type, 'content-length': _length, ...headers }: HeaderFields): Written {
  return { status: 304, headers, payload: undefined };
}

/**
 * The bytes of a body, read when its reader wants more. Node's own Readable.toWeb() throws outside all promises,
 * which ends the process, when the reader leaves between the body's resumption and its next chunk.
 */
function streamOf(body: Readable): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  const source = {
    pull: async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => void body.destroy(),
  };
  // Nothing is read ahead: an error that no read waits for would become the proper end of the answer.
  return new ReadableStream(source, { highWaterMark: 0 });
}

/** Identifies the request: eight hexadecimal digits. */
export function makeBreadcrumb(): string {
  return randomUUID().slice(0, 8);
}

/** The headers of every answer, with IDs of the request that clients may show, and the answer's own. */
function headersOf({ common, request }: WriteOptions, headers: Answer['headers'] = {}): HeaderFields {
  const breadcrumb = makeBreadcrumb();
  const all: HeaderFields = {
    ...common,
    'x-request-id': request.id,
    'mineskin-server': SERVER_NAME,
    'mineskin-breadcrumb': breadcrumb,
  };
  for (const name in headers) all[name.toLowerCase()] = headers[name] ?? '';
  if (String(all['mineskin-api-version']).startsWith('v1')) {
    // Clients of version 1 read these spellings.
    all['x-mineskin-server'] = SERVER_NAME;
    all['x-mineskin-breadcrumb'] = breadcrumb;
  }
  return all;
}

/** Each cookie needs a header of its own. */
function listOf(headers: HeaderFields): Record<string, string> | [string, string][] {
  if (!Array.isArray(headers['set-cookie'])) return headers as Record<string, string>;
  return Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
}

function isPicture({ 'content-type': type }: HeaderFields): boolean {
  return typeof type === 'string' && type.startsWith('image/');
}

/** The bytes to send. Adds the content type unless the answer has one. */
function payloadOf(body: unknown, headers: HeaderFields): string | Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') {
    headers['content-type'] ??= 'text/plain; charset=utf-8';
    return body;
  }
  if (body instanceof Uint8Array) {
    headers['content-type'] ??= 'application/octet-stream';
    return body;
  }
  headers['content-type'] ??= 'application/json; charset=utf-8';
  return JSON.stringify(body);
}

/** A weak entity tag, SHA-1 in base64url: it identifies the content and not its transfer encoding. */
function weakTag(payload: string | Uint8Array): string {
  return `W/"${hash('sha1', payload, 'base64url')}"`;
}

/** Whether the caller sent this tag (RFC 9110, 13.1.2: weak comparison). */
function isKnownTag(tag: string, sent: string | string[] | undefined): boolean {
  if (sent === undefined) return false;
  const named = String(sent);
  const strong = (text: string) => text.trim().replace(/^W\//, '');
  return named.trim() === '*' || named.split(',').some((one) => strong(one) === strong(tag));
}

const CACHE_HEADERS = {
  private: { 'Cache-Control': 'private, no-cache' },
  // Warnings depend on the key, and a key's bindings on the origin.
  public: { 'Cache-Control': 'public, max-age=30', Vary: 'Authorization, Origin' },
  none: { 'Cache-Control': 'no-store' },
} as const satisfies Record<Cache, Readonly<Record<string, string>>>;

export const NO_STORE = CACHE_HEADERS.none;

/** Errors and the answers to requests that change something are never cached. */
export function cacheHeaders({ method, cache }: Route, status: number): Readonly<Record<string, string>> {
  if (status >= 400 || method !== 'GET') return NO_STORE;
  return CACHE_HEADERS[cache ?? 'private'];
}

/** The answer for a refusal. Never contains a stack, a path or an SQL text. */
export function refusalAnswer(refusal: Refusal): Answer {
  const { notes = [], links = {}, rateLimit, headers } = refusal.details;
  const errors = [{ code: refusal.code, message: refusal.message }, ...notes];
  const body = { success: false, errors, warnings: [], messages: [], links, ...(rateLimit && { rateLimit }) };
  const retry = refusal.status === 429;
  return {
    status: refusal.status,
    body,
    headers: { ...headers, ...(rateLimit && rateLimitHeaders(rateLimit, { retry })) },
  };
}

/**
 * The API's answer to a failed request, in the format of the address's version: a malformed request does not reach a
 * route that could decide this.
 */
export function writeRefusal(
  error: unknown,
  request: WriteOptions['request'] & Pick<HttpRequest, 'url' | 'log'>,
  context: Pick<ServiceContext, 'events'>,
  more: Answer['headers'] = {},
): Written {
  const refusal = noted(error, request.log, context);
  if (refusal.code !== 'internal_error' && refusal.status >= 500)
    request.log.warn(`${refusal.code}: ${refusal.message}`);
  const answer = isV1Address(request.url) ? v1RefusalAnswer(refusal) : refusalAnswer(refusal);
  const headers = { ...NO_STORE, ...answer.headers, ...more };
  return write({ ...answer, headers }, { request, common: API_HEADERS });
}

/** Logs and counts a failed request. */
export function noted(error: unknown, log: ServiceLog, { events }: Pick<ServiceContext, 'events'>): Refusal {
  const refusal = asRefusal(error);
  if (refusal.code === 'internal_error') log.error({ err: refusal.cause ?? refusal }, refusal.code);
  events.emit('refused', refusal.code);
  return refusal;
}

/** The bytes of an answer, plain and compressed, shared by all connections. */
interface Encodings {
  readonly plain: Uint8Array;
  readonly gzipped: Uint8Array;
}

type Headed = Pick<HttpRequest, 'headers'>;

function takesGzip({ headers }: Headed): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(String(headers['accept-encoding'] ?? ''));
}

/** Body and headers in the encoding that the caller accepts. `vary`: other request headers that the answer depends on. */
export function encodedFor(
  request: Headed,
  { plain, gzipped }: Encodings,
  vary: readonly string[] = [],
): { readonly body: Uint8Array; readonly headers: Readonly<Record<string, string>> } {
  const common = { Vary: [...vary, 'Accept-Encoding'].join(', ') };
  if (!takesGzip(request)) return { body: plain, headers: common };
  return { body: gzipped, headers: { ...common, 'Content-Encoding': 'gzip' } };
}

const zip = promisify(gzip);

/** Shortest page worth compressing, in characters. */
const SHORTEST_COMPRESSED = 1_000;

/**
 * The page, compressed if the browser accepts that. For signed-in people, only pages where that is safe are compressed:
 * an attacker who sees the length of compressed pages and can put text on them could guess their content (BREACH).
 */
export async function compressed(answer: Answer, request: Headed): Promise<Answer> {
  const { body } = answer;
  if (typeof body !== 'string' || body.length < SHORTEST_COMPRESSED || !takesGzip(request)) return answer;
  return { ...answer, body: await zip(body), headers: { ...answer.headers, 'Content-Encoding': 'gzip' } };
}
