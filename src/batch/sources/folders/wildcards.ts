/**
 * One part of a pattern: `many` matches any number of items, including none; a function matches one item that passes.
 */
export type Part<T> = 'many' | ((item: T) => boolean);

/**
 * Whether the parts, in order, match all the items. Takes at most as many steps as the product of both lengths: at a
 * mismatch only the last `many` takes one more item, because the parts before it match already. A regular expression
 * would try every way to split the items, which can take for ever.
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
