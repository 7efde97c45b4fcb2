/** Releases resources at the end, the last one first, each once, and all of them even if one fails. */
export class Releases {
  #stack: (() => void | Promise<void>)[] = [];

  add(release: () => void | Promise<void>): void {
    this.#stack.push(release);
  }

  /** @throws AggregateError when several of them failed, after all were tried */
  async releaseAll(): Promise<void> {
    const errors: unknown[] = [];
    for (let release = this.#stack.pop(); release; release = this.#stack.pop()) {
      try {
        await release();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, 'Several things could not be closed.');
  }
}
