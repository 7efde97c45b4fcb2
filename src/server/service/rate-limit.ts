import type { RateLimit, RateLimitWindow } from '../../protocol/envelope.ts';
import type { Db } from '../store/store.ts';
import type { UsageRow } from '../store/tables.ts';
import { readUsage } from '../store/usage.ts';
import type { Caller } from './caller.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;

/** Where the caller stands against its limits now. */
export async function readRateLimit(db: Db, caller: Caller, now: number): Promise<RateLimit> {
  return rateLimitOf(await readUsage(db, caller.owner, now), caller, now);
}

export function rateLimitOf(usage: UsageRow, caller: Caller, now: number): RateLimit {
  const minute = windowOf(caller.plan.perMinute, usage.minute_used, (usage.minute + 1) * MINUTE);
  const hour = windowOf(caller.plan.perHour, usage.hour_used, (usage.hour + 1) * HOUR);
  const next = nextRequest(minute, hour, now);
  return {
    next: { absolute: next, relative: next - now },
    delay: { millis: 0, seconds: 0 },
    limit: { ...minute, minute, hour },
  };
}

function windowOf(limit: number, used: number, end: number): RateLimitWindow {
  return { limit, remaining: Math.max(0, limit - used), used, reset: end / 1000 };
}

/** Now, or when the fuller window ends. */
function nextRequest(minute: RateLimitWindow, hour: RateLimitWindow, now: number): number {
  const full = [minute, hour].filter((window) => window.remaining === 0);
  return Math.max(now, ...full.map((window) => (window.reset ?? 0) * 1000));
}
