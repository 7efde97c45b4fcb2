import type { CallerMemory } from '../store/callers.ts';
import type { Via } from '../store/tables.ts';
import type { SubmitLimits } from './port.ts';
import { HOUR, MINUTE, roomAt } from './sliding-window.ts';

/** What holds for a job beside the windows and the spots of its owner. */
interface ViaRules {
  /** Milliseconds from the owner's last generation outside the queue to the next. */
  delay(limits: SubmitLimits): number;
  /** Unfinished generations outside the queue that the owner may have, this one included. */
  atOnce(limits: SubmitLimits): number;
}

/** The queue has neither; version 1 goes one by one. */
export const VIA_RULES = {
  queue: { delay: () => 0, atOnce: () => Number.POSITIVE_INFINITY },
  generate: { delay: ({ delay }) => delay, atOnce: ({ concurrency }) => concurrency },
  v1: { delay: ({ delay }) => delay, atOnce: () => 1 },
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
    // A last time that is further ahead was taken from a clock that has been put back since.
    delay === 0 || generatedAt > now + delay ? now : generatedAt + delay,
  );
}
