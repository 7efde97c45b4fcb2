import type { Listed } from '../../index.ts';

const PAGE_SIZE = 128;

/** The first `limit` entries of a list that comes in pages, and whether there are more. */
export async function readPages<T>(
  limit: number,
  read: (page: { readonly after: string | undefined; readonly size: number }) => Promise<Listed<T>>,
): Promise<{ readonly entries: T[]; readonly isCut: boolean }> {
  const entries: T[] = [];
  let after: string | undefined;
  do {
    const page = await read({ after, size: Math.min(PAGE_SIZE, limit - entries.length) });
    entries.push(...page.entries);
    after = page.entries.length === 0 ? undefined : page.next;
  } while (after !== undefined && entries.length < limit);
  return { entries, isCut: after !== undefined };
}
