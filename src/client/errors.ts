import type { Note, RateLimit } from '../protocol/envelope.ts';

/** Any failure that the service or the network causes; `code` is stable, `message` is for people. */
export abstract class SkinsmithError extends Error {
  abstract readonly code: string;
  /** Whether the same request may succeed later. */
  abstract readonly isPassing: boolean;
}

export interface ServiceAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly errors: readonly Note[];
  readonly links: Readonly<Record<string, string>>;
  readonly rateLimit: RateLimit | undefined;
  /** Milliseconds to wait that the answer's `Retry-After` asked for. */
  readonly retryAfter: number | undefined;
}

/** The service answered, and said no. `code` is the service's own. */
export class ServiceError extends SkinsmithError {
  override readonly name = 'ServiceError';
  readonly code: string;
  readonly answer: ServiceAnswer;

  constructor(answer: ServiceAnswer) {
    const [first, ...more] = answer.errors;
    const details = more.map((note) => note.message).join('; ');
    const said = first?.message || `The service answered ${answer.status}.`;
    super(details ? `${said} (${details})` : said);
    this.code = first?.code || `http_${answer.status}`;
    this.answer = answer;
  }

  get status(): number {
    return this.answer.status;
  }

  get isPassing(): boolean {
    return this.status === 429 || this.status >= 500;
  }
}

/** No answer came: no connection, a reset, a time-out, a name that does not resolve. */
export class NetworkError extends SkinsmithError {
  override readonly name = 'NetworkError';
  readonly code = 'unreachable';
  readonly isPassing = true;
  /** False when the request certainly never reached the service. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, details: { cause: unknown; mayHaveArrived: boolean }) {
    super(message, { cause: details.cause });
    this.mayHaveArrived = details.mayHaveArrived;
  }
}

/** An answer came that is not the service's: an HTML page of a proxy, a cut body, another program. */
export class UnreadableAnswerError extends SkinsmithError {
  override readonly name = 'UnreadableAnswerError';
  readonly code = 'unreadable_answer';
  readonly status: number;
  /** Milliseconds to wait that the answer's `Retry-After` asked for. */
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

/** A job that ended without a skin. `code` is the reason's. */
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

/** A request that says it is a webhook of the service, and is not to be believed. */
export class WebhookError extends SkinsmithError {
  override readonly name = 'WebhookError';
  readonly code = 'invalid_webhook';
  readonly isPassing = false;

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}
