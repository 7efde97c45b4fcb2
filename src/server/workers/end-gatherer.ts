/**
 * Lets workers that make skin data at the same time record the ends of their jobs together. Those that are done wait
 * until they are at least as many as those that still work: of a batch, half a dozen jobs or more share a commit, a
 * search for ended jobs, and the submissions that follow. A worker that is the only one at work never waits.
 */
export class EndGatherer {
  /** Works under way. */
  #working = 0;
  /** Those that are done and wait. */
  #waiting: (() => void)[] = [];

  /** @param isWorthIt whether to wait for others after the work, because jobs take only milliseconds */
  async run<T>(work: () => Promise<T>, isWorthIt: () => boolean): Promise<T> {
    this.#working++;
    let result: T;
    try {
      result = await work();
    } catch (error) {
      this.#end(); // it neither waits for others nor keeps them waiting
      throw error;
    }
    await new Promise<void>((resolve) => {
      if (isWorthIt()) this.#waiting.push(resolve);
      else resolve();
      this.#end();
    });
    return result;
  }

  #end(): void {
    this.#working--;
    if (this.#waiting.length < this.#working) return;
    for (const goOn of this.#waiting.splice(0)) goOn();
  }
}
