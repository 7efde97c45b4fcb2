import { isAboutCertificate, networkCode } from '../base/error-reasons.ts';
import type { Note, ReceivedRateLimit } from '../protocol/envelope.ts';
import type { ErrorCode } from '../protocol/errors.ts';

/** Any failure caused by the service or the network; `code` is stable, `message` is for people. */
export abstract class SkinsmithError extends Error {
  /** Stable, for programs. */
  abstract readonly code: string;
  /** Whether the same request may succeed later. */
  abstract readonly isPassing: boolean;
}

/** An answer that is an error. */
export interface ServiceAnswer {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** HTTP status. */
  readonly status: number;
  /** The first one is the reason; the others add details. */
  readonly errors: readonly Note[];
  readonly links: Readonly<Record<string, string>>;
  readonly rateLimit: ReceivedRateLimit | undefined;
  /** Milliseconds to wait, from the answer's `Retry-After`. */
  readonly retryAfter: number | undefined;
}

/** A code of the interface, or any other that a service has. */
export type ServiceErrorCode = ErrorCode | (string & {});

/**
 * Codes about the content of a request. The hosted service also sends them with other statuses: 403 for a banned image,
 * 500 for one that it cannot fetch.
 */
const ABOUT_CONTENT: ReadonlySet<string> = new Set([
  'invalid_image',
  'blocked_image',
  'invalid_image_url',
  'blocked_url_host',
  'invalid_file',
  'missing_file',
  'invalid_user',
  'invalid_cape',
  'unknown_variant',
]);

/** The service answered with an error. `code` is the service's own. */
export class ServiceError extends SkinsmithError {
  override readonly name = 'ServiceError';
  /**
   * The code of the first of `answer.errors`, possibly one that only this service knows; `http_` with the status if it
   * has none.
   */
  readonly code: ServiceErrorCode;
  /** The answer as it was read, with its wait and limits. */
  readonly answer: ServiceAnswer;

  constructor(answer: ServiceAnswer) {
    const [first, ...more] = answer.errors;
    const said = first?.message || `The service answered ${answer.status}.`;
    const others = new Set(more.map((note) => note.message).filter((message) => message !== first?.message));
    const details = [...others].join('; ');
    super(details ? `${said} (${details})` : said);
    this.code = first?.code || `http_${answer.status}`;
    this.answer = answer;
  }

  /** HTTP status. */
  get status(): number {
    return this.answer.status;
  }

  get isPassing(): boolean {
    return this.status === 429 || (this.status >= 500 && !ABOUT_CONTENT.has(this.code));
  }
}

/** No answer arrived: no connection, a reset, a timeout, a name that does not resolve. */
export class NetworkError extends SkinsmithError {
  override readonly name = 'NetworkError';
  readonly code = 'unreachable';
  /** False when the request certainly never reached the service. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, details: { cause: unknown; mayHaveArrived: boolean }) {
    super(message, { cause: details.cause });
    this.mayHaveArrived = details.mayHaveArrived;
  }

  /** False for a certificate that is not accepted: only a person can change that. */
  get isPassing(): boolean {
    return !isAboutCertificate(this.cause);
  }
}

/** The answer is not the service's: a proxy's HTML page, a truncated body, another program. */
export class UnreadableAnswerError extends SkinsmithError {
  override readonly name = 'UnreadableAnswerError';
  readonly code = 'unreadable_answer';
  readonly status: number;
  /** Milliseconds to wait, from the answer's `Retry-After`. */
  readonly retryAfter: number | undefined;

  constructor(
    message: string,
    details: { status: number; retryAfter?: number | undefined; cause?: unknown },
  ) {
    super(message, { cause: details.cause });
    this.status = details.status;
    this.retryAfter = details.retryAfter;
  }

  get isPassing(): boolean {
    return this.status === 429 || this.status >= 500;
  }
}

