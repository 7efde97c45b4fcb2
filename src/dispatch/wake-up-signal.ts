import type { Clock } from '../base/clock.ts';
import { sleepOrEvent } from '../base/sleeping.ts';

/** Wakes a task that waits for a change. A ring without a waiter is remembered once. */
export class Bell {
  readonly #clock: Clock;
  #rung = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Resolves at the next ring, at once if it rang since the last wait, or after `ms`; rejects when aborted. */
  async wait(ms: number | undefined, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#rung) await this.#race(ms, signal);
    this.#rung = false;
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
