import type { Clock } from '../../base/clock.ts';
import { type Allowance, EvictingMap, isWhole, refill, untilAffordable } from '../fairness.ts';
import type { JobRow } from '../store/schema/tables.ts';
import type { Caller, StoreContext } from './callers.ts';
import { type LimitedRequest, rateLimitOf, readRateLimit, withWait } from './limits.ts';
import { Refusal } from './refusal.ts';

interface Wait extends Pick<LimitedRequest, 'caller'> {
  readonly message: string;
  /** Milliseconds until the request would pass. */
  readonly wait: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The refusal of a request that exceeds a limit kept in memory. Does not read the store, because refusing must be cheap. */
export function waitRefusal(
  code: 'rate_limit' | 'concurrency_limit',
  { caller, message, wait, now }: Wait,
): Refusal {
  const nothing = { owner: caller.owner, turn: 0, spentAt: 0, generatedAt: 0, minute: [], hour: [] };
  return new Refusal(code, { message, rateLimit: withWait(rateLimitOf(nothing, caller, now), wait, now) });
}

export interface RequestLimits {
  /** Requests per minute, and simultaneous ones, of one address without a key. */
  readonly requestsPerMinute: number;
  readonly requestsAtOnce: number;
}

export const REQUEST_LIMITS: RequestLimits = { requestsPerMinute: 6_000, requestsAtOnce: 32 };

/** Simultaneous requests of one user, and of all callers without a key. */
const MAX_OF_USER = 256;
const MAX_OF_STRANGERS = 500;
/** With more callers than this, those without any counts are forgotten. */
const MANY_CALLERS = 10_000;
/** Milliseconds until a retry when a request only has to wait for others to end. */
const SOON = 1_000;

/** The requests that a caller may send, and how many are under way. */
interface Tally extends Allowance {
  underWay: number;
}

/** Counts requests of every kind by caller, so that no address takes all capacity. Counts are per process. */
export class RequestLimiter {
  readonly #limits: RequestLimits;
  readonly #clock: Clock;
  readonly #tallies = new EvictingMap<Tally>(MANY_CALLERS);
  #strangers = 0;

  constructor(limits: RequestLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /**
   * Admits a request. @returns the function to call when it is over. @throws Refusal `rate_limit`, `concurrency_limit`
   */
  enter(caller: Caller): () => void {
    const tally = this.#tallyOf(caller.owner);
    const isStranger = caller.kind === 'anonymous';
    if (isStranger) this.#spend(caller, tally);
    const most = isStranger ? this.#limits.requestsAtOnce : MAX_OF_USER;
    if (tally.underWay >= most || (isStranger && this.#strangers >= MAX_OF_STRANGERS)) {
      const message = 'Too many simultaneous requests. Wait until some of them end.';
      throw waitRefusal('concurrency_limit', { message, caller, wait: SOON, now: this.#clock.now() });
    }
    tally.underWay++;
    if (isStranger) this.#strangers++;
    return () => {
      tally.underWay--;
      if (isStranger) this.#strangers--;
    };
  }

  /** Counts a request that was refused before it was admitted. @throws Refusal `rate_limit` */
  count(caller: Caller): void {
    this.#spend(caller, this.#tallyOf(caller.owner));
  }

  #spend(caller: Caller, tally: Tally): void {
    const { requestsPerMinute } = this.#limits;
    if (tally.left >= 1) {
      tally.left--;
      return;
    }
    const message = `Without an API key, an address may send ${requestsPerMinute} requests per minute.`;
    const wait = Math.max(SOON, untilAffordable(tally, 1, requestsPerMinute));
    throw waitRefusal('rate_limit', { message, caller, wait, now: this.#clock.now() });
  }

  #tallyOf(owner: string): Tally {
    const at = this.#clock.monotonic();
    const { requestsPerMinute } = this.#limits;
    const isIdle = (other: Tally) => other.underWay === 0 && isWhole(other, at);
    const tally = this.#tallies.ensure(owner, () => ({ underWay: 0, left: requestsPerMinute, at }), isIdle);
    refill(tally, requestsPerMinute, at);
    return tally;
  }
}

/**
 * How often a caller may poll one job within a window, in milliseconds; callers with many jobs poll the list. The
 * window ends `early` for clients that poll once a second, whose first poll may have been late, for example on a new
 * connection.
 */
const LIMIT = { polls: 10, window: 10_000, early: 500 } as const;
/** Number of jobs above which those with expired windows are forgotten. */
const MANY_JOBS = 10_000;

/** The polls of a job in its current window. */
interface Window {
  polls: number;
  /** When the window ends (monotonic). */
  end: number;
}

/** Counts how often each job is polled. */
export class Polling {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #windows = new EvictingMap<Window>(MANY_JOBS);

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /**
   * Counts one poll of a job. @returns milliseconds until the next poll is allowed; 0: this one was within the limit
   */
  count(jobUuid: string): number {
    const now = this.#clock.monotonic();
    const isOver = ({ end }: Window) => now >= end;
    const begin = () => ({ polls: 0, end: now + LIMIT.window - LIMIT.early });
    const window = this.#windows.ensure(jobUuid, begin, isOver);
    if (isOver(window)) Object.assign(window, begin());
    window.polls++;
    return window.polls > LIMIT.polls ? Math.ceil(window.end - now) : 0;
  }
}

export interface PollingContext extends StoreContext {
  readonly polling: Polling;
}

/** Call with jobs of the caller only, so that there are never more counts than jobs it may have. @throws Refusal */
export async function verifyPolling(
  context: PollingContext,
  caller: Caller,
  { uuid }: Pick<JobRow, 'uuid'>,
): Promise<void> {
  const wait = context.polling.count(uuid);
  if (wait === 0) return;
  const now = context.clock.now();
  throw new Refusal('rate_limit', {
    message: `A job may be requested ${LIMIT.polls} times in ${LIMIT.window / 1000} s; the job list returns all of them at once.`,
    rateLimit: withWait(await readRateLimit(context.db, caller, now), wait, now),
  });
}
