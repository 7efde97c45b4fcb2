/** What one part of a pattern stands for: `many` for any number of items, none included; else for one that passes. */
export type Part<T> = 'many' | ((item: T) => boolean);

/**
 * Whether the parts, in their order, stand for all the items. It takes at most as many steps as the product of both
 * lengths: only the last `many` is ever given more items, since with fewer the parts before it were content already. A
 * regular expression would try every way to deal the items out among all of them, which can take for ever.
 */
export function standFor<T>(parts: readonly Part<T>[], items: readonly T[]): boolean {
  let [part, item, many, given] = [0, 0, -1, 0];
  while (item < items.length) {
    const one = parts[part];
    if (one === 'many') [many, given] = [part++, item];
    else if (one?.(items[item] as T)) [part, item] = [part + 1, item + 1];
    else if (many === -1) return false;
    else [part, item] = [many + 1, ++given];
  }
  while (parts[part] === 'many') part++;
  return part === parts.length;
}
