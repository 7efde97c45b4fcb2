import type { SkinEdit } from '../../../protocol/skin-edit.ts';
import { type Db, inTransaction } from '../../store/db.ts';
import type { SkinWithData } from '../../store/skins.ts';
import { type Caller, requireUser } from '../callers/caller.ts';
import { Refusal } from '../refusals/refusal.ts';
import { changeOwnSkin, removeOwnSkin } from './skin-changes.ts';

/** What became of several skins. */
export interface BulkOutcome<Done> {
  readonly done: Done[];
  /** UUIDs of those that are no skins of the caller. */
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

/** Removes several skins of the caller. @throws Refusal `unauthorized` */
export async function removeSkins(
  { db }: { readonly db: Db },
  caller: Caller,
  skins: readonly string[],
): Promise<BulkOutcome<string>> {
  return await forEach(db, caller, skins, async (tx, uuid) => {
    await removeOwnSkin(tx, caller, uuid);
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
