import { type Note, seenEnvelopeSchema } from '../protocol/envelope.ts';
import { NetworkError, ServiceError, UnreadableAnswerError } from './errors.ts';
import { parseRetryAfter } from './retry-timing.ts';

/** Which request it was, for messages. */
export interface RequestName {
  readonly method: string;
  readonly path: string;
}

/** An answer that came, before anybody made sense of it. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
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
  UND_ERR_BODY_TIMEOUT: 'silence for too long',
  TimeoutError: 'no answer in time',
};

/** No answer came, or it broke off. */
export function networkError({ method, path }: RequestName, origin: string, cause: unknown): NetworkError {
  const { code, name } = cause as { code?: unknown; name?: unknown };
  const word = typeof code === 'string' ? code : String(name);
  const reason = REASONS[word] ?? word;
  return new NetworkError(`${method} ${origin}${path.split('?', 1)[0]}: ${reason}.`, {
    cause,
    mayHaveArrived: !NEVER_SENT.has(word),
  });
}

/** @throws UnreadableAnswerError */
export function parseJson({ status, headers, text }: RawAnswer, request: RequestName, now: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const what = /^\s*</.test(text) ? 'an HTML page' : 'something that is not JSON';
    const retryAfter = parseRetryAfter(headers['retry-after'], now);
    const message = `${request.method} ${request.path} answered ${status} with ${what}.`;
    throw new UnreadableAnswerError(message, { status, retryAfter, cause });
  }
}

/** A redirect that is not followed. */
export function redirected(request: RequestName, answer: Omit<RawAnswer, 'text'>, origin: string): Error {
  const { location } = answer.headers;
  const target = typeof location === 'string' ? URL.parse(location, origin)?.origin : undefined;
  const where =
    target === undefined ? 'elsewhere' : `to ${target}; if that is the service, name it as the base URL`;
  const { method, path } = request;
  const message = `${method} ${path} answered ${answer.status}: the service redirects ${where}.`;
  return new UnreadableAnswerError(message, { status: answer.status });
}

/** The service says no; `json` is the body it says it with. */
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
    retryAfter: parseRetryAfter(headers['retry-after'], now),
  });
}

/** `{error}` or `{message}`, as version 1 and programs in front of the service answer. */
function oldStyleErrors(json: unknown): Note[] {
  const { error, message, errorCode } = (json ?? {}) as Record<string, unknown>;
  const text = typeof error === 'string' ? error : message;
  if (typeof text !== 'string') return [];
  return [{ code: typeof errorCode === 'string' ? errorCode : '', message: text }];
}
