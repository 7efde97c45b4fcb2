import { hash } from 'node:crypto';
import type { SignedProfile } from '../../../game/profiles.ts';
import { SHORT_ID_LENGTH, type SkinVisibility } from '../../../protocol/skin.ts';
import type { Db } from '../../store/db.ts';
import { findBlockedImage } from '../../store/moderation.ts';
import { hasOpenSkin, moveSkins, ownersOf, skinsBeginningWith, someSkinOf } from '../../store/skins.ts';
import { copyTextureData, deleteTextureData, hasTextureData } from '../../store/textures.ts';
import { type Caller, ownerSeenBy } from '../callers.ts';
import { Refusal } from '../refusal.ts';

/** The data to sign, and its signer. */
interface DataInput {
  readonly pixelHash: string;
  readonly variant: 'classic' | 'slim';
  readonly capeHash: string | null;
  /** Key and address that are part of the data (the generator's `signer`). */
  readonly signer: string;
}

/** A skin as described by a request. */
export interface RequestedSkin {
  /** Pixel hash. */
  readonly textureHash: string;
  readonly variant: 'classic' | 'slim';
  /** Pixel hash of the cape that goes with it. */
  readonly capeHash: string | null;
  readonly visibility: SkinVisibility;
  readonly name: string | null;
}

/**
 * The identity of signed data: the same pixels, variant, cape and signer give the same data. If the key or the
 * service's public address changes, new data is made, because the old data would point to an address that no longer
 * responds.
 *
 * Data with this identity is used for everyone's requests: at least one skin that is not private has it.
 */
function dataIdentity({ pixelHash, variant, capeHash, signer }: DataInput): string {
  return digest([pixelHash, variant, signer, ...(capeHash === null ? [] : [capeHash])]);
}

/** The identity of the data that a job waits for, if `signer` makes it. */
export function identityOfJob(
  {
    owner,
    textureHash,
    variant,
    capeHash,
    visibility,
  }: Omit<RequestedSkin, 'name'> & { readonly owner: string },
  signer: string,
): string {
  const shared = dataIdentity({ pixelHash: textureHash, variant, capeHash, signer });
  // Data of a private skin must not be used for other callers.
  return visibility === 'private' ? ownIdentity(shared, owner) : shared;
}

/**
 * The identity of a player's signed profile. Until the player changes it, a new look-up differs only in its time.
 */
export function profileIdentity({ id, name, textures: { skin, cape } }: SignedProfile): string {
  return digest(['profile', id, name, skin?.url ?? null, skin?.variant ?? null, cape?.url ?? null]);
}

/**
 * The same for data that only private skins of one owner have: it is used for that owner's requests only. `uuid`: the
 * one skin that the data is reserved for.
 */
export function ownIdentity(shared: string, owner: string, uuid?: string): string {
  return [shared, owner, ...(uuid === undefined ? [] : [uuid])].join('/');
}

/** The shared identity that corresponds to an owner's private one; undefined if the identity is already shared. */
export function sharedOf(identity: string): string | undefined {
  const end = identity.indexOf('/');
  return end === -1 ? undefined : identity.slice(0, end);
}

/**
 * Identifies a request among the pending jobs of one owner by what the caller sent. The signer is not included, since
 * it may change while the job waits.
 */
export function requestKey({ textureHash, variant, capeHash, visibility, name }: RequestedSkin): string {
  return digest(['request', textureHash, variant, capeHash, visibility, name]);
}

function digest(parts: readonly (string | null)[]): string {
  return hash('sha256', JSON.stringify(parts));
}

/** The UUID for a UUID or a short ID. @throws Refusal `skin_not_found` for a short ID without a skin */
export async function fullUuid(
  { db }: { readonly db: Db },
  caller: Caller,
  uuidOrShortId: string,
): Promise<string> {
  const uuid = await findUuid(db, caller, uuidOrShortId);
  if (uuid === undefined) throw new Refusal('skin_not_found');
  return uuid;
}

/**
 * The same, but undefined for a short ID without a skin. Short IDs, the first eight digits of UUIDs, can be guessed, so
 * they match only public skins and the caller's own, and nothing if two skins match.
 */
export async function findUuid(db: Db, caller: Caller, uuidOrShortId: string): Promise<string | undefined> {
  if (uuidOrShortId.length !== SHORT_ID_LENGTH) return uuidOrShortId;
  const [uuid, ...others] = await skinsBeginningWith(db, uuidOrShortId, {
    owner: ownerSeenBy(caller),
    size: 2,
  });
  return others.length > 0 ? undefined : uuid;
}

/** An operator has blocked the image: its skins stay private. @throws Refusal `blocked_image` */
export async function requireUnblocked(
  tx: Db,
  { texture_hash }: { readonly texture_hash: string },
): Promise<void> {
  if (await findBlockedImage(tx, texture_hash)) throw new Refusal('blocked_image');
}

/**
 * A skin of this data is no longer private: from now on the data answers everyone's requests, unless other data
 * already does. Call in a transaction. Returns the data's new identity.
 */
export async function shareData(tx: Db, identity: string): Promise<string> {
  const shared = sharedOf(identity);
  if (shared === undefined || (await hasTextureData(tx, shared))) return identity;
  await copyTextureData(tx, identity, shared);
  await moveSkins(tx, { from: identity, to: shared });
  await deleteTextureData(tx, identity);
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
  if (!(await someSkinOf(tx, identity))) await deleteTextureData(tx, identity);
}

/**
 * A skin of this data was hidden, and all others with its image will be. Gives the data to the skin's owner at once,
 * so that no transaction has to do it for all owners. Call in a transaction.
 */
export async function withdrawFromOwner(tx: Db, identity: string, owner: string): Promise<void> {
  if (sharedOf(identity) !== undefined || (await hasOpenSkin(tx, identity, owner))) return;
  await giveToOwner(tx, identity, owner);
  if (!(await someSkinOf(tx, identity))) await deleteTextureData(tx, identity);
}

/** A skin always keeps its value: if its owner has other data, this data is kept beside it. */
async function giveToOwner(tx: Db, identity: string, owner: string): Promise<void> {
  const usual = ownIdentity(identity, owner);
  const isTaken = await hasTextureData(tx, usual);
  const skin = await someSkinOf(tx, identity, owner);
  const own = isTaken ? ownIdentity(identity, owner, skin?.uuid) : usual;
  await copyTextureData(tx, identity, own);
  await moveSkins(tx, { from: identity, to: own, owner });
}
