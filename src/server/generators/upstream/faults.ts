import {
  NetworkError,
  ServiceError,
  type SkinsmithError,
  UnreadableAnswerError,
} from '../../../client/errors.ts';
import { wasNotTaken } from '../../../client/not-taken.ts';
import { givenWait } from '../../../client/retry-timing.ts';
import type { Note } from '../../../protocol/envelope.ts';
import { type ErrorCode, isErrorCode, PASSING_FAILURES } from '../../../protocol/errors.ts';
import { GenerationError } from '../port.ts';

/** How a request to the upstream service failed. Waits are in milliseconds, if the service named one. */
export type Fault =
  /** Every spot in the queue is taken. */
  | { readonly kind: 'full' }
  | { readonly kind: 'too_fast'; readonly wait: number | undefined }
  | { readonly kind: 'key_refused' }
  /** No answer, or none of the service's own. */
  | Trouble
  /** The service rejects the request, and always will. */
  | { readonly kind: 'refused'; readonly error: ServiceError };

interface Trouble {
  readonly kind: 'trouble';
  /** What was asked for may have been done. */
  readonly mayHaveArrived: boolean;
  /** The service itself says that it accepts nothing now. */
  readonly isClosed: boolean;
  readonly wait: number | undefined;
}

const FULL = new Set(['job_limit', 'concurrency_limit']);
/** Statuses that are about the request itself, rather than about the service, its address or a proxy in front of it. */
const OF_THE_REQUEST = new Set([400, 413, 415, 422]);

/** undefined: it was not the service above, but a bug in here. `now`: the service's clock. */
export function faultOf(error: unknown, now: number): Fault | undefined {
  if (error instanceof NetworkError) return trouble(error.mayHaveArrived);
  if (error instanceof UnreadableAnswerError) return unreadable(error);
  if (error instanceof ServiceError) return refusal(error, now);
  return undefined;
}

/** A page from a proxy, or half an answer. */
function unreadable({ status, retryAfter: wait }: UnreadableAnswerError): Fault {
  if (status === 429) return { kind: 'too_fast', wait };
  return trouble(status < 300 || status >= 500, wait);
}

function refusal(error: ServiceError, now: number): Fault {
  const { status, code } = error;
  if (status === 429)
    return FULL.has(code) ? { kind: 'full' } : { kind: 'too_fast', wait: givenWait(error, now) };
  if (OF_THE_REQUEST.has(status) || code === 'insufficient_grants') return { kind: 'refused', error };
  if (status === 401 || status === 403) return { kind: 'key_refused' };
  const mayBeTaken = !wasNotTaken(error);
  return { ...trouble(mayBeTaken, error.answer.retryAfter), isClosed: status === 503 && !mayBeTaken };
}

function trouble(mayHaveArrived: boolean, wait?: number): Trouble {
  return { kind: 'trouble', mayHaveArrived, isClosed: false, wait };
}

/** Milliseconds that the service may need to list a job whose answer was lost. */
const SHOWN_SOON = 300;
/** The same if the service may still have been processing the request after the request timed out. */
export const SHOWN_LATE = 5_000;
const GATEWAY_TIMEOUT = 504;

/** Milliseconds from the end of a request that may have arrived until its job is listed, if it has arrived. */
export function settlingTime(error: unknown): number {
  if (error instanceof UnreadableAnswerError || error instanceof ServiceError)
    return error.status === GATEWAY_TIMEOUT ? SHOWN_LATE : SHOWN_SOON;
  const isReset = error instanceof NetworkError && !isLate(error.cause);
  return isReset ? SHOWN_SOON : SHOWN_LATE;
}

function isLate(cause: unknown): boolean {
  const { name, code } = (cause ?? {}) as { name?: unknown; code?: unknown };
  return name === 'TimeoutError' || code === 'UND_ERR_BODY_TIMEOUT';
}

/** Failures caused by the picture, which its owner should see unchanged. */
const OF_THE_PICTURE = new Set<ErrorCode>(['invalid_image', 'invalid_file']);
const MAX_MESSAGE_LENGTH = 300;

/** Turns a job that failed or was refused upstream into a failure of this service. */
export function failureOf([first]: readonly Note[], cause?: SkinsmithError): GenerationError {
  const { code = '', message = '' } = first ?? {};
  const isTold = isErrorCode(code) && (OF_THE_PICTURE.has(code) || PASSING_FAILURES.has(code));
  const said = message.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ').slice(0, MAX_MESSAGE_LENGTH);
  return new GenerationError(isTold ? code : 'job_failed', said || 'The job failed.', { cause });
}
