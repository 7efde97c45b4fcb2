import { EvictingMap, MINUTE, roomAt, type Spent, spendOne, stillSpent } from '../fairness/rate-limits.ts';
import type { Caller } from '../service/callers/caller.ts';

/**
 * Maximum number of simultaneous requests to third-party servers of one caller: of an address without a key as many as a
 * browser sends at the same time.
 */
const MOST_OF_ONE: Readonly<Record<Caller['kind'], number>> = { anonymous: 6, user: 8 };
/** The servers that are sent requests. Those of URLs are anybody's, and may be slow: they take no room from the game. */
export type Target = 'url' | 'game';

/**
 * The same for all callers together, and for all without a key: slow servers of strangers leave room for users. Each
 * target has as many.
 */
const MOST_OF_ALL = 64;
const MOST_OF_STRANGERS = MOST_OF_ALL / 2;
/** Number of callers above which those without any counts are forgotten. */
const MANY_CALLERS = 1_000;

export type Entered =
  | { readonly kind: 'entered'; readonly leave: () => void }
  /** Too many simultaneous fetches of the caller. */
  | { readonly kind: 'busy' }
  /** Too many simultaneous fetches of all callers from such servers. */
  | { readonly kind: 'crowded' }
  /** Too many fetches of the caller within a minute: there is room again at `at`, milliseconds since the epoch. */
  | { readonly kind: 'too_fast'; readonly at: number };

/** How many fetches of the caller may be under way. */
export function mostFetchesOf({ kind }: Pick<Caller, 'kind'>): number {
  return MOST_OF_ONE[kind];
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
  readonly #underWay: Record<Target, Record<Caller['kind'], number>> = {
    url: { anonymous: 0, user: 0 },
    game: { anonymous: 0, user: 0 },
  };

  /** `now`: milliseconds since the epoch. */
  enter(caller: Caller, target: Target, now: number): Entered {
    const { kind, owner, plan } = caller;
    const tally = this.#tallyOf(owner, now);
    if (tally.underWay >= mostFetchesOf(caller)) return { kind: 'busy' };
    const underWay = this.#underWay[target];
    if (isCrowded(underWay, kind)) return { kind: 'crowded' };
    const at = roomAt(tally.spent, MINUTE, plan.perMinute, now);
    if (at > now) return { kind: 'too_fast', at };
    tally.spent = spendOne(tally.spent, MINUTE, now);
    return { kind: 'entered', leave: begin(underWay, kind, tally) };
  }

  #tallyOf(owner: string, now: number): Tally {
    const isIdle = ({ underWay, spent }: Tally) =>
      underWay === 0 && stillSpent(spent, MINUTE, now).length === 0;
    const tally = this.#tallies.ensure(owner, () => ({ underWay: 0, spent: [] }), isIdle);
    tally.spent = stillSpent(tally.spent, MINUTE, now);
    return tally;
  }
}

function isCrowded({ anonymous, user }: Record<Caller['kind'], number>, kind: Caller['kind']): boolean {
  return anonymous + user >= MOST_OF_ALL || (kind === 'anonymous' && anonymous >= MOST_OF_STRANGERS);
}

function begin(all: Record<Caller['kind'], number>, kind: Caller['kind'], tally: Tally): () => void {
  tally.underWay++;
  all[kind]++;
  return () => {
    tally.underWay--;
    all[kind]--;
  };
}
