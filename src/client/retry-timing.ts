import { backOff } from '../base/clock.ts';
import { classifyFailure, SkinsmithError } from './errors.ts';
import { refusedWait } from './rate-limits.ts';

/** How requests are retried. Times in milliseconds. */
export interface RetryPolicy {
  /**
   * Total of all pauses after failures (no connection, 5xx), and of the attempts that were not answered in time; once it is
   * used up, the last error is thrown. Default: 30,000.
   */
  readonly budget: number;
  /** Total of all pauses that the service asked for (429). Default: 120,000. */
  readonly patience: number;
  /** Pause before the second attempt, doubled before each further one; up to half of it is random. Default: 250. */
  readonly firstPause: number;
  /** Default: 10,000. */
  readonly longestPause: number;
}

export const DEFAULT_RETRY: RetryPolicy = {
  budget: 30_000,
  patience: 120_000,
  firstPause: 250,
  longestPause: 10_000,
};

/**
 * The default policy with some values replaced; later ones win. Undefined values are ignored: without a budget, a call
 * would never give up.
 */
export function retryPolicy(...inputs: readonly (Partial<RetryPolicy> | undefined)[]): RetryPolicy {
  const given = inputs.flatMap((input) => Object.entries(input ?? {}).filter(([, ms]) => ms !== undefined));
  return { ...DEFAULT_RETRY, ...Object.fromEntries(given) };
}

/** Pauses after a 429 without a time, such as one for a full queue. */
const FULL_QUEUE = { first: 400, longest: 3_000, growth: 1.5 };

export interface Attempt {
  /** 1 for the first. */
  readonly number: number;
  readonly error: unknown;
  /** Whether sending the request twice does no harm. */
  readonly isRepeatable: boolean;
  readonly now: number;
  /** 0 to 1. */
  readonly random: number;
}

/**
 * Milliseconds to wait before retrying; undefined: do not retry. In order: permanent errors are not
 * retried; a 429 was certainly not accepted, so even a POST is retried; a wait that the service gave is
 * used as given; a POST whose answer was lost is never retried blindly; everything else backs off.
 */
export function pauseBefore(attempt: Attempt, policy: RetryPolicy): number | undefined {
  const { error } = attempt;
  const failure = classifyFailure(error);
  if (!failure || !(error instanceof SkinsmithError && error.isPassing)) return undefined;
  if (failure.status === 429) {
    // For a full queue the times that the answer gives are meaningless.
    const given = failure.kind === 'full_queue' ? undefined : refusedWait(failure, attempt.now);
    return given ?? Math.round(backOff(attempt.number, FULL_QUEUE, attempt.random));
  }
  if (!attempt.isRepeatable && failure.mayHaveArrived) return undefined;
  if (isWait(failure.retryAfter)) return failure.retryAfter;
  const { firstPause: first, longestPause: longest } = policy;
  return Math.round(backOff(attempt.number, { first, longest }, attempt.random));
}

/** Treats "now" as no wait: taken literally, a service that keeps refusing would be asked in a tight loop. */
function isWait(milliseconds: number | undefined): milliseconds is number {
  return milliseconds !== undefined && milliseconds > 0;
}
