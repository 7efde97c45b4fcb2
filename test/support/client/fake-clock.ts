import type { Clock } from '../../../src/base/clock.ts';

/** A clock that stands still until someone sleeps, and then jumps to the end of the sleep. */
export interface FakeClock extends Clock {
  /** How long each sleep was, in their order. */
  readonly sleeps: number[];
}

export const START = Date.UTC(2026, 0, 1);

export function fakeClock(start = START): FakeClock {
  let time = start;
  const sleeps: number[] = [];
  const sleep = async (ms: number, signal?: AbortSignal) => {
    signal?.throwIfAborted();
    sleeps.push(ms);
    time += ms;
  };
  return { now: () => time, monotonic: () => time - start, sleep, sleeps };
}
