import type { Absence } from './lag.ts';

/** What is known of a running job. All times are milliseconds of one monotonic clock. */
export interface RunningJob {
  /** When the service accepted it. */
  readonly acceptedAt: number;
  /** The service's estimate of its duration from then on, if given. */
  readonly eta: number | undefined;
  /** When it was last seen unfinished; absent: when it was accepted. */
  readonly seenAt?: number | undefined;
  /** When it was last polled singly; absent: never. */
  readonly polledAt?: number | undefined;
  /** The service did not know it when it was last polled. */
  readonly absent?: Absence | undefined;
}

export interface LookState {
  readonly now: number;
  /** When the last list request began. */
  readonly lastLook: number;
  /** Duration of a short request, milliseconds. */
  readonly roundTrip: number;
  /** Whether all jobs in the queue are this process's own, so that no other process needs a list. */
  readonly isAlone?: boolean;
}

/** Milliseconds; jobs that take longer are called long, and the list is requested at most twice a second for them. */
export const LONG_JOB = 1_000;
/** An eta further off than this is ignored: a wrong clock, or seconds instead of milliseconds. */
const PLAUSIBLE_ETA = 60_000;
/** Minimum pause between two polls of the same job. */
const POLL_GAP = 1_000;

export function isPlausible(eta: number | undefined): eta is number {
  return eta !== undefined && eta > 0 && eta <= PLAUSIBLE_ETA;
}

/** The pause grows by this part of the time for which the service has not known the job. */
const ABSENT_GROWTH = 0.25;

/** From when on the job may be polled singly again. */
export function pollableAt({ polledAt, absent }: RunningJob): number {
  if (polledAt === undefined) return 0;
  const missing = absent ? absent.at - absent.since : 0;
  return polledAt + Math.max(POLL_GAP, ABSENT_GROWTH * missing);
}
