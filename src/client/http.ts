import type { z } from 'zod';
import { parseRetryAfter } from '../base/bounded-fetch.ts';
import { LONGEST_TIMER } from '../base/clock.ts';
import { networkCode, networkReason, PROXY_REFUSED } from '../base/error-reasons.ts';
import {
  decodedText,
  hasTooManyValues,
  isTooDeep,
  MAX_JSON_DEPTH,
  MAX_JSON_VALUES,
  parsedJson,
} from '../base/text.ts';
import { ignoredFields, type Note, receivedEnvelopeSchema } from '../protocol/envelope.ts';
import { NetworkError, ServiceError, SkinsmithError, UnreadableAnswerError } from './errors.ts';
import { type RequestContent, type Transport, type TransportAnswer, unknownEncoding } from './transport.ts';

export interface ClientRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Including the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly content?: RequestContent | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Timeout of this attempt, milliseconds. */
  readonly timeout: number;
  /** What the path in `Location` says in place of a body that is not as expected; undefined: nothing. */
  readonly locates?: ((path: string) => unknown) | undefined;
}

export interface HttpOptions {
  readonly origin: string;
  readonly transport: Transport;
  /** The service's clock, milliseconds since the epoch. */
  readonly now: () => number;
  /** Called with the headers of each answer as they arrive. */
  readonly onHeaders?: (headers: TransportAnswer['headers']) => void;
  /** The API key, which is removed from messages in case the service echoes it. */
  readonly secret: string | undefined;
  /** Whether to report the parts of an answer that are ignored: it means to look at each answer twice. */
  readonly reportsIgnoredFields: boolean;
}

/** Maximum bytes of a JSON body. A list of thousands of jobs has 1 MiB, one that a service never shortens many times as much. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/**
 * One attempt: sends the request and reads a JSON answer of the given shape. Does not follow redirects,
 * since the key belongs to the named service only. `odd`: the parts of the answer that were ignored.
 * @throws NetworkError, ServiceError, UnreadableAnswerError; the signal's reason when aborted
 */
export async function exchange<S extends z.ZodType>(
  request: ClientRequest,
  schema: S,
  options: HttpOptions,
): Promise<{ status: number; data: z.output<S>; odd: readonly string[] }> {
  const answer = await receive(request, options, readContent);
  if (isRedirect(answer.status)) throw redirected(request, answer, options.origin);
  const located = schema.safeParse(locatedIn(answer, request, options.origin));
  const json = located.success && answer.text === '' ? {} : parseJson(answer, request, options.now());
  if (answer.status >= 400) throw refusal(request, { ...answer, json }, options.now());
  const read = schema.safeParse(json);
  const parsed = read.success ? read : located;
  if (parsed.success) {
    const odd = options.reportsIgnoredFields ? ignoredFields(schema, json) : [];
    return { status: answer.status, data: parsed.data, odd };
  }
  const issue = read.error?.issues[0];
  const where = issue ? `${issue.path.join('.') || 'the body'}: ${issue.message}` : 'the body';
  throw new UnreadableAnswerError(
    `${request.method} ${request.path} answered ${answer.status} with an unexpected body (${where}).`,
    { status: answer.status, cause: read.error },
  );
}

function locatedIn({ status, headers }: RawAnswer, { locates }: ClientRequest, origin: string): unknown {
  const { location } = headers;
  if (!locates || status >= 300 || typeof location !== 'string') return undefined;
  const target = URL.parse(location, origin);
  return target?.origin === origin ? locates(target.pathname) : undefined;
}

/** One attempt, whatever comes: the whole answer, not interpreted. @throws the same errors as `exchange`, but no refusal */
export async function exchangeText(request: ClientRequest, options: HttpOptions): Promise<RawAnswer> {
  return await receive(request, options, readContent);
}

export interface Download {
  readonly status: number;
  readonly bytes: Buffer;
  /** The target of a redirect. */
  readonly location: string | undefined;
}

/**
 * One attempt to get a file of at most `limit` bytes.
 * @throws NetworkError, ServiceError, UnreadableAnswerError; the signal's reason when aborted
 */
export async function download(
  request: ClientRequest,
  limit: number,
  options: HttpOptions,
): Promise<Download> {
  const answer = await receive(request, options, async ({ status, headers, body }) => {
    const bytes = await readBounded(body, limit, request);
    return { status, headers, bytes, json: status >= 400 ? parsedJson(bytes) : undefined };
  });
  const { status, headers, bytes } = answer;
  const { location } = headers;
  if (isRedirect(status) && typeof location === 'string') return { status, bytes: NOTHING, location };
  if (status >= 400) throw refusal(request, answer, options.now());
  if (status === 200) return { status, bytes, location: undefined };
  throw new UnreadableAnswerError(`${request.method} ${request.path} answered ${status} without a file.`, {
    status,
  });
}

