import type { SkinEdit } from '../../../protocol/skin.ts';
import { type Db, inTransaction } from '../../store/db.ts';
import { lockManagement } from '../../store/locks.ts';
import { findBlockedImage } from '../../store/moderation.ts';
import { changeSkin, deleteSkinRow, findSkin, type SkinWithData } from '../../store/skins.ts';
import { type Caller, hasScope, requireUser } from '../callers/caller.ts';
import { Refusal } from '../refusal.ts';
import { shareData, withdrawData } from './identity.ts';

/** @throws Refusal `unauthorized` without a key, `insufficient_grants` when the plan has no private skins */
export function requirePrivateSkins({ kind, plan }: Caller): void {
  if (plan.privateSkins) return;
  if (kind === 'anonymous') throw new Refusal('unauthorized', 'Private skins require an API key.');
  throw new Refusal('insufficient_grants', `Your plan (${plan.name}) has no private skins.`);
}

/**
 * Changes the name (`''` or `null` removes it) or visibility of a skin of the caller. A skin that becomes private is no
 * longer used for other callers' requests.
 * @throws Refusal `unauthorized`, `skin_not_found` (also for skins of others), `insufficient_grants`, `blocked_image`
 */
export async function editSkin(
  { db }: { readonly db: Db },
  caller: Caller,
  edit: SkinEdit & { readonly uuid: string },
): Promise<SkinWithData> {
  requireUser(caller);
  return await inTransaction(db, async (tx) => await changeOwnSkin(tx, caller, edit));
}

/** The same, in the caller's transaction. @throws Refusal `skin_not_found`, `insufficient_grants` */
export async function changeOwnSkin(
  tx: Db,
  caller: Caller,
  { uuid, name, visibility, tags }: SkinEdit & { readonly uuid: string },
): Promise<SkinWithData> {
  await lockManagement(tx);
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
}

/** The answer has the whole skin, and one that is no longer private can be read by anyone. @throws Refusal */
function requireToRead(caller: Caller): void {
  if (hasScope(caller, 'read')) return;
  throw new Refusal('insufficient_grants', 'Changing a private skin also needs the scope read.');
}

/** @throws Refusal for a skin whose visibility its owner may not change */
async function requireOpen(tx: Db, skin: SkinWithData): Promise<void> {
  if (skin.hidden_from !== null)
    throw new Refusal('insufficient_grants', 'The operator of this server has hidden this skin.');
  if (skin.visibility === 'private') await requireUnblocked(tx, skin);
}

/** @throws Refusal `blocked_image` */
export async function requireUnblocked(
  tx: Db,
  { texture_hash }: Pick<SkinWithData, 'texture_hash'>,
): Promise<void> {
  if (await findBlockedImage(tx, texture_hash)) throw new Refusal('blocked_image');
}

/**
 * Deletes a skin of the caller, and its data if no other skin uses it.
 * @throws Refusal `unauthorized`, `skin_not_found` (also for skins of others)
 */
export async function deleteSkin({ db }: { readonly db: Db }, caller: Caller, uuid: string): Promise<void> {
  requireUser(caller);
  await inTransaction(db, async (tx) => await deleteOwnSkin(tx, caller, uuid));
}

/** The same, in the caller's transaction. @throws Refusal `skin_not_found` */
export async function deleteOwnSkin(tx: Db, caller: Caller, uuid: string): Promise<void> {
  await lockManagement(tx);
  const skin = await ownSkin(tx, caller, uuid);
  await deleteSkinRow(tx, skin.id);
  await withdrawData(tx, skin.identity);
}

async function ownSkin(db: Db, { owner }: Caller, uuid: string): Promise<SkinWithData> {
  const skin = await findSkin(db, uuid);
  if (skin?.owner !== owner) throw new Refusal('skin_not_found');
  return skin;
}

/** The outcome for several skins. */
export interface BulkOutcome<Done> {
  readonly done: Done[];
  /** UUIDs that are not the caller's skins. */
  readonly missing: string[];
}

/** The same change for several skins of the caller. @throws Refusal `unauthorized`, `insufficient_grants`: no skin changes */
export async function editSkins(
  { db }: { readonly db: Db },
  caller: Caller,
  { skins, ...edit }: SkinEdit & { readonly skins: readonly string[] },
): Promise<BulkOutcome<SkinWithData>> {
  return await forEach(
    db,
    caller,
    skins,
    async (tx, uuid) => await changeOwnSkin(tx, caller, { ...edit, uuid }),
  );
}

/** Deletes several skins of the caller. @throws Refusal `unauthorized` */
export async function deleteSkins(
  { db }: { readonly db: Db },
  caller: Caller,
  skins: readonly string[],
): Promise<BulkOutcome<string>> {
  return await forEach(db, caller, skins, async (tx, uuid) => {
    await deleteOwnSkin(tx, caller, uuid);
    return uuid;
  });
}

async function forEach<Done>(
  db: Db,
  caller: Caller,
  skins: readonly string[],
  change: (tx: Db, uuid: string) => Promise<Done>,
): Promise<BulkOutcome<Done>> {
  requireUser(caller);
  return await inTransaction(db, async (tx) => {
    const outcome: BulkOutcome<Done> = { done: [], missing: [] };
    for (const uuid of skins) {
      try {
        outcome.done.push(await change(tx, uuid));
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'skin_not_found') throw error;
        outcome.missing.push(uuid);
      }
    }
    return outcome;
  });
}
