import { AWAKE, type Clock } from '../base/clock.ts';

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
    const timer = new AbortController();
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true, signal: timer.signal });
    });
    const slept = ms === undefined ? woken : this.#clock.sleep(ms, timer.signal);
    const late = slept.catch((error: unknown) => {
      if (!timer.signal.aborted) throw error; // otherwise we ended it ourselves
    });
    try {
      await Promise.race([woken, late]);
    } finally {
      this.#wake = undefined;
      timer.abort(AWAKE);
    }
  }
}
