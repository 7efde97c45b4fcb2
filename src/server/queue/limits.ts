import { HOUR, MINUTE, roomAt } from '../fairness/rate-limits.ts';
import type { CallerMemory } from '../store/callers.ts';
import type { Via } from '../store/schema/job-tables.ts';
import type { SubmitLimits } from './port.ts';

/** Limits of a job besides the windows and spots of its owner. */
interface ViaRules {
  /** Minimum milliseconds between two generations of this kind by the owner. */
  delay(limits: SubmitLimits): number;
  /** Maximum unfinished generations of this kind per owner, including this one. */
  atOnce: number;
}

/** Only version 1 has a delay and processes one request at a time. */
export const VIA_RULES = {
  queue: { delay: () => 0, atOnce: Number.POSITIVE_INFINITY },
  v1: { delay: ({ delay }) => delay, atOnce: 1 },
} as const satisfies Record<Via, ViaRules>;

/** When the owner may submit again, milliseconds since the epoch; `now` when it may at once. */
export function opensAt(
  { minute, hour, generatedAt }: CallerMemory,
  limits: SubmitLimits,
  { via, now }: { via: Via; now: number },
): number {
  const delay = VIA_RULES[via].delay(limits);
  return Math.max(
    roomAt(minute, MINUTE, limits.perMinute, now),
    roomAt(hour, HOUR, limits.perHour, now),
    // A last time further ahead comes from a clock that was set back since.
    generatedAt > now + delay ? now : generatedAt + delay,
  );
}