const NOTHING = Buffer.alloc(0);

interface StreamRequest extends ClientRequest {
  /** Milliseconds without a byte before the stream counts as dead. */
  readonly idle: number;
  /** The content type that the answer must have. */
  readonly type: string;
}

/** Opens an answer of any length, once. @throws the same errors as `exchange`, also while the chunks are read */
export async function openStream(
  request: StreamRequest,
  options: HttpOptions,
): Promise<{ status: number; chunks: AsyncGenerator<Uint8Array, void, void> }> {
  return await receive(request, options, async (response) => {
    const { status, headers, body } = response;
    const type = String(headers['content-type'] ?? '');
    if (status === 200 && type.startsWith(request.type)) {
      return { status, chunks: chunksOf(body, request, options.origin) };
    }
    const answer = await readContent(response, options, request);
    if (isRedirect(status)) throw redirected(request, answer, options.origin);
    const json = parseJson(answer, request, options.now());
    if (status >= 400) throw refusal(request, { ...answer, json }, options.now());
    const { method, path } = request;
    throw new UnreadableAnswerError(`${method} ${path} answered ${status} without ${request.type}.`, {
      status,
    });
  });
}

async function* chunksOf(
  body: AsyncIterable<Uint8Array>,
  request: ClientRequest,
  origin: string,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    for await (const chunk of body) yield chunk;
  } catch (cause) {
    throw failure(request, origin, cause);
  }
}

/** Sends the request and reads the answer, both within the timeout. A stream is read without one. */
async function receive<T>(
  { method, path, headers = {}, content, idle, ...request }: ClientRequest & { readonly idle?: number },
  options: HttpOptions,
  read: (answer: TransportAnswer, options: HttpOptions, request: RequestName) => Promise<T>,
): Promise<T> {
  const { origin, transport } = options;
  const isStream = idle !== undefined;
  const { signal, release } = bound(request, { isStream });
  try {
    const answer = await transport.send({ method, origin, path, headers, content, signal, idle });
    options.onHeaders?.(answer.headers);
    return await read(answer, options, { method, path });
  } catch (cause) {
    throw failure({ method, path, signal: request.signal }, origin, cause);
  } finally {
    release();
  }
}

/**
 * Makes the signal of one attempt: aborted with the caller's, and at the timeout unless `release` is called before. A
 * stream is read after that, so its signal still follows the caller's; for all others a listener is enough, which costs
 * a fraction.
 */
function bound(
  { signal, timeout }: Pick<ClientRequest, 'signal' | 'timeout'>,
  { isStream }: { isStream: boolean },
): { signal: AbortSignal; release: () => void } {
  const own = new AbortController();
  const late = () => own.abort(new DOMException('no answer', 'TimeoutError'));
  const timer = setTimeout(late, Math.min(timeout, LONGEST_TIMER));
  const stopTimer = () => clearTimeout(timer);
  if (!signal) return { signal: own.signal, release: stopTimer };
  if (isStream) return { signal: AbortSignal.any([signal, own.signal]), release: stopTimer };
  const follow = () => own.abort(signal.reason);
  if (signal.aborted) follow();
  else signal.addEventListener('abort', follow, { once: true });
  const release = () => {
    stopTimer();
    signal.removeEventListener('abort', follow);
  };
  return { signal: own.signal, release };
}

function failure(
  request: Pick<ClientRequest, 'method' | 'path' | 'signal'>,
  origin: string,
  cause: unknown,
): unknown {
  if (request.signal?.aborted) return request.signal.reason;
  return cause instanceof SkinsmithError ? cause : networkError(request, origin, cause);
}

async function readContent(
  { status, headers, body }: TransportAnswer,
  { secret }: HttpOptions,
  request: RequestName,
): Promise<RawAnswer> {
  const text = decodedText(await readBounded(body, MAX_BODY_BYTES, request));
  return { status, headers, text: secret === undefined ? text : text.replaceAll(secret, '[API key]') };
}

async function readBounded(
  body: AsyncIterable<Uint8Array>,
  limit: number,
  { method, path }: RequestName,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) {
      const message = `${method} ${path.split('?', 1)[0]} answered with more than ${Math.round(limit / 1024)} KiB.`;
      throw new UnreadableAnswerError(message, { status: 200 });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** Identifies the request in messages. */
interface RequestName {
  readonly method: string;
  readonly path: string;
}

/** An answer as received, before it is interpreted. */
interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Errors that occur before the request is sent. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_CLOSED',
  PROXY_REFUSED,
]);

