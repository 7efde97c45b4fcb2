import type { Db } from './store.ts';

/**
 * The words of a name that a search goes by: its runs of letters and digits, in lower case. ASCII alone, so that
 * every database has them in the same order.
 */
export function wordsIn(text: string): string[] {
  return [...new Set(text.toLowerCase().match(/[a-z0-9]+/g) ?? [])];
}

/** The words that begin like this one. */
export function beginningWith(word: string): { readonly first: string; readonly last: string } {
  return { first: word, last: word.padEnd(LONGEST, 'z') };
}

/** Longer than any word of a name. */
const LONGEST = 64;

/** Of a skin that has none yet. */
export async function addWords(db: Db, skin_id: number, name: string | null): Promise<void> {
  const words = wordsIn(name ?? '');
  if (words.length === 0) return;
  await db
    .insertInto('skin_words')
    .values(words.map((word) => ({ word, skin_id })))
    .execute();
}

export async function replaceWords(db: Db, skin_id: number, name: string | null): Promise<void> {
  await db.deleteFrom('skin_words').where('skin_id', '=', skin_id).execute();
  await addWords(db, skin_id, name);
}
