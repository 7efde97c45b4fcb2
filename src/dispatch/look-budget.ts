import { LONG_JOB } from './running-job.ts';

/** Average number of list requests that all processes of a caller may make per wave of jobs. */
const PER_WAVE = 1.5;
/** Milliseconds between two requests for long jobs, also while nothing is known: a little over half a second. */
const GAP = 520;
/** At most one request can be saved up, so that two can follow each other. */
const SAVED = 1;

/** When the caller last requested the list, and how much of the budget is spent. */
export interface LookAccount {
  /** Milliseconds since the last request. */
  readonly age: number;
  /** Requests not yet earned back by time, as of the last one. */
  readonly spent: number;
  /** Typical duration of a job, milliseconds; undefined while unknown. */
  readonly typical: number | undefined;
}

/** Milliseconds until the next request; 0: now. */
export function untilLook(account: LookAccount): number {
  const { age, typical } = account;
  const gap = typical !== undefined && typical <= LONG_JOB ? 0 : GAP;
  const over = typical === undefined ? 0 : ((spentNow(account) - SAVED) * typical) / PER_WAVE;
  return Math.max(0, Math.ceil(gap - age), Math.ceil(over));
}

/** The spent budget after a request. */
export function spentBy(account: LookAccount): number {
  return Math.min(SAVED + 1, spentNow(account) + 1);
}

function spentNow({ age, spent, typical }: LookAccount): number {
  return typical === undefined ? 0 : Math.max(0, spent - (age * PER_WAVE) / typical);
}
