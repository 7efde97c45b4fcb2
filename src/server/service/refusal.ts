import { z } from 'zod';
import type { Note, RateLimit } from '../../protocol/envelope.ts';
import { ERRORS, type ErrorCode } from '../../protocol/errors.ts';
import { isUnreachable, storeProblem } from '../store/failures.ts';

export interface RefusalDetails {
  readonly message?: string;
  /** Further entries of `errors`. */
  readonly notes?: readonly Note[];
  readonly links?: Readonly<Record<string, string>>;
  readonly rateLimit?: RateLimit;
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

  /** The same refusal with further details, or others. */
  with(details: RefusalDetails): Refusal {
    const { code, message, cause } = this;
    return new Refusal(code, { ...this.details, message, cause, ...details });
  }

  get status(): number {
    return this.details.status ?? ERRORS[this.code].status;
  }
}

/** Turns any error into a refusal. Only faults of the service itself become `internal_error`. */
export function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof z.ZodError) return validationRefusal(error);
  if (error instanceof Error) return fromStore(error) ?? unforeseen(error);
  return unforeseen(error);
}

function unforeseen(cause: unknown): Refusal {
  return new Refusal('internal_error', { cause });
}

/** Fields that a refusal names. */
const MAX_NOTES = 100;

/** One entry for the whole request, then one per field with its path. An invalid variant has its own code. */
export function validationRefusal(error: z.ZodError): Refusal {
  const notes = error.issues.slice(0, MAX_NOTES).map((issue) => ({
    code: issue.code,
    message: [issue.path.join('.'), issue.message].filter(Boolean).join(': '),
    path: issue.path.map((part) => (typeof part === 'number' ? part : String(part))),
  }));
  return new Refusal('validation_error', { notes, cause: error });
}

const FILE_TROUBLE: Readonly<Record<string, string>> = {
  ENOSPC: "The service's disk is full.",
  EDQUOT: "The service's disk is full.",
  EROFS: "The service's data folder cannot be written.",
  EACCES: "The service's data folder cannot be written.",
};

/** Problems of the data folder that are not bugs. */
function fromStore(error: Error): Refusal | undefined {
  if (isUnreachable(error))
    return new Refusal('store_unreachable', { headers: { 'Retry-After': '2' }, cause: error });
  const { code } = error as Error & { code?: unknown };
  const message = storeProblem(error) ?? FILE_TROUBLE[String(code)];
  if (message === undefined) return undefined;
  // Another server may be up to date.
  const later = code === 'store_too_new' && { headers: { 'Retry-After': '2' } };
  return new Refusal('service_unavailable', { message, ...later, cause: error });
}
