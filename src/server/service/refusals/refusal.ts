import type { Note, RateLimit } from '../../../protocol/envelope.ts';
import { ERRORS, type ErrorCode } from '../../../protocol/errors.ts';

export interface RefusalDetails {
  readonly message?: string;
  /** Further entries of `errors`. */
  readonly notes?: readonly Note[];
  readonly links?: Readonly<Record<string, string>>;
  readonly rateLimit?: RateLimit;
  /** Additional headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Set where the status differs from the default of the code. */
  readonly status?: number;
  readonly cause?: unknown;
}

/** The service refuses a request: the code decides the HTTP status, the message is shown to the caller. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly details: RefusalDetails;

  constructor(code: ErrorCode, details: RefusalDetails | string = {}) {
    const given = typeof details === 'string' ? { message: details } : details;
    super(given.message ?? ERRORS[code].message, { cause: given.cause });
    this.code = code;
    this.details = given;
  }

  get status(): number {
    return this.details.status ?? ERRORS[this.code].status;
  }
}
