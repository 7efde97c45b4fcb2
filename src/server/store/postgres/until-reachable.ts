import { type Clock, systemClock } from '../../../base/clock.ts';
import { isUnreachable, type StoreUnreachableError } from '../unreachable.ts';
import { StoreRefusedError } from './trouble.ts';

/** How long to wait for a store that cannot be reached yet. */
export interface Patience {
  /** Milliseconds; 0: not at all. */
  readonly limit: number;
  readonly signal?: AbortSignal;
  /** Called once, with the reason for the waiting. */
  readonly onWaiting?: (reason: string) => void;
}

/** Milliseconds between two attempts: doubled each time. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 2_000;

/** Opens a store as soon as it can be reached. @throws StoreUnreachableError when it has waited for long enough */
export async function untilReachable<T>(
  open: () => Promise<T>,
  { limit, signal, onWaiting }: Patience,
  clock: Clock = systemClock,
): Promise<T> {
  const until = clock.monotonic() + limit;
  for (let pause = FIRST_PAUSE; ; pause = Math.min(LONGEST_PAUSE, 2 * pause)) {
    try {
      return await open();
    } catch (error) {
      if (!isWorthWaiting(error) || clock.monotonic() + pause > until) throw error;
      if (pause === FIRST_PAUSE) onWaiting?.(error.message);
      await clock.sleep(pause, signal);
    }
  }
}

function isWorthWaiting(error: unknown): error is StoreUnreachableError {
  return isUnreachable(error) && !(error instanceof StoreRefusedError);
}
