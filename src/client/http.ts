import type { Dispatcher } from 'undici';
import type { z } from 'zod';
import { type Note, seenEnvelopeSchema } from '../protocol/envelope.ts';
import { NetworkError, ServiceError, UnreadableAnswerError } from './errors.ts';
import { parseRetryAfter } from './retry-timing.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the service's root, with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds this attempt may take. */
  readonly timeout: number;
}

export interface HttpOptions {
  readonly origin: string;
  readonly dispatcher: Dispatcher;
  readonly now: () => number;
  /** The API key: a service that echoes it must not get it into a message. */
  readonly secret: string | undefined;
}

/** The longest body that is read. A job list of thousands is under 1 MiB. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

interface RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
}

/**
 * One attempt: sends the request and reads a JSON answer of the given shape.
 * @throws NetworkError, ServiceError, UnreadableAnswerError; the signal's reason when aborted
 */
export async function exchange<S extends z.ZodType>(
  request: HttpRequest,
  schema: S,
  options: HttpOptions,
): Promise<{ status: number; data: z.output<S> }> {
  const answer = await send(request, options);
  const retryAfter = parseRetryAfter(answer.headers['retry-after'], options.now());
  if (answer.status >= 300 && answer.status < 400) throw redirected(request, answer, options.origin);
  const json = parseJson({ ...answer, retryAfter }, request);
  if (answer.status >= 400) throw refusal(request, { status: answer.status, retryAfter, json });
  const parsed = schema.safeParse(json);
  if (parsed.success) return { status: answer.status, data: parsed.data };
  const issue = parsed.error.issues[0];
  const where = issue ? `${issue.path.join('.') || 'the body'}: ${issue.message}` : 'the body';
  throw new UnreadableAnswerError(
    `${request.method} ${request.path} answered ${answer.status} with something this program cannot read (${where}).`,
    { status: answer.status, cause: parsed.error },
  );
}

async function send(request: HttpRequest, { origin, dispatcher, secret }: HttpOptions): Promise<RawAnswer> {
  const timeout = AbortSignal.timeout(request.timeout);
  const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
  const { method, path, headers, body } = request;
  try {
    const response = await dispatcher.request({ origin, path, method, headers, body: body ?? null, signal });
    const text = await readBounded(response.body);
    const { statusCode: status, headers: answered } = response;
    const isEcho = status >= 400 && secret !== undefined;
    return { status, headers: answered, text: isEcho ? text.replaceAll(secret, '[API key]') : text };
  } catch (cause) {
    if (request.signal?.aborted) throw request.signal.reason;
    if (cause instanceof UnreadableAnswerError) throw cause;
    throw networkError(request, origin, cause);
  }
}

async function readBounded(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new UnreadableAnswerError('The answer is too long.', { status: 200 });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Errors from before the request left. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  TimeoutError: 'no answer in time',
};

function networkError(request: HttpRequest, origin: string, cause: unknown): NetworkError {
  const { code, name } = cause as { code?: unknown; name?: unknown };
  const word = typeof code === 'string' ? code : String(name);
  const reason = REASONS[word] ?? word;
  return new NetworkError(`${request.method} ${origin}${request.path.split('?', 1)[0]}: ${reason}.`, {
    cause,
    mayHaveArrived: !NEVER_SENT.has(word),
  });
}

function parseJson(
  { status, text, retryAfter }: RawAnswer & { retryAfter: number | undefined },
  { method, path }: HttpRequest,
): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const what = /^\s*</.test(text) ? 'an HTML page' : 'something that is not JSON';
    const message = `${method} ${path} answered ${status} with ${what}.`;
    throw new UnreadableAnswerError(message, { status, retryAfter, cause });
  }
}

/** Redirects are not followed: the key belongs to the service that was named. */
function redirected({ method, path }: HttpRequest, { status, headers }: RawAnswer, origin: string): Error {
  const { location } = headers;
  const target = typeof location === 'string' ? URL.parse(location, origin)?.origin : undefined;
  const where =
    target === undefined ? 'elsewhere' : `to ${target}; if that is the service, name it as the base URL`;
  return new UnreadableAnswerError(`${method} ${path} answered ${status}: the service redirects ${where}.`, {
    status,
  });
}

function refusal(
  { method, path }: HttpRequest,
  { status, retryAfter, json }: { status: number; retryAfter: number | undefined; json: unknown },
): ServiceError {
  const { data } = seenEnvelopeSchema.safeParse(json);
  return new ServiceError({
    method,
    path,
    status,
    errors: data?.errors ?? oldStyleErrors(json),
    links: data?.links ?? {},
    rateLimit: data?.rateLimit,
    retryAfter,
  });
}

/** `{error}` or `{message}`, as version 1 and programs in front of the service answer. */
function oldStyleErrors(json: unknown): Note[] {
  const { error, message, errorCode } = (json ?? {}) as Record<string, unknown>;
  const text = typeof error === 'string' ? error : message;
  if (typeof text !== 'string') return [];
  return [{ code: typeof errorCode === 'string' ? errorCode : '', message: text }];
}
