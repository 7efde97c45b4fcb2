import type { Dispatcher } from 'undici';
import type { z } from 'zod';
import { oddities } from '../protocol/advice.ts';
import { networkError, parseJson, type RawAnswer, redirected, refusal } from './answer-errors.ts';
import { SkinsmithError, UnreadableAnswerError } from './errors.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Including the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  readonly signal?: AbortSignal | undefined;
  /** Timeout of this attempt, milliseconds. */
  readonly timeout: number;
}

export interface HttpOptions {
  readonly origin: string;
  readonly dispatcher: Dispatcher;
  /** The service's clock, milliseconds since the epoch. */
  readonly now: () => number;
  /** Called with the headers of each answer as they arrive. */
  readonly onHeaders?: (headers: Dispatcher.ResponseData['headers']) => void;
  /** The API key, which is removed from messages in case the service echoes it. */
  readonly secret: string | undefined;
}

/** Maximum bytes of a JSON body. A list of thousands of jobs is under 1 MiB. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/**
 * One attempt: sends the request and reads a JSON answer of the given shape. Does not follow redirects,
 * since the key belongs to the named service only. `odd`: the parts of the answer that were ignored.
 * @throws NetworkError, ServiceError, UnreadableAnswerError; the signal's reason when aborted
 */
export async function exchange<S extends z.ZodType>(
  request: HttpRequest,
  schema: S,
  options: HttpOptions,
): Promise<{ status: number; data: z.output<S>; odd: readonly string[] }> {
  const answer = await receive(request, options, readText);
  if (isRedirect(answer.status)) throw redirected(request, answer, options.origin);
  const json = parseJson(answer, request, options.now());
  if (answer.status >= 400) throw refusal(request, { ...answer, json }, options.now());
  const parsed = schema.safeParse(json);
  if (parsed.success) return { status: answer.status, data: parsed.data, odd: oddities(schema, json) };
  const issue = parsed.error.issues[0];
  const where = issue ? `${issue.path.join('.') || 'the body'}: ${issue.message}` : 'the body';
  throw new UnreadableAnswerError(
    `${request.method} ${request.path} answered ${answer.status} with an unexpected body (${where}).`,
    { status: answer.status, cause: parsed.error },
  );
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
export async function download(request: HttpRequest, limit: number, options: HttpOptions): Promise<Download> {
  const answer = await receive(request, options, async ({ statusCode, headers, body }) => {
    const bytes = await readBounded(body, limit);
    return { status: statusCode, headers, bytes };
  });
  const { status, headers, bytes } = answer;
  const { location } = headers;
  if (isRedirect(status) && typeof location === 'string') return { status, bytes, location };
  if (status >= 400) throw refusal(request, { ...answer, json: jsonOf(bytes) }, options.now());
  if (status === 200) return { status, bytes, location: undefined };
  throw new UnreadableAnswerError(`${request.method} ${request.path} answered ${status} without a file.`, {
    status,
  });
}

const EVENT_STREAM = 'text/event-stream';

/**
 * Opens a stream of server-sent events, once. `idle`: milliseconds without a byte before it counts as
 * dead. @throws the same errors as `exchange`, also while the chunks are read
 */
export async function openEventStream(
  request: HttpRequest & { readonly idle: number },
  options: HttpOptions,
): Promise<{ status: number; chunks: AsyncGenerator<Buffer, void, void> }> {
  const { idle: bodyTimeout } = request;
  return await receive({ ...request, bodyTimeout }, options, async (response) => {
    const { statusCode: status, headers, body } = response;
    const type = String(headers['content-type'] ?? '');
    if (status === 200 && type.startsWith(EVENT_STREAM)) {
      return { status, chunks: chunksOf(body, request, options.origin) };
    }
    const answer = await readText(response, options);
    if (isRedirect(status)) throw redirected(request, answer, options.origin);
    const json = parseJson(answer, request, options.now());
    if (status >= 400) throw refusal(request, { ...answer, json }, options.now());
    const { method, path } = request;
    throw new UnreadableAnswerError(`${method} ${path} answered ${status} without events.`, { status });
  });
}

async function* chunksOf(
  body: AsyncIterable<Buffer>,
  request: HttpRequest,
  origin: string,
): AsyncGenerator<Buffer, void, void> {
  try {
    for await (const chunk of body) yield chunk;
  } catch (cause) {
    throw failure(request, origin, cause);
  }
}

/** Sends the request and reads the answer, both within the timeout. A stream has its own. */
async function receive<T>(
  request: HttpRequest & { readonly bodyTimeout?: number },
  options: HttpOptions,
  read: (response: Dispatcher.ResponseData, options: HttpOptions) => Promise<T>,
): Promise<T> {
  const { origin, dispatcher } = options;
  const { method, path, headers, body = null, timeout, bodyTimeout } = request;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException('no answer', 'TimeoutError')), timeout);
  const signal = request.signal ? AbortSignal.any([request.signal, late.signal]) : late.signal;
  const limits = bodyTimeout === undefined ? {} : { bodyTimeout };
  try {
    const response = await dispatcher.request({ origin, path, method, headers, body, signal, ...limits });
    options.onHeaders?.(response.headers);
    return await read(response, options);
  } catch (cause) {
    throw failure(request, origin, cause);
  } finally {
    clearTimeout(timer);
  }
}

function failure(request: HttpRequest, origin: string, cause: unknown): unknown {
  if (request.signal?.aborted) return request.signal.reason;
  return cause instanceof SkinsmithError ? cause : networkError(request, origin, cause);
}

async function readText(response: Dispatcher.ResponseData, { secret }: HttpOptions): Promise<RawAnswer> {
  const { statusCode: status, headers } = response;
  const text = (await readBounded(response.body, MAX_BODY_BYTES)).toString('utf8');
  const isEcho = status >= 400 && secret !== undefined;
  return { status, headers, text: isEcho ? text.replaceAll(secret, '[API key]') : text };
}

async function readBounded(body: AsyncIterable<Buffer>, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) throw new UnreadableAnswerError('The answer is too long.', { status: 200 });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** Undefined if the body is not JSON, such as an error page. */
function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
