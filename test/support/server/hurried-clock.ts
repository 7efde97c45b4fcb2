import { onTestFinished } from 'vitest';
import { DoubleClock } from '../../../src/double/clock.ts';

/** Milliseconds between two steps. */
const PAUSE = 2;

/**
 * How many times as fast as the system's a clock may be for jobs that take long: a worker renews its lease of 15 s every
 * 5 s of the system's clock, so above 3 others take the job over.
 */
export const WITH_RENEWALS = 2;

/**
 * A clock for tests that would only wait: some ten times as fast as the system's, or `times`. It hurries in steps,
 * between which the event loop turns, so that on a busy machine what is ready has run before the next one. What it
 * measures must run in this process. It ends with the test.
 */
export function hurriedClock(times = 10): DoubleClock {
  return hurry(new DoubleClock(), times);
}

/** From now on this clock hurries. */
export function hurry(clock: DoubleClock, times = 10): DoubleClock {
  const steps = setInterval(() => clock.advance(PAUSE * times), PAUSE);
  onTestFinished(() => clearInterval(steps));
  return clock;
}
