import { networkCode } from '../base/network-reason.ts';
import type { SeenRateLimit } from '../protocol/envelope.ts';
import { ABOUT_CONTENT, NetworkError, ServiceError, UnreadableAnswerError } from './errors.ts';

/**
 * What a failed call means:
 * - `unreachable`: no answer arrived, or it broke off
 * - `full_queue`: the caller has as many jobs in the queue as it may
 * - `too_fast`: a rate limit
 * - `key_refused`: the service does not accept the key, or wants one
 * - `not_allowed`: the caller's plan does not include what was requested
 * - `challenged`: a proxy in front of the service wants proof that a person is asking
 * - `not_found`: what was requested does not exist
 * - `invalid`: the content of the request is invalid
 * - `refused`: the service refused for another reason (any other 4xx)
 * - `unavailable`: the service, or a proxy for it, accepts nothing now (503)
 * - `server_error`: any other 5xx
 * - `unreadable`: the answer is not the service's: half a body, another program, a redirect
 */
export type FailureKind =
  | 'unreachable'
  | 'full_queue'
  | 'too_fast'
  | 'key_refused'
  | 'not_allowed'
  | 'challenged'
  | 'not_found'
  | 'invalid'
  | 'refused'
  | 'unavailable'
  | 'server_error'
  | 'unreadable';

/** A failed call, as seen by everything that retries calls or reports failures. */
export interface Failure {
  readonly kind: FailureKind;
  /** HTTP status of the answer; undefined: none arrived. */
  readonly status: number | undefined;
  /** Whether the same request may succeed later, although nothing changes here. */
  readonly isTemporary: boolean;
  /**
   * Whether the service may have done what was requested. False: it never arrived, was refused, or the service
   * itself said that it accepts nothing now. A proxy's page with a 5xx proves nothing.
   */
  readonly mayHaveArrived: boolean;
  /** Whether the service may still be working on the request: it timed out, here or in a proxy. */
  readonly isLate: boolean;
  /** Milliseconds to wait, from the answer's `Retry-After`. */
  readonly retryAfter: number | undefined;
  readonly rateLimit: SeenRateLimit | undefined;
}

/** Codes of 403 that every request with this key would get; `http_403`: the answer has none. */
const ABOUT_KEY: ReadonlySet<string> = new Set(['invalid_api_key', 'unauthorized', 'forbidden', 'http_403']);

const FULL_QUEUE_CODES = new Set(['job_limit', 'concurrency_limit']);
const GATEWAY_TIMEOUT = 504;
/** To a maintenance page, for example. A redirect for good (301, 308) shows another address of the service. */
const TEMPORARY_REDIRECTS: ReadonlySet<number> = new Set([302, 303, 307]);

const KIND_BY_STATUS: Readonly<Record<number, FailureKind>> = {
  400: 'invalid',
  401: 'key_refused',
  403: 'key_refused',
  404: 'not_found',
  413: 'invalid',
  415: 'invalid',
  422: 'invalid',
  429: 'too_fast',
  503: 'unavailable',
};

/** The failure of a call to the service; undefined: the error has another source, such as a bug. */
export function classifyFailure(error: unknown): Failure | undefined {
  if (error instanceof NetworkError) return fromNetwork(error);
  if (error instanceof UnreadableAnswerError) return fromUnreadable(error);
  return error instanceof ServiceError ? fromService(error) : undefined;
}

function fromNetwork({ mayHaveArrived, cause }: NetworkError): Failure {
  const code = networkCode(cause);
  return {
    kind: 'unreachable',
    status: undefined,
    isTemporary: true,
    mayHaveArrived,
    isLate: code === 'TimeoutError' || code === 'UND_ERR_BODY_TIMEOUT',
    retryAfter: undefined,
    rateLimit: undefined,
  };
}

/** A page of a proxy, or half an answer: it shows whether the request arrived only if it is a refusal. */
function fromUnreadable({ status, retryAfter }: UnreadableAnswerError): Failure {
  const kind = unreadableKind(status);
  return {
    kind,
    status,
    isTemporary: status < 300 || TEMPORARY_REDIRECTS.has(status) || kind === 'challenged' || isPassing(kind),
    mayHaveArrived: status < 300 || status >= 500,
    isLate: status === GATEWAY_TIMEOUT,
    retryAfter,
    rateLimit: undefined,
  };
}

function unreadableKind(status: number): FailureKind {
  if (status === 401) return 'key_refused';
  if (status === 403) return 'challenged';
  if (status === 429) return 'too_fast';
  if (status === 503) return 'unavailable';
  return status >= 500 ? 'server_error' : 'unreadable';
}

function fromService(error: ServiceError): Failure {
  const { status, code, answer } = error;
  const kind = serviceKind(status, code);
  return {
    kind,
    status,
    isTemporary: error.isPassing,
    // `http_503`: the answer has no code of its own, so it may be a proxy's.
    mayHaveArrived: kind === 'server_error' || (kind === 'unavailable' && code === 'http_503'),
    isLate: status === GATEWAY_TIMEOUT,
    retryAfter: answer.retryAfter,
    rateLimit: answer.rateLimit,
  };
}

function serviceKind(status: number, code: string): FailureKind {
  if (status === 429 && FULL_QUEUE_CODES.has(code)) return 'full_queue';
  if (code === 'insufficient_grants') return 'not_allowed';
  if (ABOUT_CONTENT.has(code) && (status === 403 || status >= 500)) return 'invalid';
  if (status === 403 && !ABOUT_KEY.has(code)) return 'refused';
  return KIND_BY_STATUS[status] ?? (status >= 500 ? 'server_error' : 'refused');
}

const PASSING: ReadonlySet<FailureKind> = new Set([
  'unreachable',
  'full_queue',
  'too_fast',
  'unavailable',
  'server_error',
]);

function isPassing(kind: FailureKind): boolean {
  return PASSING.has(kind);
}

/**
 * Whether a failed submission certainly left nothing on the service. Also false for errors that are not failures of a call.
 */
export function wasNotTaken(error: unknown): boolean {
  return classifyFailure(error)?.mayHaveArrived === false;
}
