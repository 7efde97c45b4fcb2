interface Page {
  readonly next: string | undefined;
}

/**
 * The entries of all pages, in order. Each page is read when its first entry is wanted. A page that names itself as the
 * next one is the last: the service ignored `after`.
 */
export async function* allPages<P extends Page, T>(
  read: (after: string | undefined) => Promise<P>,
  entriesOf: (page: P) => readonly T[],
): AsyncGenerator<T, void, void> {
  let after: string | undefined;
  do {
    const page: P = await read(after);
    yield* entriesOf(page);
    after = page.next === after ? undefined : page.next;
  } while (after !== undefined);
}
