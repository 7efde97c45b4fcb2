import { type Clock, systemClock } from '../../../src/base/clock.ts';

/** The middle of a minute and of an hour of the clock: windows of usage end far from here. */
const START = Date.UTC(2026, 0, 1, 12, 30, 30);

/** A clock that stands still until it is moved. Sleeping takes real time. */
export class MovableClock implements Clock {
  #now = START;

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now - START;
  }

  forward(milliseconds: number): void {
    this.#now += milliseconds;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(milliseconds, signal);
  }
}
