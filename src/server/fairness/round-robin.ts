/** Items in the order in which they came, but one of each group in turn. */
export class RoundRobin<T> {
  readonly #groups = new Map<string, T[]>();

  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  add(group: string, item: T): void {
    const there = this.#groups.get(group);
    if (there) there.push(item);
    else this.#groups.set(group, [item]);
  }

  take(): T | undefined {
    const [first] = this.#groups;
    if (!first) return undefined;
    const [group, items] = first;
    const item = items.shift();
    this.#groups.delete(group);
    if (items.length > 0) this.#groups.set(group, items);
    return item;
  }
}
