import type { Clock } from '../../../base/clock.ts';
import { MINUTE, roomAt, type Spent, spendOne, stillSpent } from '../../fairness/sliding-window.ts';
import { recallCaller } from '../../store/callers.ts';
import type { Db } from '../../store/db.ts';
import { Refusal } from '../refusals/refusal.ts';
import type { LimitedRequest } from './rate-limit.ts';
import { rateLimitOf } from './rate-limit.ts';

/** Maximum duplicates per minute, for each generation that a caller may make in one. */
const TIMES = 10;
/** Callers remembered before inactive ones are removed. */
const MANY_CALLERS = 1_000;

/**
 * Counts duplicates per caller. They do not count against the limits, but each adds a job and, under another name, a
 * record in the public list, so their number is limited. Counted per process.
 */
export class Duplicates {
  readonly #spent = new Map<string, Spent>();
  #many = MANY_CALLERS;

  /** Counts one. @returns when the next one is allowed, milliseconds since the epoch; `now`: this one is allowed */
  count({ owner, limit, now }: { owner: string; limit: number; now: number }): number {
    const spent = stillSpent(this.#spent.get(owner) ?? [], MINUTE, now);
    const at = roomAt(spent, MINUTE, limit, now);
    this.#spent.set(owner, at > now ? spent : spendOne(spent, MINUTE, now));
    if (this.#spent.size > this.#many) this.#forgetIdle(now);
    return at;
  }

  /** Waits until the number has doubled: otherwise every call might scan all callers. */
  #forgetIdle(now: number): void {
    for (const [owner, spent] of this.#spent) {
      if (stillSpent(spent, MINUTE, now).length === 0) this.#spent.delete(owner);
    }
    this.#many = Math.max(MANY_CALLERS, 2 * this.#spent.size);
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
