import { isHostedService } from '../../dispatch/service-facts.ts';
import type { Me } from '../../protocol/account.ts';

/** The limits of a caller that decide how long a batch takes. */
export interface Limits {
  /** Submissions a minute and an hour. */
  readonly perMinute: number | undefined;
  readonly perHour: number | undefined;
  /** Jobs processed at once. */
  readonly concurrency: number | undefined;
  /** Slots in the queue. */
  readonly slots: number;
  /** Seconds that one skin takes. */
  readonly service: number;
}

/** Seconds per skin on the hosted service, as its documentation says. */
const HOSTED_SECONDS = 1.5;
/** Approximate seconds for a signature of our own on one core: other services may be as fast. */
const SIGNING_SECONDS = 0.006;

/** The limits that decide how long a batch takes. `slots`: in the queue. `service`: its address, or `embedded`. */
export function limitsOf(me: Me | undefined, slots: number, service: string): Limits {
  const { per_minute: perMinute, per_hour: perHour } = me?.grants ?? {};
  const concurrency = me?.grants.burst ?? me?.grants.concurrency;
  const seconds = isHostedService(service) ? HOSTED_SECONDS : SIGNING_SECONDS;
  return { perMinute, perHour, concurrency, slots, service: seconds };
}

/**
 * The minimum seconds for `count` new skins, by the tightest limit. A whole hour's quota can be sent at once,
 * then the next one waits for the hour to pass; the same holds for minutes.
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
