import {
  NetworkError,
  ServiceError,
  type SkinsmithError,
  UnreadableAnswerError,
} from '../../../client/errors.ts';
import { givenWait } from '../../../client/retry-timing.ts';
import type { Note } from '../../../protocol/envelope.ts';
import { type ErrorCode, isErrorCode, PASSING_FAILURES } from '../../../protocol/errors.ts';
import { GenerationError } from '../port.ts';

/** What a request to the service above met. Waits in milliseconds, where the service said how long. */
export type Fault =
  /** Every spot in the queue is taken. */
  | { readonly kind: 'full' }
  | { readonly kind: 'too_fast'; readonly wait: number | undefined }
  | { readonly kind: 'key_refused' }
  /** No answer, or none of the service's own. `mayHaveArrived`: what was asked for may have been done. */
  | { readonly kind: 'trouble'; readonly mayHaveArrived: boolean; readonly wait: number | undefined }
  /** It does not take what was sent, and never will. */
  | { readonly kind: 'refused'; readonly error: ServiceError };

const FULL = new Set(['job_limit', 'concurrency_limit']);
/** Statuses that speak of what was sent, and not of the service, its address or a program in front of it. */
const OF_THE_REQUEST = new Set([400, 413, 415, 422]);

/** undefined: it was not the service above, but a bug in here. */
export function faultOf(error: unknown, now: number): Fault | undefined {
  if (error instanceof NetworkError) return trouble(error.mayHaveArrived);
  if (error instanceof UnreadableAnswerError) return unreadable(error);
  if (error instanceof ServiceError) return refusal(error, now);
  return undefined;
}

/** A page of a proxy, or half an answer. */
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
  return trouble(status >= 500, error.answer.retryAfter);
}

function trouble(mayHaveArrived: boolean, wait?: number): Fault {
  return { kind: 'trouble', mayHaveArrived, wait };
}

/** Failures that are the picture's own, so that its owner should hear of them as they are. */
const OF_THE_PICTURE = new Set<ErrorCode>(['invalid_image', 'invalid_file']);
const MAX_MESSAGE_LENGTH = 300;

/** A job that failed there, or was refused, as a failure of ours. */
export function failureOf([first]: readonly Note[], cause?: SkinsmithError): GenerationError {
  const { code = '', message = '' } = first ?? {};
  const isTold = isErrorCode(code) && (OF_THE_PICTURE.has(code) || PASSING_FAILURES.has(code));
  const said = message.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ').slice(0, MAX_MESSAGE_LENGTH);
  return new GenerationError(isTold ? code : 'job_failed', said || 'The job failed.', { cause });
}
