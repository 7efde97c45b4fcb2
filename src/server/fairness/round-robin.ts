/** Items in the order in which they came, but one of each group in turn. */
export class RoundRobin<T> {
  readonly #groups = new Map<string, T[]>();
  #size = 0;

  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  /** The items of all groups. */
  get size(): number {
    return this.#size;
  }

  countOf(group: string): number {
    return this.#groups.get(group)?.length ?? 0;
  }

  add(group: string, item: T): void {
    const there = this.#groups.get(group);
    if (there) there.push(item);
    else this.#groups.set(group, [item]);
    this.#size++;
  }

  take(): T | undefined {
    const [first] = this.#groups;
    if (!first) return undefined;
    const [group, items] = first;
    const item = items.shift();
    this.#groups.delete(group);
    if (items.length > 0) this.#groups.set(group, items);
    this.#size--;
    return item;
  }
}
