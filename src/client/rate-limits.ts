import { backOff } from '../base/clock.ts';
import type { ReceivedRateLimit, ReceivedRateLimitWindow } from '../protocol/envelope.ts';
import { classifyFailure, SkinsmithError } from './errors.ts';

/** What an answer says about when to try again. */
export interface RetryAdvice {
  /** Milliseconds, from `Retry-After`. */
  readonly retryAfter?: number | undefined;
  /** A part that is missing or impossible, or a limit of zero, is ignored; the other parts still count. */
  readonly rateLimit?: ReceivedRateLimit | undefined;
}

/** A time window that allows a limited number of submissions. */
export interface LimitWindow {
  /** Length in milliseconds. */
  readonly span: number;
  readonly limit: number;
  /** Never below 0. */
  readonly remaining: number;
  /** Milliseconds until it ends; undefined if missing or impossible. */
  readonly endsIn: number | undefined;
}

const MINUTE = 60_000;
const HOUR = 3_600_000;
/** Milliseconds by which the end of a window may seem too late: the service gives it in whole seconds, and its clock as well. */
const ROUNDING = 2_000;
/** Epoch times below this are in seconds, those above in milliseconds. */
const MILLISECONDS_FROM = 1e11;

/** The windows the answer names. A limit that is missing, 0 or less means no window. `now`: the service's clock. */
export function limitWindows(reported: ReceivedRateLimit | undefined, now: number): LimitWindow[] {
  const { limit } = reported ?? {};
  const windows = [readWindow(limit?.minute ?? limit, MINUTE, now), readWindow(limit?.hour, HOUR, now)];
  return windows.filter((window) => window !== undefined);
}

function readWindow(
  { limit = 0, remaining, reset = Number.NaN }: ReceivedRateLimitWindow = {},
  span: number,
  now: number,
): LimitWindow | undefined {
  if (limit <= 0 || remaining === undefined) return undefined;
  const endsAt = reset * (reset < MILLISECONDS_FROM ? 1000 : 1);
  return { span, limit, remaining: Math.max(0, remaining), endsIn: possible(endsAt - now, span + ROUNDING) };
}

/**
 * Milliseconds before a refused request may be sent again; undefined if the answer does not say. In order:
 * `Retry-After`; `next.relative`, which needs no synchronized clocks; `next.absolute` if nothing else is
 * there; the end of an exhausted window. `now`: the service's clock.
 */
