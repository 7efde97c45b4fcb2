import type { Clock } from '../../../base/clock.ts';
import { type Allowance, EvictingMap, isWhole, refill, untilAffordable } from '../../fairness/rate-limits.ts';
import type { Caller } from '../callers/caller.ts';
import { waitRefusal } from './wait-refusal.ts';

export interface RequestLimits {
  /** Requests per minute, and simultaneous ones, of one address without a key. */
  readonly requestsPerMinute: number;
  readonly requestsAtOnce: number;
}

export const REQUEST_LIMITS: RequestLimits = { requestsPerMinute: 6_000, requestsAtOnce: 32 };

/** Simultaneous requests of one user, and of all callers without a key. */
const MAX_OF_USER = 256;
const MAX_OF_STRANGERS = 500;
/** Number of callers above which those without any counts are forgotten. */
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
      const message = 'Too many requests are under way from here: wait until some of them end.';
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
    const message = `One address may send ${requestsPerMinute} requests a minute without an API key.`;
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
