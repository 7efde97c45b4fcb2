import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Clock } from '../../../base/clock.ts';
import type { Db } from '../../store/db.ts';
import type { JobRow } from '../../store/schema/job-tables.ts';
import type { Caller } from '../callers/caller.ts';
import { Refusal } from '../refusals/refusal.ts';
import { readRateLimit } from './rate-limit.ts';

/** How often a caller may poll one job, starting with the first request; callers with many jobs poll the list. */
const LIMIT = { points: 10, duration: 10 } as const;

/**
 * Counts how often each job is polled. A count lives exactly as long as its window. Windows follow the machine's own
 * clock, whose timers do not keep the process alive.
 */
export class Polling {
  readonly #limiter = new RateLimiterMemory(LIMIT);

  /**
   * Counts one poll of a job. @returns milliseconds until the next poll is allowed; 0: this one was within the limit
   */
  async count(jobUuid: string): Promise<number> {
    try {
      await this.#limiter.consume(jobUuid);
      return 0;
    } catch (thrown) {
      if (thrown instanceof RateLimiterRes) return thrown.msBeforeNext;
      throw thrown;
    }
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
  { uuid }: JobRow,
): Promise<void> {
  const wait = await context.polling.count(uuid);
  if (wait === 0) return;
  const now = context.clock.now();
  const next = { absolute: now + wait, relative: wait };
  throw new Refusal('rate_limit', {
    message: `A job may be requested ${LIMIT.points} times in ${LIMIT.duration} s; the list returns all of your jobs at once.`,
    rateLimit: { ...(await readRateLimit(context.db, caller, now)), next },
  });
}