export function refusedWait({ retryAfter, rateLimit }: RetryAdvice, now: number): number | undefined {
  if (retryAfter !== undefined && retryAfter > 0) return retryAfter;
  const { relative, absolute } = rateLimit?.next ?? {};
  if (relative !== undefined && relative > 0) return relative;
  const byMoment =
    absolute !== undefined && relative === undefined ? possible(absolute - now, HOUR) : undefined;
  const ends = limitWindows(rateLimit, now).map(({ remaining, endsIn }) =>
    remaining === 0 ? endsIn : undefined,
  );
  const waits = [byMoment, ...ends].filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function possible(wait: number, longest: number): number | undefined {
  return wait > 0 && wait <= longest ? wait : undefined;
}

/** A submission that counts against the budget. Times: milliseconds of a monotonic clock. */
export interface CountedSubmission {
  readonly at: number;
  /** When its answer arrived; undefined while it is in flight. */
  answeredAt: number | undefined;
}

/** What is known about one window. */
interface WindowBalance {
  readonly limit: number;
  readonly span: number;
  readonly endsAt: number | undefined;
  /** How many submissions may still be sent. */
  readonly left: number;
}

/** Milliseconds of tolerance, since two clocks never agree exactly. */
const MARGIN = 20;

/**
 * How many submissions the service's windows still allow. The `remaining` of an answer does not count the
 * submissions that were in flight with it, so those are subtracted.
 */
export class SubmissionBudget {
  #accounts: readonly WindowBalance[] = [];
  /** Send time of the submission whose answer these numbers are from. */
  #basis = Number.NEGATIVE_INFINITY;
  #sent: readonly CountedSubmission[] = [];

  sent(now: number): CountedSubmission {
    const sent: CountedSubmission = { at: now, answeredAt: undefined };
    this.#sent = [...this.#sent, sent];
    this.#accounts = this.#accounts.map((account) => ({ ...account, left: account.left - 1 }));
    return sent;
  }

  /** Takes back a submission that was never sent. */
  withdrawn(sent: CountedSubmission): void {
    this.#sent = this.#sent.filter((one) => one !== sent);
    this.#accounts = this.#accounts.map((account) => ({ ...account, left: account.left + 1 }));
  }

  /** Records that the submission was answered, whatever the answer. */
  answered(sent: CountedSubmission, now: number): void {
    sent.answeredAt = now;
    const oldest = Math.min(...this.#sent.filter(isUnderway).map(({ at }) => at));
    this.#sent = this.#sent.filter((one) => one.answeredAt === undefined || one.answeredAt >= oldest);
  }

  /** Records the windows named in the answer to a submission. Call before `answered`. */
  recordWindows(
    windows: readonly LimitWindow[],
    { sent, now }: { sent: CountedSubmission; now: number },
  ): void {
    if (windows.length === 0 || sent.at < this.#basis) return;
    this.#basis = sent.at;
    const uncounted = this.#sent.filter((one) => one !== sent && mayFollow(one, sent)).length;
    this.#accounts = windows.map(({ limit, span, remaining, endsIn }) => ({
      limit,
      span,
      endsAt: endsIn === undefined ? undefined : now + endsIn + MARGIN,
      left: remaining - uncounted,
    }));
  }

  /** Submissions that may be sent now; Infinity if no limit is known. */
  left(now: number): number {
    this.#renew(now);
    const [first] = this.#accounts;
    if (!first) return Number.POSITIVE_INFINITY;
    const left = Math.min(...this.#accounts.map((account) => account.left));
    const isStuck = left <= 0 && this.openAt(now) === undefined;
    // The end of the window is unknown and only an answer tells it, so send one at a time.
    return isStuck ? Number(!this.#sent.some(isUnderway)) : Math.max(0, left);
  }

  /** When so many more submissions can have been sent, at the earliest. */
  reach(count: number, now: number): number {
    this.#renew(now);
    const moments = this.#accounts.map(({ left, limit, span, endsAt = now + span }) => {
      const windows = Math.ceil((count - Math.max(0, left)) / limit);
      return windows <= 0 ? now : endsAt + (windows - 1) * span;
    });
    return Math.max(now, ...moments);
  }

  /** When an exhausted window ends; undefined if none is exhausted or its end is unknown. */
  openAt(now: number): number | undefined {
    this.#renew(now);
    const ends = this.#accounts.filter(({ left }) => left <= 0).map(({ endsAt }) => endsAt);
    const known = ends.filter((end) => end !== undefined);
    return known.length === 0 ? undefined : Math.max(...known);
  }

  #renew(now: number): void {
    const underway = this.#sent.filter(isUnderway).length;
    this.#accounts = this.#accounts.map((account) => {
      const { endsAt, limit, span } = account;
      if (endsAt === undefined || endsAt > now) return account;
      const missed = Math.floor((now - endsAt) / span) + 1;
      return { ...account, left: limit - underway, endsAt: endsAt + missed * span };
    });
  }
}

function isUnderway({ answeredAt }: CountedSubmission): boolean {
  return answeredAt === undefined;
}

/** Whether the service may have processed `one` after it answered `other`. */
function mayFollow(one: CountedSubmission, other: CountedSubmission): boolean {
  return one.answeredAt === undefined || one.answeredAt >= other.at;
}

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
  // "Now" counts as no wait: taken literally, a service that keeps refusing would be asked in a tight loop.
  if (failure.retryAfter) return failure.retryAfter;
  const { firstPause: first, longestPause: longest } = policy;
  return Math.round(backOff(attempt.number, { first, longest }, attempt.random));
}

export interface Poll {
  /** When the job is expected to be done, milliseconds since the epoch by the service's clock. */
  readonly eta: number | undefined;
  /** The service's clock. */
  readonly now: number;
  /** Longest pause between polls, milliseconds; default 5,000, at least 1,100 after the first. */
  readonly longest: number | undefined;
}

const FIRST_PAUSE = 1_000;
const POLL_GROWTH = 1.5;
const LONGEST_PAUSE = 5_000;
/** Services allow about one poll a second per job, ours ten in ten seconds: this adds a small margin. */
const SHORTEST_LONGEST = 1_100;
/** An eta is only a hint: the first poll never waits longer than a usual job takes. */
const LONGEST_TRUST = 3_000;

/**
 * Endless pauses between polls of one job, milliseconds: first until its eta, 3 s at most, or 1 s without one; then 1 s
 * growing to 5 s, or to `longest`.
 */
export function* pollTimes({ eta, now, longest = LONGEST_PAUSE }: Poll): Generator<number, never, void> {
  const untilEta = eta === undefined ? FIRST_PAUSE : eta - now;
  yield Math.min(LONGEST_TRUST, Math.max(0, eta === undefined ? Math.min(untilEta, longest) : untilEta));
  const highest = Math.max(SHORTEST_LONGEST, longest);
  for (let polls = 1; ; polls++)
    yield backOff(polls, { first: FIRST_PAUSE, longest: highest, growth: POLL_GROWTH });
}
