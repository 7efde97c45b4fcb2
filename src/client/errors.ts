import { isAboutCertificate } from '../base/network-reason.ts';
import type { Note, SeenRateLimit } from '../protocol/envelope.ts';
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
  readonly rateLimit: SeenRateLimit | undefined;
  /** Milliseconds to wait, from the answer's `Retry-After`. */
  readonly retryAfter: number | undefined;
}

/** A code of the interface, or any other that a service has. */
export type ServiceErrorCode = ErrorCode | (string & {});

/**
 * Codes about the content of a request. The hosted service also sends them with other statuses: 403 for a banned image,
 * 500 for one that it cannot fetch.
 */
export const ABOUT_CONTENT: ReadonlySet<string> = new Set([
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
