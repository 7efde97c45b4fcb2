import type { SkinVisibility } from '../../../protocol/skin.ts';
import type { Db } from '../../store/db.ts';
import {
  countSkins,
  listSkins,
  type SkinPage,
  type SkinPlace,
  type SkinScope,
  type SkinSort,
} from '../../store/skin-lists.ts';
import { wordsIn } from '../../store/skin-words.ts';
import { findSkin, findSkinByNumber, type SkinWithData } from '../../store/skins.ts';
import type { Caller } from '../callers/caller.ts';
import { requireUser } from '../callers/caller.ts';
import { hasScope } from '../callers/scopes.ts';
import type { WebPages } from '../callers/web-pages.ts';
import { Refusal } from '../refusals/refusal.ts';
import type { SearchContext } from './searches.ts';

/**
 * A skin by its UUID: public and unlisted ones for anyone who has the UUID, a private one only for its owner. For all
 * others a private skin does not exist.
 * @throws Refusal `skin_not_found`
 */
export async function readSkin(
  context: { readonly db: Db },
  caller: Caller,
  uuid: string,
): Promise<SkinWithData> {
  const skin = await findVisible(context, caller, uuid);
  if (!skin) throw new Refusal('skin_not_found');
  return skin;
}

/** The same, but undefined where `readSkin` refuses. */
export async function findVisible(
  { db }: { readonly db: Db },
  caller: Caller,
  uuid: string,
): Promise<SkinWithData | undefined> {
  const skin = await findSkin(db, uuid);
  return skin?.visibility === 'private' && !isOwn(skin, caller) ? undefined : skin;
}

/** A key without the scope to read its user's data sees only what everyone sees. */
function isOwn({ owner }: SkinWithData, caller: Caller): boolean {
  return owner === caller.owner && hasScope(caller, 'read');
}

/**
 * A skin by its number, as in version 1: public ones for everyone, all others only for their owner. Numbers can be
 * enumerated, so unlisted skins are hidden from everyone else, and from the web pages that their owner opens.
 * @throws Refusal `skin_not_found`
 */
export async function readSkinByNumber(
  { db, webPages }: { readonly db: Db; readonly webPages: WebPages },
  caller: Caller,
  id: number,
): Promise<SkinWithData> {
  const skin = await findSkinByNumber(db, id);
  const isSeen = skin?.visibility === 'public' || (skin && isOwn(skin, caller) && webPages.isTrusted(caller));
  if (!isSeen) throw new Refusal('skin_not_found');
  return skin;
}

export interface SkinListQuery {
  /** Where the previous page ended: its `next`, or the UUID of its last skin. */
  readonly after?: string | undefined;
  readonly size: number;
  /** Only skins whose names contain each of these words, inside a word of the name. */
  readonly filter?: string | undefined;
  readonly visibility?: SkinVisibility | undefined;
  readonly variant?: 'classic' | 'slim' | undefined;
  readonly sort?: SkinSort | undefined;
  /** Whether an unknown `after` starts over with the first page; otherwise it is refused. */
  readonly startsOver?: boolean;
}

export interface SkinList {
  readonly skins: SkinWithData[];
  /** `after` of the next page; undefined on the last page. A page may hold fewer skins than requested. */
  readonly next: string | undefined;
  /** Skins on all pages; set on the first page, if cheap to determine. */
  readonly total?: number | undefined;
  /** Whether this is the first page because `after` is unknown. */
  readonly hasStartedOver: boolean;
}

/** The public skins of all owners, newest first. @throws Refusal `validation_error` for an unknown `after` */
export async function readPublicSkins(
  context: SearchContext,
  caller: Caller,
  query: SkinListQuery,
): Promise<SkinList> {
  return await readFrom(context, caller, { ...query, scope: 'public' });
}

/** The caller's own skins of every visibility, newest first. @throws Refusal `unauthorized`, `validation_error` */
export async function readOwnSkins(
  context: SearchContext,
  caller: Caller,
  query: SkinListQuery,
): Promise<SkinList> {
  const { owner } = requireUser(caller);
  return await readFrom(context, caller, { ...query, scope: { owner } });
}

type ListWish = SkinListQuery & { readonly scope: SkinScope };
type Page = Omit<SkinList, 'hasStartedOver'>;

/** @throws Refusal `validation_error`; when too many search, as `Searches` does */
async function readFrom(context: SearchContext, caller: Caller, wish: ListWish): Promise<SkinList> {
  const before = await placeOf(context, caller, wish);
  const list = await readPage(context, caller, { wish, before });
  return { ...list, hasStartedOver: wish.after !== undefined && before === undefined };
}

async function readPage(
  context: SearchContext,
  caller: Caller,
  { wish, before }: { readonly wish: ListWish } & Pick<SkinPage, 'before'>,
): Promise<Page> {
  const { size, sort, filter, visibility, variant } = wish;
  const page = { before, sort, size: size + 1 }; // one skin more shows whether there is a next page
  const isWhole = !filter && visibility === undefined && variant === undefined;
  if (!isWhole) return await searchList(context, caller, { wish, page });
  const list = cutToSize(await listSkins(context.db, wish.scope, page), size, sort);
  return wish.after === undefined ? { ...list, total: await countSkins(context.db, wish.scope) } : list;
}

async function searchList(
  { db, searches }: SearchContext,
  caller: Caller,
  { wish, page }: { readonly wish: ListWish; readonly page: SkinPage },
): Promise<Page> {
  const { scope, size, filter, visibility, variant, sort } = wish;
  const words = wordsIn(filter ?? '');
  if (filter && words.length === 0) return { skins: [], next: undefined };
  const { skins, stoppedAt } = await searches.search(db, caller, {
    ...page,
    scope,
    words,
    visibility,
    variant,
  });
  const list = cutToSize(skins, size, sort);
  return { ...list, next: list.next ?? (stoppedAt && nameOf(stoppedAt, sort)) };
}

function cutToSize(skins: SkinWithData[], size: number, sort: SkinSort | undefined): Page {
  const shown = skins.slice(0, size);
  const last = skins.length > size ? shown.at(-1) : undefined;
  return { skins: shown, next: last && nameOf(last, sort) };
}

/** Names the place by number rather than UUID: the skin may be gone when the next page is requested. */
function nameOf({ id, views }: SkinPlace, sort: SkinSort | undefined): string {
  return sort === 'popular' ? `${views}.${id}` : `${id}`;
}

async function placeOf(
  context: { readonly db: Db },
  caller: Caller,
  { after, sort, startsOver = false }: SkinListQuery,
): Promise<SkinPlace | undefined> {
  if (after === undefined) return undefined;
  const [, views, id] = /^(\d{1,15})\.(\d{1,15})$/.exec(after) ?? [];
  if (id !== undefined) return { views: Number(views), id: Number(id) };
  if (sort !== 'popular' && /^\d{1,15}$/.test(after)) return { views: 0, id: Number(after) };
  const skin = await findVisible(context, caller, after);
  if (skin || startsOver) return skin;
  const message = 'after: there is no such skin; go on with links.next of the page before';
  throw new Refusal('validation_error', { notes: [{ code: 'custom', message, path: ['after'] }] });
}
