import { z } from 'zod';
import { AWAKE, type Clock, LONGEST_TIMER } from '../base/clock.ts';

/** When a double's time begins, milliseconds since the epoch: 2026-01-01 12:00 UTC. */
export const DOUBLE_START = Date.UTC(2026, 0, 1, 12);

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
  timer?: NodeJS.Timeout;
}

/** A double's time. It begins at a fixed instant and runs, or stands still until it is advanced. */
export class DoubleClock implements Clock {
  readonly isManual: boolean;
  readonly #begun = performance.now();
  #advanced = 0;
  #sleepers = new Set<Sleeper>();

  constructor({ isManual = false }: { readonly isManual?: boolean } = {}) {
    this.isManual = isManual;
  }

  now(): number {
    return DOUBLE_START + Math.floor(this.monotonic());
  }

  monotonic(): number {
    return this.#advanced + (this.isManual ? 0 : performance.now() - this.#begun);
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const sleeper: Sleeper = {
        at: this.monotonic() + Math.max(0, ms),
        wake: () => {
          this.#forget(sleeper);
          signal?.removeEventListener('abort', abort);
          resolve();
        },
      };
      const abort = () => {
        this.#forget(sleeper);
        reject(signal?.reason ?? AWAKE);
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#sleepers.add(sleeper);
      this.#arm(sleeper);
    });
  }

  /** Lets this many milliseconds pass at once; whatever was waiting for them continues. */
  advance(ms: number): void {
    this.#advanced += ms;
    for (const sleeper of [...this.#sleepers].sort((a, b) => a.at - b.at)) this.#arm(sleeper);
  }

  #arm(sleeper: Sleeper): void {
    clearTimeout(sleeper.timer);
    const left = sleeper.at - this.monotonic();
    if (left <= 0) return void setImmediate(sleeper.wake);
    if (this.isManual) return;
    sleeper.timer = setTimeout(() => this.#arm(sleeper), Math.min(left, LONGEST_TIMER));
  }

  #forget(sleeper: Sleeper): void {
    clearTimeout(sleeper.timer);
    this.#sleepers.delete(sleeper);
  }
}

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const FORM = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/;
/** Milliseconds: thirty days. */
const LONGEST = 30 * 24 * 3_600_000;

export const DURATION_FORM = 'must be a time such as 500ms, 1.5s, 2m or 1h';

/** A time in milliseconds, or a text such as 500ms, 1.5s, 2m or 1h. */
export const durationSchema = z
  .union([z.number().min(0).max(LONGEST), z.string().regex(FORM)], { error: DURATION_FORM })
  .transform((given) => (typeof given === 'number' ? given : millisecondsOf(given)));

function millisecondsOf(text: string): number {
  const [, number = '0', unit = 'ms'] = FORM.exec(text) ?? [];
  return Number(number) * UNITS[unit as keyof typeof UNITS];
}
