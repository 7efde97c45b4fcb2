import { MAX_TAGS, type SkinEdit } from '../../../protocol/skin.ts';
import { type Db, inTransaction } from '../../store/db.ts';
import { inManagement } from '../../store/locks.ts';
import {
  addLike,
  changeSkin,
  deleteSkinRow,
  findSkin,
  removeLike,
  type SkinWithData,
  tagsOf,
} from '../../store/skins.ts';
import { undressSkin } from '../../store/wardrobe.ts';
import { type Caller, hasScope, requireUser, type StoreContext, type UserCaller } from '../callers.ts';
import type { StoreCeiling } from '../limits.ts';
import { logAction } from '../moderation.ts';
import { Refusal } from '../refusal.ts';
import { requireUnblocked, shareData, withdrawData } from './identity.ts';
import { readSkin } from './skins.ts';

/** @throws Refusal `unauthorized` without a key, `insufficient_grants` when the plan has no private skins */
export function requirePrivateSkins({ kind, plan }: Caller): void {
  if (plan.privateSkins) return;
  if (kind === 'anonymous') throw new Refusal('unauthorized', 'Private skins require an API key.');
  throw new Refusal('insufficient_grants', `Your plan (${plan.name}) has no private skins.`);
}

export type SkinEditOf = SkinEdit & { readonly uuid: string };

/**
 * Changes the name (`''` or `null` removes it) or visibility of a skin of the caller. A skin that becomes private is no
 * longer used for other callers' requests.
 * @throws Refusal `unauthorized`, `skin_not_found` (also for skins of others), `insufficient_grants`, `blocked_image`
 */
export async function editSkin(
  { db }: { readonly db: Db },
  caller: Caller,
  edit: SkinEditOf,
): Promise<SkinWithData> {
  requireUser(caller);
  const { uuid, name, visibility, tags } = edit;
  return await inManagement(db, async (tx) => {
    const skin = await ownSkin(tx, caller, uuid);
    if (skin.visibility === 'private') requireToRead(caller);
    if (visibility !== undefined && visibility !== skin.visibility) await requireOpen(tx, skin);
    if (visibility === 'private' && skin.visibility !== 'private') requirePrivateSkins(caller);
    await changeSkin(tx, skin.id, {
      ...(name !== undefined && { name: name || null }),
      ...(visibility !== undefined && { visibility }),
      ...(tags !== undefined && { tags }),
    });
    if (visibility === 'private') await withdrawData(tx, skin.identity);
    else if (visibility !== undefined) await shareData(tx, skin.identity);
    return await ownSkin(tx, caller, uuid);
  });
}

/** The answer has the whole skin, and one that is no longer private can be read by anyone. @throws Refusal */
export function requireToRead(caller: Caller, what: 'skin' | 'set' = 'skin'): void {
  if (hasScope(caller, 'read')) return;
  throw new Refusal('insufficient_grants', `Changing a private ${what} also needs the scope read.`);
}

/** @throws Refusal for a skin whose visibility its owner may not change */
async function requireOpen(tx: Db, skin: SkinWithData): Promise<void> {
  if (skin.hidden_from !== null)
    throw new Refusal('insufficient_grants', 'The operator of this server has hidden this skin.');
  if (skin.visibility === 'private') await requireUnblocked(tx, skin);
}

/**
 * Deletes a skin of the caller, and its data if no other skin uses it. Player names go on wearing it, unless operators
 * have hidden it, or `undress` takes it off those of the caller.
 * @throws Refusal `unauthorized`, `skin_not_found` (also for skins of others)
 */
export async function deleteSkin(
  { db, clock }: StoreContext,
  caller: Caller,
  uuid: string,
  { undress = false }: { readonly undress?: boolean } = {},
): Promise<void> {
  const { owner } = requireUser(caller);
  await inManagement(db, async (tx) => {
    const skin = await ownSkin(tx, caller, uuid);
    const now = clock.now();
    if (skin.hidden_from !== null) await undressSkin(tx, uuid, { now });
    else if (undress) await undressSkin(tx, uuid, { now, owner });
    await deleteSkinRow(tx, skin.id);
    await withdrawData(tx, skin.identity);
  });
}

async function ownSkin(db: Db, { owner }: Caller, uuid: string): Promise<SkinWithData> {
  const skin = await findSkin(db, uuid);
  if (skin?.owner !== owner) throw new Refusal('skin_not_found');
  return skin;
}

export interface BulkOutcome<Done> {
  readonly done: Done[];
  /** UUIDs that are not the caller's skins. */
  readonly missing: string[];
}

