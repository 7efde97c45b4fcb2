import type { Pool } from 'pg';

/** For how long there has always been work that waits for a connection. */
export class PoolWaits {
  readonly #pool: Pick<Pool, 'waitingCount'>;
  readonly #now: () => number;
  /** When none waited. */
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