/** No answer arrived, or it broke off. */
function networkError({ method, path }: RequestName, origin: string, cause: unknown): NetworkError {
  return new NetworkError(`${method} ${origin}${path.split('?', 1)[0]}: ${networkReason(cause)}.`, {
    cause,
    mayHaveArrived: !NEVER_SENT.has(networkCode(cause)),
  });
}

/** The most likely reason for a 403 with an HTML page: the service itself refuses in JSON. */
const CHALLENGE = 'an HTML page, probably a check by a proxy in front of the service';

/** @throws UnreadableAnswerError */
function parseJson({ status, headers, text }: RawAnswer, request: RequestName, now: number): unknown {
  const fail = (what: string, cause?: unknown) => {
    const retryAfter = retryAfterOf(headers, now);
    const message = `${request.method} ${request.path} answered ${status} with ${what}.`;
    return new UnreadableAnswerError(message, { status, retryAfter, cause });
  };
  if (hasTooManyValues(text)) throw fail(`more than ${MAX_JSON_VALUES} values`);
  if (isTooDeep(text)) throw fail(`lists and objects nested more than ${MAX_JSON_DEPTH} levels deep`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw fail(contentIn(text, status, unknownEncoding(headers)), cause);
  }
}

function contentIn(text: string, status: number, encoding: string | undefined): string {
  if (encoding !== undefined) return `a body compressed as ${encoding.slice(0, 20)}, which was not requested`;
  if (!/^\s*</.test(text)) return 'something that is not JSON';
  return status === 403 ? CHALLENGE : 'an HTML page';
}

/** Characters of the page that is named. */
const LONGEST_PATH = 100;

/** A redirect that the client does not follow. */
function redirected(request: RequestName, answer: Omit<RawAnswer, 'text'>, origin: string): Error {
  const { location } = answer.headers;
  const target = typeof location === 'string' ? URL.parse(location, origin) : null;
  const isOwn = target?.origin === new URL(origin).origin;
  const where = !target
    ? 'elsewhere'
    : isOwn
      ? `to ${target.pathname.slice(0, LONGEST_PATH)}`
      : `to ${target.origin}; if that is the service, use it as the base URL`;
  const { method, path } = request;
  const message = `${method} ${path} answered ${answer.status}: the service redirects ${where}.`;
  return new UnreadableAnswerError(message, { status: answer.status });
}

/** The service refused; `json` is the body of its answer. */
export function refusal(
  request: RequestName,
  { status, headers, json }: Omit<RawAnswer, 'text'> & { readonly json: unknown },
  now: number,
): ServiceError {
  const { data } = receivedEnvelopeSchema.safeParse(json);
  return new ServiceError({
    method: request.method,
    path: request.path,
    status,
    errors: data?.errors ?? oldStyleErrors(json),
    links: data?.links ?? {},
    rateLimit: data?.rateLimit,
    retryAfter: retryAfterOf(headers, now),
  });
}

/** Milliseconds. Absolute times are compared with the answer's own `Date`, since both come from the same clock. */
function retryAfterOf(headers: RawAnswer['headers'], now: number): number | undefined {
  const date = Date.parse(String(headers['date']));
  return parseRetryAfter(headers['retry-after'], Number.isNaN(date) ? now : date);
}

/** `{error}` or `{message}`, as version 1 and reverse proxies answer. */
function oldStyleErrors(json: unknown): Note[] {
  const { error, message, errorCode } = (json ?? {}) as Record<string, unknown>;
  const text = typeof error === 'string' ? error : message;
  if (typeof text !== 'string') return [];
  return [{ code: typeof errorCode === 'string' ? errorCode : '', message: text }];
}

/** Maximum bytes of a texture; the game's own are below 10 kB. */
const MAX_TEXTURE_BYTES = 256 * 1024;
const MAX_REDIRECTS = 3;

type Get = (address: URL, limit: number) => Promise<Download>;

/** Downloads a texture, following redirects. @throws what `get` throws, UnreadableAnswerError */
export async function fetchTexture(url: string, get: Get): Promise<Uint8Array> {
  let address = textureAddress(url);
  for (let hops = 0; ; hops++) {
    const { status, bytes, location } = await get(address, MAX_TEXTURE_BYTES);
    if (location === undefined) return bytes;
    if (hops === MAX_REDIRECTS) {
      throw new UnreadableAnswerError(`${url} redirects more than ${MAX_REDIRECTS} times.`, { status });
    }
    address = textureAddress(location, address);
  }
}

function textureAddress(url: string, base?: URL): URL {
  const address = URL.parse(url, base?.href);
  if (address && /^https?:$/.test(address.protocol)) return address;
  throw new UnreadableAnswerError(`"${url}" is not a valid texture URL.`, { status: 200 });
}