/** Changes several skins of the caller. @throws Refusal `unauthorized`, `insufficient_grants`: no skin changes */
export async function editSkins(
  { db }: { readonly db: Db },
  caller: Caller,
  edits: readonly SkinEditOf[],
): Promise<BulkOutcome<SkinWithData>> {
  requireUser(caller);
  return await forEach(db, edits, async (tx, edit) => await editSkin({ db: tx }, caller, edit));
}

/** Deletes several skins of the caller, as `deleteSkin` does. @throws Refusal `unauthorized` */
export async function deleteSkins(
  { db, clock }: StoreContext,
  caller: Caller,
  skins: readonly string[],
  options: { readonly undress?: boolean } = {},
): Promise<BulkOutcome<string>> {
  requireUser(caller);
  const all = skins.map((uuid) => ({ uuid }));
  return await forEach(db, all, async (tx, { uuid }) => {
    await deleteSkin({ db: tx, clock }, caller, uuid, options);
    return uuid;
  });
}

async function forEach<Change extends { readonly uuid: string }, Done>(
  db: Db,
  changes: readonly Change[],
  make: (tx: Db, change: Change) => Promise<Done>,
): Promise<BulkOutcome<Done>> {
  return await inTransaction(db, async (tx) => {
    const outcome: BulkOutcome<Done> = { done: [], missing: [] };
    for (const change of changes) {
      try {
        outcome.done.push(await make(tx, change));
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'skin_not_found') throw error;
        outcome.missing.push(change.uuid);
      }
    }
    return outcome;
  });
}

/** Those of these skins that are the caller's, in this order. @throws Refusal `insufficient_grants` */
export async function ownSkinsAmong(
  { db }: { readonly db: Db },
  caller: Caller,
  uuids: readonly string[],
): Promise<SkinWithData[]> {
  const found: SkinWithData[] = [];
  for (const uuid of uuids) {
    const skin = await findSkin(db, uuid);
    if (skin?.owner !== caller.owner) continue;
    if (skin.visibility === 'private') requireToRead(caller);
    found.push(skin);
  }
  return found;
}

/** Counts the caller among those who like a skin. @throws Refusal `unauthorized`, `skin_not_found`, `already_liked`, `store_full` */
export async function likeSkin(
  { db, ceiling }: { readonly db: Db; readonly ceiling: StoreCeiling },
  caller: Caller,
  uuid: string,
): Promise<void> {
  const { owner } = requireUser(caller);
  ceiling.verifyRoom();
  const isNew = await inTransaction(db, async (tx) => {
    const { id } = await readSkin({ db: tx }, caller, uuid);
    return await addLike(tx, id, owner);
  });
  if (!isNew) throw new Refusal('already_liked');
}

/** Takes a like back, if there is one. @throws Refusal `unauthorized`, `skin_not_found` */
export async function unlikeSkin({ db }: { readonly db: Db }, caller: Caller, uuid: string): Promise<void> {
  const { owner } = requireUser(caller);
  await inTransaction(db, async (tx) => {
    const { id } = await readSkin({ db: tx }, caller, uuid);
    await removeLike(tx, id, owner);
  });
}

/** A change of one tag. `vote` as on the hosted service, where all users vote on tags. */
interface TagVote {
  readonly uuid: string;
  readonly tag: string;
  readonly vote: 'up' | 'down';
}

/**
 * Adds a tag to a skin of the caller, or takes it away. Operators take tags of any skin away.
 * @throws Refusal `unauthorized`, `skin_not_found`, `insufficient_grants`, `invalid_request` for too many tags
 * @returns whether something has changed
 */
export async function voteOnTag(
  { db, clock }: StoreContext,
  caller: Caller,
  { uuid, tag, vote }: TagVote,
): Promise<boolean> {
  const user = requireUser(caller);
  return await inManagement(db, async (tx) => {
    const skin = await readSkin({ db: tx }, caller, uuid);
    requireMayTag(user, skin, vote);
    const before = tagsOf(skin);
    const rest = before.filter((other) => other !== tag);
    const tags = vote === 'up' ? [...rest, tag].toSorted() : rest;
    if (tags.length === before.length) return false;
    if (tags.length > MAX_TAGS) throw new Refusal('invalid_request', `A skin has at most ${MAX_TAGS} tags.`);
    await changeSkin(tx, skin.id, { tags });
    if (skin.owner !== user.owner)
      await logAction(tx, clock, { operator: user, action: 'remove_tag', subject: uuid, note: tag });
    return true;
  });
}

/** @throws Refusal `insufficient_grants` */
function requireMayTag(user: UserCaller, skin: SkinWithData, vote: TagVote['vote']): void {
  if (skin.owner === user.owner || (user.isOperator && vote === 'down')) return;
  throw new Refusal('insufficient_grants', 'Only the owner of a skin can tag it here.');
}
