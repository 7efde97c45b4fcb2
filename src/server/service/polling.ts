import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { JobRow } from '../store/tables.ts';
import type { Caller } from './caller.ts';
import type { ServiceContext } from './context.ts';
import { readRateLimit } from './rate-limit.ts';
import { Refusal } from './refusal.ts';

/** How often one job may be asked for, from the first time on; who has many jobs asks for the list. */
const LIMIT = { points: 10, duration: 10 } as const;

/**
 * Counts how often each job is asked for. A count lives as long as its window and no longer; it goes by the
 * machine's own clock, whose timers do not keep the process alive.
 */
export class Polling {
  readonly #limiter = new RateLimiterMemory(LIMIT);

  /** Counts one look at a job. @returns milliseconds until it may be looked at again; 0: this one was within the limit */
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

/** To be called with jobs of the caller only: then there are no more counts than jobs it may have. @throws Refusal */
export async function verifyPolling(
  context: ServiceContext,
  caller: Caller,
  { uuid }: JobRow,
): Promise<void> {
  const wait = await context.polling.count(uuid);
  if (wait === 0) return;
  const now = context.clock.now();
  const next = { absolute: now + wait, relative: wait };
  throw new Refusal('rate_limit', {
    message: `A job may be asked for ${LIMIT.points} times in ${LIMIT.duration} s; the list has all of your jobs at once.`,
    rateLimit: { ...(await readRateLimit(context.db, caller, now)), next },
  });
}
