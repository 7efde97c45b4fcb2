import { EvictingMap } from '../fairness/evicting-map.ts';
import { MINUTE, roomAt, type Spent, spendOne, stillSpent } from '../fairness/sliding-window.ts';

/** Maximum number of simultaneous requests to third-party servers: per caller, and for all callers together. */
export const MOST_OF_ONE = 8;
const MOST_OF_ALL = 64;
/** Number of callers above which those without any counts are forgotten. */
const MANY_CALLERS = 1_000;

export type Entered =
  | { readonly kind: 'entered'; readonly leave: () => void }
  /** Too many simultaneous fetches of the caller. */
  | { readonly kind: 'busy' }
  /** Too many simultaneous fetches of all callers. */
  | { readonly kind: 'crowded' }
  /** Too many fetches of the caller within a minute: there is room again at `at`, milliseconds since the epoch. */
  | { readonly kind: 'too_fast'; readonly at: number };

export interface FetchWish {
  readonly owner: string;
  /** Fetches per minute that the caller may have. */
  readonly perMinute: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

interface Tally {
  underWay: number;
  spent: Spent;
}

/**
 * Counts the requests to third-party servers by caller, whether or not they succeed: nobody may flood another server
 * through this service. Counts are per process.
 */
export class Fetches {
  readonly #tallies = new EvictingMap<Tally>(MANY_CALLERS);
  #underWay = 0;

  enter({ owner, perMinute, now }: FetchWish): Entered {
    const tally = this.#tallyOf(owner, now);
    if (tally.underWay >= MOST_OF_ONE) return { kind: 'busy' };
    if (this.#underWay >= MOST_OF_ALL) return { kind: 'crowded' };
    const at = roomAt(tally.spent, MINUTE, perMinute, now);
    if (at > now) return { kind: 'too_fast', at };
    tally.spent = spendOne(tally.spent, MINUTE, now);
    tally.underWay++;
    this.#underWay++;
    const leave = () => {
      tally.underWay--;
      this.#underWay--;
    };
    return { kind: 'entered', leave };
  }

  #tallyOf(owner: string, now: number): Tally {
    const isIdle = ({ underWay, spent }: Tally) =>
      underWay === 0 && stillSpent(spent, MINUTE, now).length === 0;
    const tally = this.#tallies.ensure(owner, () => ({ underWay: 0, spent: [] }), isIdle);
    tally.spent = stillSpent(tally.spent, MINUTE, now);
    return tally;
  }
}
