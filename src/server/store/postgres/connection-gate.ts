/** Milliseconds for which a failure to connect is answered to all who come, by chance up to twice as long. */
const PAUSE = 200;

/**
 * Lets a database that is gone, or has just come back, not be overrun: after a failure to connect nobody of this process
 * tries again for a moment.
 */
export class ConnectionGate {
  #failure: unknown;
  #closedUntil = 0;

  /** @throws what `connect` throws, or what it threw just before */
  async pass<T>(connect: () => Promise<T>): Promise<T> {
    if (performance.now() < this.#closedUntil) throw this.#failure;
    try {
      return await connect();
    } catch (error) {
      this.#failure = error;
      this.#closedUntil = performance.now() + PAUSE * (1 + Math.random());
      throw error;
    }
  }
}
