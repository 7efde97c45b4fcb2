import { parseRetryAfter } from '../base/bounded-fetch.ts';
import { hasTooManyValues, MAX_JSON_VALUES } from '../base/json.ts';
import { networkCode, networkReason, PROXY_REFUSED } from '../base/network-reason.ts';
import { type Note, seenEnvelopeSchema } from '../protocol/envelope.ts';
import { NetworkError, ServiceError, UnreadableAnswerError } from './errors.ts';
import { unknownEncoding } from './network-transport.ts';

/** Identifies the request in messages. */
export interface RequestName {
  readonly method: string;
  readonly path: string;
}

/** An answer as received, before it is interpreted. */
export interface RawAnswer {
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
export function networkError({ method, path }: RequestName, origin: string, cause: unknown): NetworkError {
  return new NetworkError(`${method} ${origin}${path.split('?', 1)[0]}: ${networkReason(cause)}.`, {
    cause,
    mayHaveArrived: !NEVER_SENT.has(networkCode(cause)),
  });
}

/** The most likely reason for a 403 with an HTML page: the service itself refuses in JSON. */
const CHALLENGE = 'an HTML page, probably a check by a proxy in front of the service';

/** @throws UnreadableAnswerError */
export function parseJson({ status, headers, text }: RawAnswer, request: RequestName, now: number): unknown {
  const fail = (what: string, cause?: unknown) => {
    const retryAfter = retryAfterOf(headers, now);
    const message = `${request.method} ${request.path} answered ${status} with ${what}.`;
    return new UnreadableAnswerError(message, { status, retryAfter, cause });
  };
  if (hasTooManyValues(text)) throw fail(`more than ${MAX_JSON_VALUES} values`);
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

/** A redirect that the client does not follow. */
export function redirected(request: RequestName, answer: Omit<RawAnswer, 'text'>, origin: string): Error {
  const { location } = answer.headers;
  const target = typeof location === 'string' ? URL.parse(location, origin)?.origin : undefined;
  const where =
    target === undefined ? 'elsewhere' : `to ${target}; if that is the service, use it as the base URL`;
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
  const { data } = seenEnvelopeSchema.safeParse(json);
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
