/**
 * Entries that are made when they are first needed. Idle ones are removed when there are more than `many` entries, then
 * again when the number has doubled: otherwise every new entry might scan all others.
 */
export class EvictingMap<Entry> {
  readonly #entries = new Map<string, Entry>();
  readonly #many: number;
  #most: number;

  constructor(many: number) {
    this.#many = many;
    this.#most = many;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  /** The entry of `key`; `make` is called if there is none. An entry for which `isIdle` is true may be removed first. */
  ensure(key: string, make: () => Entry, isIdle: (entry: Entry) => boolean): Entry {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    if (this.#entries.size >= this.#most) this.#evict(isIdle);
    const made = make();
    this.#entries.set(key, made);
    return made;
  }

  #evict(isIdle: (entry: Entry) => boolean): void {
    for (const [key, entry] of this.#entries) {
      if (isIdle(entry)) this.#entries.delete(key);
    }
    this.#most = Math.max(this.#many, 2 * this.#entries.size);
  }
}
