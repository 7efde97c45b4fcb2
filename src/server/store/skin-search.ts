import { setImmediate } from 'node:timers/promises';
import { type RawBuilder, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { SkinVisibility } from '../../protocol/skin.ts';
import { countUpTo, type Db } from './db.ts';
import type { Tables } from './schema/tables.ts';
import {
  bigint,
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
import { POPULAR_DAYS } from './usage.ts';

export interface SkinSearch extends SkinSelection {
  /** Each must occur inside a word of the name, in lower case; empty: any name matches. */
  readonly words: readonly string[];
  readonly visibility?: SkinVisibility | undefined;
  readonly variant?: 'classic' | 'slim' | undefined;
  readonly tag?: string | undefined;
  readonly hasCape?: boolean | undefined;
  /** Whether the texture is at this address, without its scheme. */
  readonly textures?: { readonly at: string; readonly isThere: boolean } | undefined;
  /** Today, for the sort `week`. */
  readonly day: number;
  /** Matches before the page; default: none. */
  readonly skip?: number;
  /** Maximum number of skins read for the page. */
  readonly looks: number;
  /** Counts all matches, as far as `looks` and this number reach; default: none. */
  readonly countTo?: number | undefined;
}

export interface FoundSkins {
  readonly skins: SkinWithData[];
  /** Where the search stopped, if it did before the page was full. */
  readonly stoppedAt: SkinPlace | undefined;
  /** All matches from the first on, if they were counted. */
  readonly total: number | undefined;
}

/**
 * Skins read in one statement. Meanwhile, SQLite serves no other request; this many take about half a millisecond.
 */
const CHUNK = 200;
/** If more skins have a word or tag, the search reads the newest skins instead of its list. */
const MANY = 2_000;

/**
 * Skins by their names, visibility and variant, in the order of the list. The cost is bounded for any number of skins:
 * if a search combines common words and few names have all of them, a page may end before it is full.
 */
export async function searchSkins(db: Db, scope: SkinScope, search: SkinSearch): Promise<FoundSkins> {
  const { skip = 0, size, countTo = 0 } = search;
  const wanted = Math.max(skip + size, countTo);
  let isOver = false;
  const found: SkinPlace[] = [];
  let looks = 0;
  let last: SkinPlace | undefined;
  for await (const places of candidates(db, scope, search)) {
    const matches = await matching(db, scope, { ids: places.map(({ id }) => id), search });
    found.push(...places.filter(({ id }) => matches.has(id)));
    looks += places.length;
    last = places.at(-1);
    isOver = found.length >= wanted || looks >= search.looks;
    if (isOver) break;
    await setImmediate();
  }
  const shown = found.slice(skip, skip + size).map(({ id }) => id);
  const skins = await findSkinsByNumber(db, shown);
  const isShort = found.length < skip + size && looks >= search.looks;
  return { skins, stoppedAt: isShort ? last : undefined, total: isOver ? undefined : found.length };
}

/** Skins that may match, in the order of the list. */
async function* candidates(db: Db, scope: SkinScope, search: SkinSearch): AsyncGenerator<SkinPlace[]> {
  const { words, tag, before, sort = 'newest', day } = search;
  if (sort === 'week') return yield* inChunks(await popularThisWeek(db, scope, { before, day }));
  const lists = [
    ...words.map((word) => withWord(db, word)),
    ...(tag === undefined ? [] : [withTag(db, tag)]),
  ];
  const rarest = await shortest(db, lists);
  if (rarest === undefined) return yield* inOrder(db, scope, { before, sort });
  yield* inChunks(await skinsIn(db, scope, { list: rarest, before, sort }));
}

function* inChunks(places: readonly SkinPlace[]): Generator<SkinPlace[], void, void> {
  for (let first = 0; first < places.length; first += CHUNK) yield places.slice(first, first + CHUNK);
}

/** Skins of each day that may be among the most viewed of the week. */
const TOP_OF_DAY = 500;

/** The most viewed skins of the last days. Reads the top of each day only, so the cost is bounded. */
async function popularThisWeek(
  db: Db,
  scope: SkinScope,
  { before, day: today }: Pick<SkinSearch, 'before' | 'day'>,
): Promise<SkinPlace[]> {
  const views = new Map<number, number>();
  for (let day = today; day > today - POPULAR_DAYS; day--) {
    const top = await db
      .selectFrom('skin_days')
      .innerJoin('skins', 'skins.id', 'skin_days.skin_id')
      .select(['skin_days.skin_id', 'skin_days.views'])
      .where('day', '=', day)
      .where(scopeFilter(scope))
      .orderBy('skin_days.views', 'desc')
      .limit(TOP_OF_DAY)
      .execute();
    for (const { skin_id, views: some } of top) views.set(skin_id, (views.get(skin_id) ?? 0) + some);
  }
  const order = ([id, some]: [number, number], [otherId, others]: [number, number]) =>
    others - some || otherId - id;
  const places = [...views].toSorted(order).map(([id, some]) => ({ id, views: some }));
  const at = before === undefined ? 0 : places.findIndex(({ id }) => id === before.id) + 1;
  return at === 0 && before !== undefined ? [] : places.slice(at);
}

/** The numbers of skins that have something in common. */
type SkinNumbers = SelectQueryBuilder<Tables, 'skin_words' | 'skin_tags', { skin_id: number }>;

function withWord(db: Db, word: string): SkinNumbers {
  const { first, last } = prefixRange(word);
  return db.selectFrom('skin_words').select('skin_id').where('word', '>=', first).where('word', '<=', last);
}

function withTag(db: Db, tag: string): SkinNumbers {
  return db.selectFrom('skin_tags').select('skin_id').where('tag', '=', tag);
}

/** Undefined if all of them are long. */
async function shortest(db: Db, lists: readonly SkinNumbers[]): Promise<SkinNumbers | undefined> {
  let found: { list: SkinNumbers; length: number } | undefined;
  for (const list of lists) {
    const length = await countUpTo(db, list, MANY + 1);
    if (length <= MANY && length < (found?.length ?? Number.POSITIVE_INFINITY)) found = { list, length };
    await setImmediate();
  }
  return found?.list;
}

/** Reads all matches, because there are few. None are out of scope; otherwise, the time of a search would reveal the words of their names. */
async function skinsIn(
  db: Db,
  scope: SkinScope,
  { list, before, sort }: { list: SkinNumbers; before: SkinPlace | undefined; sort: SkinSort },
): Promise<SkinPlace[]> {
  const places = await db
    .selectFrom('skins')
    .select(['id', 'views'])
    .where(scopeFilter(scope))
    .where('id', 'in', list)
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
  const { words, visibility, variant, tag, hasCape, textures } = search;
  let query = db
    .selectFrom('skins')
    .innerJoin('texture_data', 'texture_data.identity', 'skins.identity')
    .select('skins.id')
    .where('skins.id', 'in', ids)
    .where(scopeFilter(scope));
  if (visibility !== undefined) query = query.where('skins.visibility', '=', visibility);
  if (variant !== undefined) query = query.where('texture_data.variant', '=', variant);
  if (hasCape !== undefined) query = query.where('texture_data.cape_hash', hasCape ? 'is not' : 'is', null);
  if (textures !== undefined) query = query.where(hasTexturesAt(textures));
  if (tag !== undefined) query = query.where(hasTag(tag));
  for (const word of words) query = query.where(hasWord(word));
  return new Set((await query.execute()).map(({ id }) => id));
}

function hasTexturesAt({ at, isThere }: NonNullable<SkinSearch['textures']>): RawBuilder<SqlBool> {
  const there = sql<SqlBool>`(texture_data.url like ${`http://${at}/%`} or texture_data.url like ${`https://${at}/%`})`;
  return isThere ? there : sql`not ${there}`;
}

function hasTag(tag: string): RawBuilder<SqlBool> {
  return sql`exists (select 1 from skin_tags where skin_id = skins.id and tag = ${tag})`;
}

/** Skins with a word that begins like this one. */
function hasWord(start: string): RawBuilder<SqlBool> {
  const { first, last } = prefixRange(start);
  return sql`exists
    (select 1 from skin_words where skin_id = skins.id and word between ${first} and ${last})`;
}

/** The lowest and highest number of the public skins; undefined: there are none. */
export async function publicRange(db: Db): Promise<{ first: number; last: number } | undefined> {
  const ids = db.selectFrom('skins').select('skins.id').where(scopeFilter('public')).limit(1);
  const first = await ids.orderBy('skins.id').executeTakeFirst();
  const last = await ids.orderBy('skins.id', 'desc').executeTakeFirst();
  return first && last && { first: first.id, last: last.id };
}

/** For each of these numbers, the first public skin with it or a higher one, in a single statement. */
export async function publicSkinsFrom(db: Db, starts: readonly number[]): Promise<number[]> {
  const next = db
    .selectFrom('skins')
    .select('skins.id')
    .where(scopeFilter('public'))
    .where('skins.id', '>=', sql<number>`starts.at`)
    .orderBy('skins.id')
    .limit(1);
  const values = sql.join(starts.map((at) => sql`(${bigint(at)})`));
  const { rows } = await sql<{ id: number | null }>`with starts (at) as (values ${values})
    select (${next}) as id from starts`.execute(db);
  return rows.flatMap(({ id }) => id ?? []);
}

/** A page of public skins, newest first. */
export async function publicSkinsAt(
  db: Db,
  { offset, size }: { offset: number; size: number },
): Promise<SkinWithData[]> {
  const rows = await db
    .selectFrom('skins')
    .select('skins.id')
    .where(scopeFilter('public'))
    .orderBy('skins.id', 'desc')
    .offset(offset)
    .limit(size)
    .execute();
  return await findSkinsByNumber(
    db,
    rows.map(({ id }) => id),
  );
}

/** The most frequent tags of the `among` newest public skins, which bounds the cost. */
export async function frequentTags(
  db: Db,
  { among, size }: { readonly among: number; readonly size: number },
): Promise<string[]> {
  const newest = db
    .selectFrom('skins')
    .select('id')
    .where(scopeFilter('public'))
    .orderBy('id', 'desc')
    .limit(among);
  const rows = await db
    .selectFrom(newest.as('newest'))
    .innerJoin('skin_tags', 'skin_tags.skin_id', 'newest.id')
    .select('tag')
    .groupBy('tag')
    .orderBy((eb) => eb.fn.countAll(), 'desc')
    .orderBy('tag')
    .limit(size)
    .execute();
  return rows.map(({ tag }) => tag);
}
