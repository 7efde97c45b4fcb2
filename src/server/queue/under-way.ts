/** Works that have begun and not ended. */
export class UnderWay {
  readonly #all = new Set<Promise<unknown>>();

  async during<T>(work: Promise<T>): Promise<T> {
    this.#all.add(work);
    try {
      return await work;
    } finally {
      this.#all.delete(work);
    }
  }

  /** Resolves when those that are under way now have ended, however they did. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#all);
  }
}
