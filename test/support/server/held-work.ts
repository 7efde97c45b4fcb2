import { type Clock, systemClock } from '../../../src/base/clock.ts';

/** Minimum milliseconds of a generation: longer than any test waits. */
const PACE = 3_600_000;

/** Generations that end when the test ends them, however slow the machine: `runServer({ ...work.options })`. */
export class HeldWork implements Clock {
  readonly #released = Promise.withResolvers<void>();

  get options(): { readonly clock: Clock; readonly pace: number } {
    return { clock: this, pace: PACE };
  }

  /** Ends all generations, also later ones. */
  release(): void {
    this.#released.resolve();
  }

  now(): number {
    return systemClock.now();
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (milliseconds !== PACE) return await systemClock.sleep(milliseconds, signal);
    const cut = Promise.withResolvers<void>();
    signal?.addEventListener('abort', () => cut.reject(signal.reason), { once: true });
    await Promise.race([this.#released.promise, cut.promise]);
  }
}
