import { setImmediate } from 'node:timers/promises';
import type { SkinVisibility } from '../../protocol/skin.ts';
import type { Db } from './db.ts';
import {
  findSkinsByNumber,
  pageOf,
  prefixRange,
  type SkinPlace,
  type SkinScope,
  type SkinSelection,
  type SkinSort,
  type SkinWithData,
  scopeFilter,
} from './skins.ts';

export interface SkinSearch extends SkinSelection {
  /** Each must occur inside a word of the name, in lower case; empty: any name matches. */
  readonly words: readonly string[];
  readonly visibility?: SkinVisibility | undefined;
  readonly variant?: 'classic' | 'slim' | undefined;
  /** Matches before the page; default: none. */
  readonly skip?: number;
  /** Maximum number of skins read for the page. */
  readonly looks: number;
}

export interface FoundSkins {
  readonly skins: SkinWithData[];
  /** Where the search stopped, if it did before the page was full. */
  readonly stoppedAt: SkinPlace | undefined;
}

/**
 * Skins read in one statement. Meanwhile, SQLite serves no other request; this many take about half a millisecond.
 */
const CHUNK = 200;
/** If more names contain a word, the search reads the newest skins instead of the list of words. */
const MANY = 2_000;

/**
 * Skins by their names, visibility and variant, in the order of the list. The cost is bounded for any number of skins:
 * if a search combines common words and few names have all of them, a page may end before it is full.
 */
export async function searchSkins(db: Db, scope: SkinScope, search: SkinSearch): Promise<FoundSkins> {
  const { skip = 0, size } = search;
  const found: SkinPlace[] = [];
  let looks = 0;
  let last: SkinPlace | undefined;
  for await (const places of candidates(db, scope, search)) {
    const matches = await matching(db, scope, { ids: places.map(({ id }) => id), search });
    found.push(...places.filter(({ id }) => matches.has(id)));
    looks += places.length;
    last = places.at(-1);
    if (found.length >= skip + size || looks >= search.looks) break;
    await setImmediate();
  }
  const shown = found.slice(skip, skip + size).map(({ id }) => id);
  const skins = await findSkinsByNumber(db, shown);
  const isShort = found.length < skip + size && looks >= search.looks;
  return { skins, stoppedAt: isShort ? last : undefined };
}

/** Skins that may match, in the order of the list. */
async function* candidates(db: Db, scope: SkinScope, search: SkinSearch): AsyncGenerator<SkinPlace[]> {
  const { words, before, sort = 'newest' } = search;
  const rarest = words.length === 0 ? undefined : await rarestWord(db, words);
  if (rarest === undefined || rarest.count > MANY) return yield* inOrder(db, scope, { before, sort });
  const places = await skinsWithWord(db, scope, { word: rarest.word, before, sort });
  for (let first = 0; first < places.length; first += CHUNK) yield places.slice(first, first + CHUNK);
}

async function rarestWord(db: Db, words: readonly string[]): Promise<{ word: string; count: number }> {
  const counted = [];
  for (const word of words) {
    counted.push({ word, count: await countUpToMany(db, word) });
    await setImmediate();
  }
  return counted.toSorted((a, b) => a.count - b.count)[0] ?? { word: '', count: 0 };
}

async function countUpToMany(db: Db, word: string): Promise<number> {
  const { first, last } = prefixRange(word);
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

/** Reads all matches, because there are few. None are out of scope; otherwise, the time of a search would reveal the words of their names. */
async function skinsWithWord(
  db: Db,
  scope: SkinScope,
  { word, before, sort }: { word: string; before: SkinPlace | undefined; sort: SkinSort },
): Promise<SkinPlace[]> {
  const { first, last } = prefixRange(word);
  const places = await db
    .selectFrom('skins')
    .select(['id', 'views'])
    .where(scopeFilter(scope))
    .where('id', 'in', (words) =>
      words.selectFrom('skin_words').select('skin_id').where('word', '>=', first).where('word', '<=', last),
    )
    .execute();
  const order = (a: SkinPlace, b: SkinPlace) => (sort === 'popular' && b.views - a.views) || b.id - a.id;
  const sorted = places.toSorted(order);
  return before === undefined ? sorted : sorted.filter((place) => order(before, place) < 0);
}

async function* inOrder(
  db: Db,
  scope: SkinScope,
  { before: start, sort }: { before: SkinPlace | undefined; sort: SkinSort },
): AsyncGenerator<SkinPlace[]> {
  for (let before = start; ; ) {
    const places = await pageOf(db, scope, { before, sort, size: CHUNK }).select(['id', 'views']).execute();
    if (places.length > 0) yield places;
    if (places.length < CHUNK) return;
    before = places.at(-1);
  }
}

/** The given skins that are in scope and match the search. */
async function matching(
  db: Db,
  scope: SkinScope,
  { ids, search }: { ids: readonly number[]; search: SkinSearch },
): Promise<ReadonlySet<number>> {
  const { words, visibility, variant } = search;
  let query = db
    .selectFrom('skins')
    .select('skins.id')
    .where('skins.id', 'in', ids)
    .where(scopeFilter(scope));
  if (visibility !== undefined) query = query.where('skins.visibility', '=', visibility);
  if (variant !== undefined) {
    query = query
      .innerJoin('texture_data', 'texture_data.identity', 'skins.identity')
      .where('texture_data.variant', '=', variant);
  }
  for (const word of words) {
    const { first, last } = prefixRange(word);
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
  return new Set((await query.execute()).map(({ id }) => id));
}
