import { type Clock, systemClock } from '../../../src/base/clock.ts';

/** So many times as fast as the machine's clock. */
export function hasty(times: number): Clock {
  return {
    now: () => systemClock.now() * times,
    monotonic: () => systemClock.monotonic() * times,
    sleep: (milliseconds, signal) => systemClock.sleep(milliseconds / times, signal),
  };
}

/** One of its minutes takes 0.6 s. */
export const hastyClock = hasty(100);
