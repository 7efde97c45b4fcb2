import { type Clock, sleepOrEvent } from '../base/clock.ts';

/** Wakes a task that waits for a change. A notification without a waiter is remembered once. */
export class WakeUpSignal {
  readonly #clock: Clock;
  #isNotified = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  notify(): void {
    this.#isNotified = true;
    this.#wake?.();
  }

  /** Resolves at the next notification, at once if there was one since the last wait, or after `ms`; rejects when aborted. */
  async wait(ms: number | undefined, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#isNotified) await this.#race(ms, signal);
    this.#isNotified = false;
    signal.throwIfAborted();
  }

  async #race(ms: number | undefined, signal: AbortSignal): Promise<void> {
    await sleepOrEvent(this.#clock, ms, (wake) => {
      this.#wake = wake;
      signal.addEventListener('abort', wake, { once: true });
      return () => {
        this.#wake = undefined;
        signal.removeEventListener('abort', wake);
      };
    });
  }
}

/** How work on a service is ended, in two steps. */
export interface StopSignals {
  /** No more submissions once aborted; those in flight may still finish. */
  readonly stop: AbortSignal;
  /** Also aborts requests in flight. */
  readonly hardStop: AbortSignal;
}
