import type { RateLimit, RateLimitWindow } from '../../../protocol/envelope.ts';
import { emptyAt, HOUR, MINUTE, type Spent, totalOf, type WindowShape } from '../../fairness/rate-limits.ts';
import { opensAt, VIA_RULES } from '../../queue/enqueue.ts';
import { type CallerMemory, currentMemory, recallCaller } from '../../store/callers.ts';
import type { Db } from '../../store/db.ts';
import type { Via } from '../../store/schema/tables.ts';
import type { Caller } from '../callers/caller.ts';

/** A request to which a caller's limits apply. */
export interface LimitedRequest {
  readonly caller: Caller;
  /** The route by which it came; the rules depend on it. */
  readonly via: Via;
}

/** The caller's current rate limit, for a next request that comes by `via`. */
export async function readRateLimit(
  db: Db,
  caller: Caller,
  now: number,
  via: Via = 'queue',
): Promise<RateLimit> {
  return rateLimitOf(await recallCaller(db, caller.owner, now), caller, now, via);
}

export function rateLimitOf(
  remembered: CallerMemory,
  { plan }: Caller,
  now: number,
  via: Via = 'queue',
): RateLimit {
  const memory = currentMemory(remembered, now);
  const next = opensAt(memory, plan, { via, now });
  const delay = VIA_RULES[via].delay(plan);
  const minute = windowOf(memory.minute, MINUTE, { limit: plan.perMinute, now });
  return {
    next: { absolute: next, relative: next - now },
    delay: { millis: delay, seconds: Math.ceil(delay / 1000) },
    limit: { ...minute, minute, hour: windowOf(memory.hour, HOUR, { limit: plan.perHour, now }) },
  };
}

/** `reset`: when the whole limit is available again. */
function windowOf(
  spent: Spent,
  shape: WindowShape,
  { limit, now }: { limit: number; now: number },
): RateLimitWindow {
  const used = totalOf(spent);
  const reset = Math.ceil(emptyAt(spent, shape, now) / 1000);
  return { limit, remaining: Math.max(0, limit - used), used, reset };
}
