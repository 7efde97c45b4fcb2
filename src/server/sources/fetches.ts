import { MINUTE, roomAt, type Spent, spendOne, stillSpent } from '../queue/sliding-window.ts';

/** What callers may have others' servers asked for at the same time: each of them, and all together. */
const MOST_OF_ONE = 8;
const MOST_OF_ALL = 64;
/** Callers remembered before those with nothing to remember are forgotten. */
const MANY_CALLERS = 1_000;

export type Entered =
  | { readonly kind: 'entered'; readonly leave: () => void }
  /** The caller's own are too many at once. */
  | { readonly kind: 'busy' }
  /** Everybody's are. */
  | { readonly kind: 'crowded' }
  /** The caller has asked for too much within a minute: `at`, milliseconds since the epoch, there is room again. */
  | { readonly kind: 'too_fast'; readonly at: number };

export interface FetchWish {
  readonly owner: string;
  /** Fetches that it may have in any minute. */
  readonly perMinute: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

interface Tally {
  underWay: number;
  spent: Spent;
}

/**
 * Counts what callers have others' servers asked for, whatever comes of it: nobody may hammer somebody else by
 * way of this service. Of this process alone.
 */
export class Fetches {
  readonly #tallies = new Map<string, Tally>();
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
    if (this.#tallies.size >= MANY_CALLERS) this.#forgetIdle(now);
    const tally = this.#tallies.get(owner) ?? { underWay: 0, spent: [] };
    tally.spent = stillSpent(tally.spent, MINUTE, now);
    this.#tallies.set(owner, tally);
    return tally;
  }

  #forgetIdle(now: number): void {
    for (const [owner, { underWay, spent }] of this.#tallies) {
      if (underWay === 0 && stillSpent(spent, MINUTE, now).length === 0) this.#tallies.delete(owner);
    }
  }
}
