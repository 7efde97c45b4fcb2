/** Milliseconds for which a failure to connect is answered to all who come, by chance up to twice as long. */
const PAUSE = 200;

/**
 * Protects a database that is down, or has just come back, from a flood of connections: after a failure this process
 * makes no attempt for a moment, and then a single one for all.
 */
export class ConnectionGate {
  readonly #now: () => number;
  /** Of the last attempt; undefined: it succeeded. */
  #failure: unknown;
  #closedUntil = 0;
  /** The attempt that all wait for; never rejects. */
  #trial: Promise<void> | undefined;

  /** @param now a clock that never jumps, in milliseconds */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** @throws what `connect` throws, or what another one threw just before */
  async pass<T>(connect: () => Promise<T>): Promise<T> {
    while (this.#failure !== undefined) {
      if (this.#now() < this.#closedUntil) throw this.#failure;
      if (!this.#trial) return await this.#tryForAll(connect);
      await this.#trial;
    }
    return await this.#attempt(connect);
  }

  async #tryForAll<T>(connect: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#trial = promise;
    try {
      return await this.#attempt(connect);
    } finally {
      this.#trial = undefined;
      resolve();
    }
  }

  async #attempt<T>(connect: () => Promise<T>): Promise<T> {
    try {
      const connection = await connect();
      this.#failure = undefined;
      return connection;
    } catch (error) {
      this.#failure = error;
      this.#closedUntil = this.#now() + PAUSE * (1 + Math.random());
      throw error;
    }
  }
}
