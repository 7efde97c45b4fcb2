import { MINUTE, type RateRule } from './traffic.ts';

export interface Before {
  /** The caller's jobs that have not ended. */
  readonly pending: number;
  /** When the caller's last job was accepted, milliseconds since the epoch; undefined: there was none. */
  readonly lastJob: number | undefined;
}

/**
 * When a new job may start, in milliseconds since the epoch: `v2SubmitGeneratorJob` spreads the jobs of a caller
 * with a rate over the minute, from the second of the caller's last job. Undefined: at once.
 */
export function notBefore({ pending, lastJob = 0 }: Before, rule: RateRule, now: number): number | undefined {
  const { limit, window = MINUTE } = rule;
  if (pending === 0 && now - lastJob >= window) return undefined;
  const second = window / 60;
  const step = 60 / limit;
  const base = Math.ceil((lastJob || now) / second);
  const distance = Math.ceil(base / step) * step - base;
  return (base + (distance > 0 ? distance * pending : 0)) * second;
}

/** `v2GenerateEnqueue`: the start and what jobs take on average, which is told in steps of 10 ms. */
export function etaOf(startsAt: number, duration: number): number | undefined {
  const mean = Math.round(duration / 10) * 10;
  return mean > 0 && Number.isFinite(mean) ? startsAt + mean : undefined;
}
