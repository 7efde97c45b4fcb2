/** A map that keeps only a limited number of the latest entries. */
export class Recent<V> {
  readonly #kept = new Map<string, V>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get(name: string): V | undefined {
    return this.#kept.get(name);
  }

  set(name: string, value: V): void {
    this.#kept.delete(name);
    this.#kept.set(name, value);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#most && oldest !== undefined) this.#kept.delete(oldest);
  }

  delete(name: string): void {
    this.#kept.delete(name);
  }
}
