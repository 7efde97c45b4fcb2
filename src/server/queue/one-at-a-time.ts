/** Runs works one after the other, in the order in which they came. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  async run<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const done = before.then(work, work);
    this.#last = done.catch(() => {});
    return await done;
  }
}
