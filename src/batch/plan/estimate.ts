/** What a caller may do, as far as it decides how long a batch takes. */
export interface Limits {
  /** Submissions a minute and an hour. */
  readonly perMinute: number | undefined;
  readonly perHour: number | undefined;
  /** Jobs that are worked on at once. */
  readonly concurrency: number | undefined;
  /** Spots in the queue. */
  readonly slots: number;
  /** Seconds that one skin takes. */
  readonly service: number;
}

/** Seconds that a skin takes on the hosted service, as it says itself. */
export const HOSTED_SECONDS = 1.5;
/** Seconds for a signature of our own on one core, about. */
export const SIGNING_SECONDS = 0.006;

/**
 * Seconds that `count` new skins take at the least, by whichever limit is the tightest. An hour's worth can be
 * sent at once, then the next has to wait for the hour to pass; the same holds for minutes.
 */
export function estimateSeconds(count: number, limits: Limits): number {
  if (count === 0) return 0;
  const { perMinute, perHour, concurrency = limits.slots, slots, service } = limits;
  const atOnce = Math.max(1, Math.min(concurrency || slots, slots));
  return Math.max(
    Math.ceil(count / atOnce) * service,
    windows(count, perMinute) * 60 + service,
    windows(count, perHour) * 3600 + service,
  );
}

/** Whole windows that have to pass before the last one may be sent. */
function windows(count: number, perWindow: number | undefined): number {
  return perWindow === undefined || perWindow <= 0 ? 0 : Math.ceil(count / perWindow) - 1;
}
