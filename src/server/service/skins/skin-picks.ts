import { randomInt } from 'node:crypto';
import { SHORT_ID_LENGTH } from '../../../protocol/skin.ts';
import type { Db } from '../../store/db.ts';
import {
  countSkins,
  findSkinsByNumber,
  publicRange,
  publicSkinsAt,
  publicSkinsFrom,
  type SkinWithData,
  skinsBeginningWith,
  wordsIn,
} from '../../store/skins.ts';
import { type Caller, hasScope } from '../callers/caller.ts';
import type { WebPages } from '../callers/web-pages.ts';
import { Refusal } from '../refusal.ts';
import type { SearchContext } from './skins.ts';

/** Numbered pages end after this many public skins: version 2 pages by the last skin instead. */
const DEEPEST = 10_000;
/** The same for search results. */
const DEEPEST_SEARCH = 1_000;

/** Up to `size` different public skins, picked at random. */
export async function readRandomSkins({ db }: { readonly db: Db }, size: number): Promise<SkinWithData[]> {
  const range = await publicRange(db);
  if (!range) return [];
  const starts = Array.from({ length: 2 * size }, () => randomInt(range.first, range.last + 1));
  const picked = new Set(await publicSkinsFrom(db, starts));
  return await findSkinsByNumber(db, [...picked].slice(0, size));
}

/** A numbered page of public skins, as in version 1. */
export interface NumberedPage {
  /** Starts at 1. */
  readonly page: number;
  readonly size: number;
  /** Only skins whose names contain each of these words, inside a word of the name. */
  readonly filter?: string | undefined;
}

/**
 * One page of the public skins, newest first. `total`: skins on all pages, if cheap to determine.
 * @throws Refusal when too many search
 */
export async function readPublicPage(
  context: SearchContext,
  caller: Caller,
  { page, size, filter }: NumberedPage,
): Promise<{ skins: SkinWithData[]; total: number | undefined }> {
  const offset = (page - 1) * size;
  if (filter)
    return { skins: await searchedPage(context, caller, { filter, offset, size }), total: undefined };
  const { db } = context;
  const total = await countSkins(db, 'public');
  return { skins: offset >= DEEPEST ? [] : await publicSkinsAt(db, { offset, size }), total };
}

/** A search finds skins one after the other, so it must also find everything before the page. */
async function searchedPage(
  { db, searches }: SearchContext,
  caller: Caller,
  { filter, offset, size }: { filter: string; offset: number; size: number },
): Promise<SkinWithData[]> {
  const words = wordsIn(filter);
  if (words.length === 0 || offset >= DEEPEST_SEARCH) return [];
  const { skins } = await searches.search(db, caller, { scope: 'public', words, skip: offset, size });
  return skins;
}

interface PickContext {
  readonly db: Db;
  readonly webPages: WebPages;
}

/** The UUID for a UUID or a short ID. @throws Refusal `skin_not_found` for a short ID without a skin */
export async function fullUuid(context: PickContext, caller: Caller, uuidOrShortId: string): Promise<string> {
  const isShort = uuidOrShortId.length === SHORT_ID_LENGTH;
  return isShort ? await uuidOfShortId(context, caller, uuidOrShortId) : uuidOrShortId;
}

/**
 * The UUID for a short ID, its first eight digits. Short IDs can be guessed, so they match only public skins and the
 * caller's own, and nothing if two skins match.
 * @throws Refusal `skin_not_found`
 */
async function uuidOfShortId(
  { db, webPages }: PickContext,
  caller: Caller,
  shortId: string,
): Promise<string> {
  const owner = hasScope(caller, 'read') && webPages.isTrusted(caller) ? caller.owner : undefined;
  const [uuid, ...others] = await skinsBeginningWith(db, shortId, owner);
  if (uuid === undefined || others.length > 0) throw new Refusal('skin_not_found');
  return uuid;
}
