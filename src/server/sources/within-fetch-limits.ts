import type { Clock } from '../../base/clock.ts';
import { type LimitedRequest, rateLimitOf } from '../service/limits/rate-limit.ts';
import { Refusal } from '../service/refusal.ts';
import { recallCaller } from '../store/callers.ts';
import type { Db } from '../store/db.ts';
import type { Fetches, Target } from './fetches.ts';

/** Milliseconds to wait while the caller's other fetches are in progress. */
const BUSY_WAIT = 1_000;
/** Seconds to wait while those of many callers are. */
const CROWDED_WAIT = '1';

export interface FetchLimitContext {
  readonly db: Db;
  readonly clock: Clock;
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
  const { owner, plan } = caller;
  const entered = context.fetches.enter(caller, target, now);
  if (entered.kind === 'entered') {
    try {
      return await ask();
    } finally {
      entered.leave();
    }
  }
  if (entered.kind === 'crowded') {
    const message = 'Too many pictures are being fetched now: try again in a moment.';
    throw new Refusal('service_unavailable', { message, headers: { 'Retry-After': CROWDED_WAIT } });
  }
  const rateLimit = rateLimitOf(await recallCaller(context.db, owner, now), caller, now, via);
  if (entered.kind === 'too_fast') {
    const next = { absolute: entered.at, relative: entered.at - now };
    const message = `${plan.perMinute} URLs and players in a minute is the most you may have fetched.`;
    throw new Refusal('rate_limit', { message, rateLimit: { ...rateLimit, next } });
  }
  const message = 'Too many of your pictures and players are being fetched at the same time.';
  const relative = Math.max(BUSY_WAIT, rateLimit.next.relative);
  throw new Refusal('rate_limit', {
    message,
    rateLimit: { ...rateLimit, next: { absolute: now + relative, relative } },
  });
}