/** A job that ended without a skin. `code` is the code of its first error. */
export class JobFailedError extends SkinsmithError {
  override readonly name = 'JobFailedError';
  readonly code: string;
  readonly isPassing = false;
  readonly jobId: string;

  constructor(jobId: string, errors: readonly Note[]) {
    super(errors[0]?.message || 'The job failed.');
    this.code = errors[0]?.code || 'job_failed';
    this.jobId = jobId;
  }
}

/** Nothing was sent: the API key would have crossed a public network in plain text. */
export class InsecureHttpError extends SkinsmithError {
  override readonly name = 'InsecureHttpError';
  readonly code = 'insecure_http';
  readonly isPassing = false;

  /** `address`: the public address that `origin` resolves to; undefined if it cannot be resolved. */
  constructor(origin: string, address: string | undefined, cause?: unknown) {
    const where = address === undefined ? 'which does not resolve from here' : `which is public (${address})`;
    super(`The API key is not sent to ${origin}, ${where}: anyone on the network path can read plain http.`, {
      cause,
    });
  }
}

/** A request that claims to be a webhook of the service and fails verification. */
export class WebhookError extends SkinsmithError {
  override readonly name = 'WebhookError';
  readonly code = 'invalid_webhook';
  readonly isPassing = false;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/**
 * What a failed call means:
 * - `unreachable`: no answer arrived, or it broke off
 * - `full_queue`: the caller has as many jobs in the queue as it may
 * - `too_fast`: a rate limit
 * - `key_refused`: the service does not accept the key, or wants one
 * - `not_allowed`: the caller's plan does not include what was requested
 * - `no_credits`: the caller has used up what was paid for
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
  | 'no_credits'
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
  readonly rateLimit: ReceivedRateLimit | undefined;
}

/** Codes of 403 that every request with this key would get; `http_403`: the answer has none. */
const ABOUT_KEY: ReadonlySet<string> = new Set(['invalid_api_key', 'unauthorized', 'forbidden', 'http_403']);

const FULL_QUEUE_CODES = new Set(['job_limit', 'concurrency_limit']);
/** A refusal with such a code, or with the status 402, passes once the caller has paid. */
const CREDITS = /(?:^|_)credits?(?:_|$)/;
const PAYMENT_REQUIRED = 402;
const GATEWAY_TIMEOUT = 504;
/** To a maintenance page, for example. A redirect for good (301, 308) shows another address of the service. */
const TEMPORARY_REDIRECTS: ReadonlySet<number> = new Set([302, 303, 307]);

const KIND_BY_STATUS: Readonly<Record<number, FailureKind>> = {
  400: 'invalid',
  401: 'key_refused',
  [PAYMENT_REQUIRED]: 'no_credits',
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
    isTemporary:
      status < 300 || TEMPORARY_REDIRECTS.has(status) || kind === 'challenged' || PASSING.has(kind),
    mayHaveArrived: status < 300 || status >= 500,
    isLate: status === GATEWAY_TIMEOUT,
    retryAfter,
    rateLimit: undefined,
  };
}

function unreadableKind(status: number): FailureKind {
  if (status === 401) return 'key_refused';
  if (status === PAYMENT_REQUIRED) return 'no_credits';
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
  if (status === 403 && CREDITS.test(code)) return 'no_credits';
  if (ABOUT_CONTENT.has(code) && (status === 403 || status >= 500)) return 'invalid';
  if (status === 403 && !ABOUT_KEY.has(code)) return 'refused';
  return KIND_BY_STATUS[status] ?? (status >= 500 ? 'server_error' : 'refused');
}

const PASSING: ReadonlySet<FailureKind> = new Set(['too_fast', 'unavailable', 'server_error']);

/**
 * Whether a failed submission certainly left nothing on the service. Also false for errors that are not failures of a call.
 */
export function didNotArrive(error: unknown): boolean {
  return classifyFailure(error)?.mayHaveArrived === false;
}
