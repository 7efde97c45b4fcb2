/** Lists are read page by page: `after` is the place of the last entry of the page before. */

/** The place of a page's last entry, if more may follow: the page is full. */
export function placeAfter<Entry, Place>(
  entries: readonly Entry[],
  size: number,
  placeOf: (entry: Entry) => Place,
): Place | undefined {
  const last = entries.length === size ? entries.at(-1) : undefined;
  return last && placeOf(last);
}

/** What a page was asked with: its size, its place, and the filters, of which empty ones are left out. */
interface PageQuery {
  readonly size: number;
  readonly after?: string | number | undefined;
  readonly [filter: string]: string | number | undefined;
}

/** The links of a page of the list at `path`. `next`: the place after which the next page begins, if there is one. */
export function pageLinks(path: string, query: PageQuery, next: string | undefined): Record<string, string> {
  const { size, after, ...filters } = query;
  const address = (place: string | number | undefined) => {
    const all = { size, ...filters, after: place };
    const given = Object.entries(all).flatMap(([name, value]): [string, string][] =>
      value === undefined || value === '' ? [] : [[name, String(value)]],
    );
    return `${path}?${new URLSearchParams(given)}`;
  };
  return { self: address(after), ...(next !== undefined && { next: address(next) }) };
}
