import { EvictingMap, MinuteTally } from '../../fairness.ts';
import { type KnownAddresses, type Progress, SHARES, Slots } from '../../pools.ts';
import type { Caller, StoreContext } from '../callers.ts';
import { type LimitedRequest, readRateLimit, withWait } from '../limits.ts';
import { Refusal } from '../refusal.ts';

/** The kinds of target servers. Servers of URLs may be anyone's and slow, so they take no room from the game. */
export type Target = 'url' | 'game';

/** Milliseconds after which a fetch from a URL gives its place up to others who need it. */
const SLOW = 1_000;
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
  return SHARES.urls[kind === 'user' ? 'known' : 'stranger'];
}

/**
 * Counts the requests to third-party servers by caller, whether or not they succeed, so that nobody can flood another
 * server through this service. Counts are per process.
 */
export class Fetches {
  readonly #known: KnownAddresses;
  readonly #begun = new EvictingMap<MinuteTally>(MANY_CALLERS);
  readonly #places: Record<Target, Slots> = { url: new Slots(SHARES.urls), game: new Slots(SHARES.players) };

  constructor(known: KnownAddresses) {
    this.#known = known;
  }

  /** `now`: milliseconds since the epoch. `progress`: of a fetch that can be given up. */
  enter(caller: Caller, target: Target, now: number, progress?: Progress): FetchAdmission {
    const { owner, plan } = caller;
    const begun = this.#begun.ensure(
      owner,
      () => new MinuteTally(),
      (other) => other.isIdle(now),
    );
    const at = begun.roomAt(plan.perMinute, now);
    if (at > now) return { kind: 'too_fast', at };
    const leave = this.#places[target].enter(this.#known.holderOf(caller), progress);
    if (leave === 'one') return { kind: 'busy' };
    if (leave === 'all') return { kind: 'crowded' };
    begun.spend(now);
    return { kind: 'entered', leave };
  }
}

/** Milliseconds to wait while the caller's other fetches are in progress. */
const BUSY_WAIT = 1_000;
/** Seconds to wait while fetches of many callers are in progress. */
const CROWDED_WAIT = '1';

/**
 * Runs `ask`, which sends requests to third-party servers for a caller, within the caller's limits. Its signal aborts a
 * slow fetch from a URL whose place others need.
 * @throws Refusal `rate_limit`, `service_unavailable`; anything that `ask` throws
 */
export async function withinFetchLimits<T>(
  context: StoreContext & { readonly fetches: Fetches },
  { caller, via, target = 'game' }: LimitedRequest & { readonly target?: Target },
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { clock, fetches } = context;
  const given = new AbortController();
  const begun = clock.monotonic();
  const progress = {
    rank: () => (clock.monotonic() - begun >= SLOW ? begun : undefined),
    drop: () => given.abort(),
  };
  const entered = fetches.enter(caller, target, clock.now(), target === 'url' ? progress : undefined);
  if (entered.kind !== 'entered') throw await fetchRefusal(context, { caller, via }, entered);
  try {
    return await ask(given.signal);
  } catch (error) {
    throw given.signal.aborted ? crowded() : error;
  } finally {
    entered.leave();
  }
}

async function fetchRefusal(
  { db, clock }: StoreContext,
  { caller, via }: LimitedRequest,
  refused: Exclude<FetchAdmission, { kind: 'entered' }>,
): Promise<Refusal> {
  if (refused.kind === 'crowded') return crowded();
  const now = clock.now();
  const rateLimit = await readRateLimit(db, caller, now, via);
  if (refused.kind === 'too_fast') {
    const message = `Your plan allows ${caller.plan.perMinute} URLs and players per minute.`;
    return new Refusal('rate_limit', { message, rateLimit: withWait(rateLimit, refused.at - now, now) });
  }
  const message = 'Too many of your pictures and players are being fetched at the same time.';
  const relative = Math.max(BUSY_WAIT, rateLimit.next.relative);
  return new Refusal('rate_limit', { message, rateLimit: withWait(rateLimit, relative, now) });
}

function crowded(): Refusal {
  const message = 'Too many pictures are being fetched. Try again in a moment.';
  return new Refusal('service_unavailable', { message, headers: { 'Retry-After': CROWDED_WAIT } });
}
