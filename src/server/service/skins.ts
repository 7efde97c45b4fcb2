import { searchSkins } from '../store/skin-search.ts';
import { countView, hourOf } from '../store/skin-views.ts';
import { wordsIn } from '../store/skin-words.ts';
import {
  findSkin,
  findSkinByNumber,
  listSkins,
  type SkinPage,
  type SkinScope,
  type SkinWithData,
} from '../store/skins.ts';
import { inTransaction } from '../store/store.ts';
import type { Caller } from './caller.ts';
import { requireUser } from './caller.ts';
import type { ServiceContext } from './context.ts';
import { Refusal } from './refusal.ts';

/**
 * A skin by its UUID: public and unlisted ones to whoever has it, a private one to its owner alone;
 * to all others it is as if it were not there.
 * @throws Refusal `skin_not_found`
 */
export async function readSkin(context: ServiceContext, caller: Caller, uuid: string): Promise<SkinWithData> {
  const skin = await findVisible(context, caller, uuid);
  if (!skin) throw new Refusal('skin_not_found');
  return skin;
}

async function findVisible(
  { db }: ServiceContext,
  caller: Caller,
  uuid: string,
): Promise<SkinWithData | undefined> {
  const skin = await findSkin(db, uuid);
  return skin?.visibility === 'private' && skin.owner !== caller.owner ? undefined : skin;
}

/**
 * A skin by its number, as version 1 names them: public ones to everybody, all others to their owner alone.
 * Numbers can be counted through, so none of an unlisted skin is told to anybody else.
 * @throws Refusal `skin_not_found`
 */
export async function readSkinByNumber(
  context: ServiceContext,
  caller: Caller,
  id: number,
): Promise<SkinWithData> {
  const skin = await findSkinByNumber(context.db, id);
  if (!skin || (skin.visibility !== 'public' && skin.owner !== caller.owner))
    throw new Refusal('skin_not_found');
  return skin;
}

export interface SkinListQuery {
  /** Where the page before ended: as its `next` says, or the UUID of its last skin. */
  readonly after?: string | undefined;
  readonly size: number;
  /** Words: only skins with all of them at the beginnings of words of their names. */
  readonly filter?: string | undefined;
}

export interface SkinList {
  readonly skins: SkinWithData[];
  /** `after` of the next page; undefined on the last one. Not every page is full. */
  readonly next: string | undefined;
}

/** Everybody's public skins, newest first. @throws Refusal `validation_error` for an unknown `after` */
export async function readPublicSkins(
  context: ServiceContext,
  caller: Caller,
  query: SkinListQuery,
): Promise<SkinList> {
  return await readList(context, 'public', { ...query, before: await placeOf(context, caller, query.after) });
}

/** The caller's own skins of every visibility, newest first. @throws Refusal `unauthorized`, `validation_error` */
export async function readOwnSkins(
  context: ServiceContext,
  caller: Caller,
  query: SkinListQuery,
): Promise<SkinList> {
  const { owner } = requireUser(caller);
  return await readList(
    context,
    { owner },
    { ...query, before: await placeOf(context, caller, query.after) },
  );
}

async function readList(
  { db }: ServiceContext,
  scope: SkinScope,
  { before, size, filter }: SkinPage & Pick<SkinListQuery, 'filter'>,
): Promise<SkinList> {
  const page = { before, size: size + 1 }; // one more tells whether there is a next page
  if (!filter) return cutToSize(await listSkins(db, scope, page), size);
  const words = wordsIn(filter);
  if (words.length === 0) return { skins: [], next: undefined };
  const { skins, stoppedAt } = await searchSkins(db, scope, { ...page, words });
  const list = cutToSize(skins, size);
  return { ...list, next: list.next ?? stoppedAt?.toString() };
}

/** The number of the last skin, and not its UUID: the skin may be gone when the next page is asked for. */
function cutToSize(skins: SkinWithData[], size: number): SkinList {
  const shown = skins.slice(0, size);
  return { skins: shown, next: skins.length > size ? shown.at(-1)?.id.toString() : undefined };
}

async function placeOf(
  context: ServiceContext,
  caller: Caller,
  after: string | undefined,
): Promise<number | undefined> {
  if (after === undefined) return undefined;
  if (/^\d{1,15}$/.test(after)) return Number(after);
  const skin = await findVisible(context, caller, after);
  if (skin) return skin.id;
  const message = 'after: there is no such skin; go on with links.next of the page before';
  throw new Refusal('validation_error', { notes: [{ code: 'custom', message, path: ['after'] }] });
}

/** Counts that the caller looks at a skin, once an hour. @throws Refusal `skin_not_found` */
export async function viewSkin(context: ServiceContext, caller: Caller, uuid: string): Promise<void> {
  const { id } = await readSkin(context, caller, uuid);
  const view = { skin_id: id, viewer: caller.owner, hour: hourOf(context.clock.now()) };
  await inTransaction(context.db, async (tx) => await countView(tx, view));
}
