import { onTestFinished } from 'vitest';
import { DoubleClock } from '../../../src/double/clock.ts';

/** Milliseconds of this process, and how far the clock goes in them. */
const PAUSE = 5;
const STEP = 100;

/**
 * A clock for tests that would only wait. It goes on in steps, between which the event loop turns: what is ready has run
 * before the next step, however slow the machine is. What it measures must run in this process. It ends with the test.
 */
export function hurriedClock(): DoubleClock {
  return hurry(new DoubleClock({ isManual: true }));
}

/** From now on this clock hurries. */
export function hurry(clock: DoubleClock): DoubleClock {
  const steps = setInterval(() => clock.advance(STEP), PAUSE);
  onTestFinished(() => clearInterval(steps));
  return clock;
}
