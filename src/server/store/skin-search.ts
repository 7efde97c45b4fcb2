import { setImmediate } from 'node:timers/promises';
import { beginningWith } from './skin-words.ts';
import { findSkinsByNumber, isIn, type SkinPage, type SkinScope, type SkinWithData } from './skins.ts';
import type { Db } from './store.ts';

export interface SkinSearch extends SkinPage {
  /** Each must be the beginning of a word of the name; in lower case, one at least. */
  readonly words: readonly string[];
}

export interface FoundSkins {
  readonly skins: SkinWithData[];
  /** Where the search was broken off, when that was before the page was full. */
  readonly stoppedAt: number | undefined;
}

/** Skins looked at in one statement, so that other requests need not wait for a search. */
const CHUNK = 500;
/** A word that more names begin with than this is looked for among the newest skins, not in the list of words. */
const MANY = 2_000;
/** Skins looked at for one page. */
const MOST_LOOKS = 20_000;

/**
 * Skins by the words of their names, newest first. What it costs is bounded, however many skins there are: where
 * words that many names have are wanted together and few have both, a page may end before it is full.
 */
export async function searchSkins(db: Db, scope: SkinScope, search: SkinSearch): Promise<FoundSkins> {
  const found: number[] = [];
  let looks = 0;
  let last: number | undefined;
  for await (const ids of candidates(db, scope, search)) {
    found.push(...(await matching(db, scope, { ids, words: search.words })));
    looks += ids.length;
    last = ids.at(-1);
    if (found.length >= search.size || looks >= MOST_LOOKS) break;
    await setImmediate();
  }
  const skins = await findSkinsByNumber(db, found.slice(0, search.size));
  const isShort = found.length < search.size && looks >= MOST_LOOKS;
  return { skins, stoppedAt: isShort ? last : undefined };
}

/** Numbers of skins that may match, highest first. */
async function* candidates(db: Db, scope: SkinScope, search: SkinSearch): AsyncGenerator<number[]> {
  const rarest = await rarestWord(db, search.words);
  if (rarest.count > MANY) return yield* newest(db, scope, search.before);
  const ids = await skinsWithWord(db, rarest.word, search.before);
  for (let first = 0; first < ids.length; first += CHUNK) yield ids.slice(first, first + CHUNK);
}

async function rarestWord(db: Db, words: readonly string[]): Promise<{ word: string; count: number }> {
  const counted = [];
  for (const word of words) counted.push({ word, count: await countUpToMany(db, word) });
  return counted.toSorted((a, b) => a.count - b.count)[0] ?? { word: '', count: 0 };
}

async function countUpToMany(db: Db, word: string): Promise<number> {
  const { first, last } = beginningWith(word);
  const { count } = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('skin_words')
        .select('skin_id')
        .where('word', '>=', first)
        .where('word', '<=', last)
        .limit(MANY + 1)
        .as('some'),
    )
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** All of them are read: there are few. */
async function skinsWithWord(db: Db, word: string, before: number | undefined): Promise<number[]> {
  const { first, last } = beginningWith(word);
  const rows = await db
    .selectFrom('skin_words')
    .select('skin_id')
    .distinct()
    .where('word', '>=', first)
    .where('word', '<=', last)
    .execute();
  const ids = rows.map(({ skin_id }) => skin_id).toSorted((a, b) => b - a);
  return before === undefined ? ids : ids.filter((id) => id < before);
}

async function* newest(db: Db, scope: SkinScope, start: number | undefined): AsyncGenerator<number[]> {
  for (let before = start; ; ) {
    let query = db.selectFrom('skins').select('id').where(isIn(scope)).orderBy('id', 'desc').limit(CHUNK);
    if (before !== undefined) query = query.where('id', '<', before);
    const ids = (await query.execute()).map(({ id }) => id);
    if (ids.length > 0) yield ids;
    if (ids.length < CHUNK) return;
    before = ids.at(-1);
  }
}

/** Those of these skins that are to be found and have all the words, highest number first. */
async function matching(
  db: Db,
  scope: SkinScope,
  { ids, words }: { ids: readonly number[]; words: readonly string[] },
): Promise<number[]> {
  let query = db.selectFrom('skins').select('id').where('id', 'in', ids).where(isIn(scope));
  for (const word of words) {
    const { first, last } = beginningWith(word);
    query = query.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('skin_words')
          .select('word')
          .whereRef('skin_words.skin_id', '=', 'skins.id')
          .where('word', '>=', first)
          .where('word', '<=', last),
      ),
    );
  }
  return (await query.execute()).map(({ id }) => id).toSorted((a, b) => b - a);
}
