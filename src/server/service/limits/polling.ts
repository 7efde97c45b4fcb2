import type { Clock } from '../../../base/clock.ts';
import { EvictingMap } from '../../fairness/rate-limits.ts';
import type { Db } from '../../store/db.ts';
import type { JobRow } from '../../store/schema/tables.ts';
import type { Caller } from '../callers/caller.ts';
import { Refusal } from '../refusal.ts';
import { readRateLimit } from './rate-limit.ts';

/**
 * How often a caller may poll one job in so many milliseconds; callers with many jobs poll the list. The window ends
 * `early`: of a client that polls once a second, the first poll may have been late, for instance on a new connection.
 */
const LIMIT = { polls: 10, window: 10_000, early: 500 } as const;
/** Number of jobs above which those whose windows are over are forgotten. */
const MANY_JOBS = 10_000;

/** The polls of a job since the one that its window began with. */
interface Window {
  polls: number;
  /** When it is over (monotonic). */
  end: number;
}

/** Counts how often each job is polled. */
export class Polling {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #windows = new EvictingMap<Window>(MANY_JOBS);

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /**
   * Counts one poll of a job. @returns milliseconds until the next poll is allowed; 0: this one was within the limit
   */
  count(jobUuid: string): number {
    const now = this.#clock.monotonic();
    const isOver = ({ end }: Window) => now >= end;
    const begin = () => ({ polls: 0, end: now + LIMIT.window - LIMIT.early });
    const window = this.#windows.ensure(jobUuid, begin, isOver);
    if (isOver(window)) Object.assign(window, begin());
    window.polls++;
    return window.polls > LIMIT.polls ? Math.ceil(window.end - now) : 0;
  }
}

export interface PollingContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly polling: Polling;
}

/** Call with jobs of the caller only, so that there are never more counts than jobs it may have. @throws Refusal */
export async function verifyPolling(
  context: PollingContext,
  caller: Caller,
  { uuid }: Pick<JobRow, 'uuid'>,
): Promise<void> {
  const wait = context.polling.count(uuid);
  if (wait === 0) return;
  const now = context.clock.now();
  const next = { absolute: now + wait, relative: wait };
  throw new Refusal('rate_limit', {
    message: `A job may be requested ${LIMIT.polls} times in ${LIMIT.window / 1000} s; the list returns all of your jobs at once.`,
    rateLimit: { ...(await readRateLimit(context.db, caller, now)), next },
  });
}
