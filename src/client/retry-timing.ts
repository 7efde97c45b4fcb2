import type { RateLimit } from '../protocol/envelope.ts';
import { NetworkError, ServiceError, SkinsmithError, UnreadableAnswerError } from './errors.ts';

/** How a request is repeated. Times in milliseconds. */
export interface RetryPolicy {
  /** All pauses after trouble (no connection, 5xx) together; past it the last error is thrown. */
  readonly budget: number;
  /** All pauses that the service asked for (429) together. */
  readonly patience: number;
  /** Pause before the second attempt, doubled for each further one. */
  readonly firstPause: number;
  readonly longestPause: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  budget: 30_000,
  patience: 120_000,
  firstPause: 250,
  longestPause: 10_000,
};

/** First and longest pause after a 429 that does not say how long: every spot of the queue is taken. */
const FULL_QUEUE_PAUSE = 400;
const LONGEST_FULL_QUEUE_PAUSE = 3_000;

export interface Attempt {
  /** 1 for the first. */
  readonly number: number;
  readonly error: unknown;
  /** Whether doing it twice does no harm. */
  readonly isRepeatable: boolean;
  readonly now: number;
  /** 0 to 1. */
  readonly random: number;
}

/**
 * Milliseconds to wait before trying again; undefined: do not. In this order: what cannot pass is not
 * repeated; a 429 was certainly not accepted, so even a POST is; the wait that the service gave is
 * taken as it is; a POST whose answer was lost is never repeated blindly; the rest backs off.
 */
export function pauseBefore(attempt: Attempt, policy: RetryPolicy): number | undefined {
  const { error } = attempt;
  if (!(error instanceof SkinsmithError) || !error.isPassing) return undefined;
  const { status, retryAfter } = answerOf(error);
  if (status === 429) {
    const pause = Math.min(LONGEST_FULL_QUEUE_PAUSE, FULL_QUEUE_PAUSE * 1.5 ** (attempt.number - 1));
    return givenWait(error, attempt.now) ?? jitter(pause, attempt.random);
  }
  const neverArrived = error instanceof NetworkError && !error.mayHaveArrived;
  if (!attempt.isRepeatable && !neverArrived) return undefined;
  if (isWait(retryAfter)) return retryAfter;
  const pause = Math.min(policy.longestPause, policy.firstPause * 2 ** (attempt.number - 1));
  return jitter(pause, attempt.random);
}

interface AnswerFacts {
  readonly status?: number;
  readonly retryAfter?: number | undefined;
  readonly rateLimit?: RateLimit | undefined;
}

/** What is known of the answer, if one came. A proxy's page has a status and headers as well. */
function answerOf(error: SkinsmithError): AnswerFacts {
  if (error instanceof ServiceError) return error.answer;
  if (error instanceof UnreadableAnswerError) return error;
  return {};
}

/** What a 429 says about when to come back. A full queue says nothing true about it. */
export function givenWait(error: SkinsmithError, now: number): number | undefined {
  if (error.code === 'job_limit' || error.code === 'concurrency_limit') return undefined;
  const { retryAfter, rateLimit } = answerOf(error);
  return isWait(retryAfter) ? retryAfter : nextRequestIn(rateLimit, now);
}

function nextRequestIn(rateLimit: RateLimit | undefined, now: number): number | undefined {
  if (!rateLimit) return undefined;
  // `relative` needs no agreement of the two clocks.
  const wait = rateLimit.next.relative > 0 ? rateLimit.next.relative : rateLimit.next.absolute - now;
  return isWait(wait) ? wait : undefined;
}

/** "Now" is no wait: taken at its word, a service that keeps refusing would be asked without a pause. */
function isWait(milliseconds: number | undefined): milliseconds is number {
  return milliseconds !== undefined && milliseconds > 0;
}

/** Between half and all of it, so that clients that failed together do not come back together. */
function jitter(pause: number, random: number): number {
  return Math.round(pause * (0.5 + random / 2));
}

/** `Retry-After` as milliseconds from now: seconds or an HTTP date (RFC 9110, 10.2.3). */
export function parseRetryAfter(header: string | string[] | undefined, now: number): number | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text.trim())) return Math.ceil(Number(text) * 1000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
