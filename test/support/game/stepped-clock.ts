import type { Clock } from '../../../src/base/clock.ts';

/** A clock that stands still until it is moved; a sleep ends when the clock is moved past its end. */
export class SteppedClock implements Clock {
  #now = Date.UTC(2026, 0, 1);
  readonly #start = this.#now;
  #sleepers: { readonly until: number; readonly wake: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now - this.#start;
  }

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#sleepers.push({ until: this.#now + milliseconds, wake: resolve });
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  }

  /** Wakes each sleeper at its time and lets it run. */
  async forward(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await settle();
    for (;;) {
      const [next] = this.#sleepers.filter(({ until }) => until <= end).toSorted((a, b) => a.until - b.until);
      if (!next) break;
      this.#now = Math.max(this.#now, next.until);
      this.#sleepers = this.#sleepers.filter((sleeper) => sleeper !== next);
      next.wake();
      await settle();
    }
    this.#now = end;
  }
}

async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
