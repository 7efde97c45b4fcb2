/** A page of this server, or the short address of one. */
export type LocalPath = `/ui${string}` | `/s/${string}`;

/** An address with a query. Its empty fields are left out. */
export function addressWith<Path extends LocalPath>(
  path: Path,
  query: Readonly<Record<string, string | undefined>>,
): Path | `${Path}?${string}` {
  const given = Object.entries(query).filter((field): field is [string, string] => Boolean(field[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
