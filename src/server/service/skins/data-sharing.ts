import type { Db } from '../../store/db.ts';
import { hasOpenSkin, moveSkins, ownersOf, someSkinOf } from '../../store/skins.ts';
import { copyTextureData, dropTextureData, hasTextureData } from '../../store/textures.ts';
import { ownIdentity, sharedOf } from './identity.ts';

/**
 * A skin of this data is no longer private: from now on the data answers everyone's requests, unless other data
 * already does. Call in a transaction. Returns the data's new identity.
 */
export async function shareData(tx: Db, identity: string): Promise<string> {
  const shared = sharedOf(identity);
  if (shared === undefined || (await hasTextureData(tx, shared))) return identity;
  await copyTextureData(tx, identity, shared);
  await moveSkins(tx, { from: identity, to: shared });
  await dropTextureData(tx, identity);
  return shared;
}

/**
 * A skin of this data was deleted or became private. Deletes data without any skin; data with private skins only
 * becomes their owners' own, so that it answers no one else. Call in a transaction.
 */
export async function withdrawData(tx: Db, identity: string): Promise<void> {
  if (sharedOf(identity) === undefined && !(await hasOpenSkin(tx, identity))) {
    for (const owner of await ownersOf(tx, identity)) await giveToOwner(tx, identity, owner);
  }
  if (!(await someSkinOf(tx, identity))) await dropTextureData(tx, identity);
}

/**
 * A skin of this data was hidden, like all others that have its image will be: gives the data to the skin's owner at
 * once, so that no transaction has to do it for the owners of all of them. Call in a transaction.
 */
export async function withdrawFromOwner(tx: Db, identity: string, owner: string): Promise<void> {
  if (sharedOf(identity) !== undefined || (await hasOpenSkin(tx, identity, owner))) return;
  await giveToOwner(tx, identity, owner);
  if (!(await someSkinOf(tx, identity))) await dropTextureData(tx, identity);
}

/** A skin always keeps its value: if its owner has other data of its own, this is kept beside it. */
async function giveToOwner(tx: Db, identity: string, owner: string): Promise<void> {
  const usual = ownIdentity(identity, owner);
  const isTaken = await hasTextureData(tx, usual);
  const skin = await someSkinOf(tx, identity, owner);
  const own = isTaken ? ownIdentity(identity, owner, skin?.uuid) : usual;
  await copyTextureData(tx, identity, own);
  await moveSkins(tx, { from: identity, to: own, owner });
}
