import type { Db } from './db.ts';

/**
 * The words of a name that a search uses: its runs of letters and digits, in lower case. Only ASCII, so that every
 * database sorts them the same way.
 */
export function wordsIn(text: string): string[] {
  return [...new Set(text.toLowerCase().match(/[a-z0-9]+/g) ?? [])];
}

/**
 * What is stored for a name: its words and all their suffixes. Any part of a word is then a prefix of a stored entry,
 * and one range of an ordinary index finds it, however short, in every database. A name has as many entries as letters;
 * trigrams would be as many, and would not match one or two letters.
 */
export function endsIn(name: string): string[] {
  return [...new Set(wordsIn(name).flatMap((word) => Array.from(word, (_, at) => word.slice(at))))];
}

/** The range of entries with this prefix. */
export function beginningWith(word: string): { readonly first: string; readonly last: string } {
  return { first: word, last: word.padEnd(LONGEST, 'z') };
}

/** Longer than any word of a name. */
const LONGEST = 64;

/** For a skin that has none yet. */
export async function addWords(db: Db, skin_id: number, name: string | null): Promise<void> {
  const words = endsIn(name ?? '').map((word) => ({ word, skin_id }));
  if (words.length > 0) await db.insertInto('skin_words').values(words).execute();
}

export async function replaceWords(db: Db, skin_id: number, name: string | null): Promise<void> {
  await db.deleteFrom('skin_words').where('skin_id', '=', skin_id).execute();
  await addWords(db, skin_id, name);
}
