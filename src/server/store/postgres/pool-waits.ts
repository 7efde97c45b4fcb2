import type { Pool } from 'pg';

/** Measures for how long work has been waiting for a connection without a break. */
export class PoolWaits {
  readonly #pool: Pick<Pool, 'waitingCount'>;
  readonly #now: () => number;
  /** When no work was waiting for the last time. */
  #freeAt: number;

  /** @param now a clock that never jumps, in milliseconds */
  constructor(pool: Pick<Pool, 'waitingCount'>, now = () => performance.now()) {
    this.#pool = pool;
    this.#now = now;
    this.#freeAt = now();
  }

  /** Call whenever work comes for a connection, or has got one. */
  look(): void {
    if (this.#pool.waitingCount === 0) this.#freeAt = this.#now();
  }

  get milliseconds(): number {
    return this.#pool.waitingCount === 0 ? 0 : this.#now() - this.#freeAt;
  }
}
