import type { Clock } from '../../../base/clock.ts';
import { EvictingMap, MINUTE, roomAt, type Spent, spendOne, stillSpent } from '../../fairness/rate-limits.ts';
import { recallCaller } from '../../store/callers.ts';
import type { Db } from '../../store/db.ts';
import { Refusal } from '../refusal.ts';
import { type LimitedRequest, rateLimitOf } from './rate-limit.ts';

/** Maximum duplicates per minute, for each generation that a caller may make in one. */
const TIMES = 10;
/** Callers remembered before inactive ones are removed. */
const MANY_CALLERS = 1_000;

/**
 * Counts duplicates per caller. They do not count against the limits, but each adds a job and, under another name, a
 * record in the public list, so their number is limited. Counted per process.
 */
export class Duplicates {
  readonly #tallies = new EvictingMap<{ spent: Spent }>(MANY_CALLERS);

  /** Counts one. @returns when the next one is allowed, milliseconds since the epoch; `now`: this one is allowed */
  count({ owner, limit, now }: { owner: string; limit: number; now: number }): number {
    const isIdle = ({ spent }: { spent: Spent }) => stillSpent(spent, MINUTE, now).length === 0;
    const tally = this.#tallies.ensure(owner, () => ({ spent: [] }), isIdle);
    tally.spent = stillSpent(tally.spent, MINUTE, now);
    const at = roomAt(tally.spent, MINUTE, limit, now);
    if (at <= now) tally.spent = spendOne(tally.spent, MINUTE, now);
    return at;
  }
}

export interface DuplicatesContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly duplicates: Duplicates;
}

/** @throws Refusal `rate_limit` for a caller with too many duplicates */
export async function countDuplicate(
  { db, clock, duplicates }: DuplicatesContext,
  { caller, via }: LimitedRequest,
): Promise<void> {
  const now = clock.now();
  const { owner, plan } = caller;
  const limit = TIMES * plan.perMinute;
  const absolute = duplicates.count({ owner, limit, now });
  if (absolute <= now) return;
  const rateLimit = rateLimitOf(await recallCaller(db, owner, now), caller, now, via);
  throw new Refusal('rate_limit', {
    message: `You may request at most ${limit} existing skins per minute.`,
    rateLimit: { ...rateLimit, next: { absolute, relative: absolute - now } },
  });
}
