import { setTimeout as delay } from 'node:timers/promises';

/** Time as it is passed in, so that tests can move it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds from an arbitrary start: for durations, because it never jumps as `now` may. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with an AbortError when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => await delay(ms, undefined, { signal }),
};
