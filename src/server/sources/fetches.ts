import { EvictingMap, MinuteTally } from '../fairness.ts';
import type { Caller, StoreContext } from '../service/callers.ts';
import { type LimitedRequest, readRateLimit, withWait } from '../service/limits.ts';
import { Refusal } from '../service/refusal.ts';

/**
 * Maximum number of a caller's simultaneous requests to third-party servers. Without a key, as many as a browser sends
 * at the same time.
 */
const MAX_PER_CALLER: Readonly<Record<Caller['kind'], number>> = { anonymous: 6, user: 8 };
/**
 * The kinds of target servers. Servers of URLs may be anyone's and slow, so they take no room from the game.
 */
export type Target = 'url' | 'game';

/**
 * The same for all callers together, and for all without a key, whose slow servers must leave room for users. Applies
 * to each target separately.
 */
const MAX_TOTAL = 64;
const MAX_WITHOUT_KEY = MAX_TOTAL / 2;
/** Number of callers above which those without counts are forgotten. */
const MANY_CALLERS = 1_000;

export type FetchAdmission =
  | { readonly kind: 'entered'; readonly leave: () => void }
  /** Too many simultaneous fetches of the caller. */
  | { readonly kind: 'busy' }
  /** Too many simultaneous fetches of all callers from such servers. */
  | { readonly kind: 'crowded' }
  /** Too many fetches of the caller within a minute: there is room again at `at`, milliseconds since the epoch. */
  | { readonly kind: 'too_fast'; readonly at: number };

/** Maximum simultaneous fetches for the caller. */
export function maxFetchesOf({ kind }: Pick<Caller, 'kind'>): number {
  return MAX_PER_CALLER[kind];
}

interface Tally {
  underWay: number;
  readonly begun: MinuteTally;
}

/**
 * Counts the requests to third-party servers by caller, whether or not they succeed, so that nobody can flood another
 * server through this service. Counts are per process.
 */
export class Fetches {
  readonly #tallies = new EvictingMap<Tally>(MANY_CALLERS);
  readonly #underWay: Record<Target, Record<Caller['kind'], number>> = {
    url: { anonymous: 0, user: 0 },
    game: { anonymous: 0, user: 0 },
  };

  /** `now`: milliseconds since the epoch. */
  enter(caller: Caller, target: Target, now: number): FetchAdmission {
    const { kind, owner, plan } = caller;
    const isIdle = (other: Tally) => other.underWay === 0 && other.begun.isIdle(now);
    const tally = this.#tallies.ensure(owner, () => ({ underWay: 0, begun: new MinuteTally() }), isIdle);
    if (tally.underWay >= maxFetchesOf(caller)) return { kind: 'busy' };
    const underWay = this.#underWay[target];
    if (isCrowded(underWay, kind)) return { kind: 'crowded' };
    const at = tally.begun.roomAt(plan.perMinute, now);
    if (at > now) return { kind: 'too_fast', at };
    tally.begun.spend(now);
    return { kind: 'entered', leave: begin(underWay, kind, tally) };
  }
}

function isCrowded({ anonymous, user }: Record<Caller['kind'], number>, kind: Caller['kind']): boolean {
  return anonymous + user >= MAX_TOTAL || (kind === 'anonymous' && anonymous >= MAX_WITHOUT_KEY);
}

function begin(all: Record<Caller['kind'], number>, kind: Caller['kind'], tally: Tally): () => void {
  tally.underWay++;
  all[kind]++;
  return () => {
    tally.underWay--;
    all[kind]--;
  };
}

/** Milliseconds to wait while the caller's other fetches are in progress. */
const BUSY_WAIT = 1_000;
/** Seconds to wait while fetches of many callers are in progress. */
const CROWDED_WAIT = '1';

export interface FetchLimitContext extends StoreContext {
  readonly fetches: Fetches;
}

/**
 * Runs `ask`, which sends requests to third-party servers for a caller, within the caller's limits.
 * @throws Refusal `rate_limit`, `service_unavailable`; anything that `ask` throws
 */
export async function withinFetchLimits<T>(
  context: FetchLimitContext,
  { caller, via, target = 'game' }: LimitedRequest & { readonly target?: Target },
  ask: () => Promise<T>,
): Promise<T> {
  const now = context.clock.now();
  const entered = context.fetches.enter(caller, target, now);
  if (entered.kind === 'entered') {
    try {
      return await ask();
    } finally {
      entered.leave();
    }
  }
  if (entered.kind === 'crowded') {
    const message = 'Too many pictures are being fetched. Try again in a moment.';
    throw new Refusal('service_unavailable', { message, headers: { 'Retry-After': CROWDED_WAIT } });
  }
  const rateLimit = await readRateLimit(context.db, caller, now, via);
  if (entered.kind === 'too_fast') {
    const message = `Your plan allows ${caller.plan.perMinute} URLs and players per minute.`;
    throw new Refusal('rate_limit', { message, rateLimit: withWait(rateLimit, entered.at - now, now) });
  }
  const message = 'Too many of your pictures and players are being fetched at the same time.';
  const relative = Math.max(BUSY_WAIT, rateLimit.next.relative);
  throw new Refusal('rate_limit', { message, rateLimit: withWait(rateLimit, relative, now) });
}
