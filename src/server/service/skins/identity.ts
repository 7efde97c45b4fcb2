import { hash } from 'node:crypto';
import type { SkinVisibility } from '../../../protocol/skin.ts';

/** The data to sign, and its signer. */
interface DataWish {
  readonly pixelHash: string;
  readonly variant: 'classic' | 'slim';
  readonly capeHash: string | null;
  /** Key and address that are part of the data (the generator's `signer`). */
  readonly signer: string;
}

/** A skin as described by a request. */
export interface AskedSkin {
  /** Pixel hash. */
  readonly textureHash: string;
  readonly variant: 'classic' | 'slim';
  /** Pixel hash of the cape that goes with it. */
  readonly capeHash: string | null;
  readonly visibility: SkinVisibility;
  readonly name: string | null;
}

/**
 * The identity of signed data: the same pixels, variant, cape and signer give the same data. When the key or the
 * service's public address changes, new data is made, because the old data would point to an address that no longer
 * answers.
 *
 * Data with this identity is used for everyone's requests: at least one skin that is not private has it.
 */
function dataIdentity({ pixelHash, variant, capeHash, signer }: DataWish): string {
  return digest([pixelHash, variant, signer, ...(capeHash === null ? [] : [capeHash])]);
}

/** The identity of the data that a job waits for, if `signer` makes it. */
export function identityOfJob(
  { owner, textureHash, variant, capeHash, visibility }: Omit<AskedSkin, 'name'> & { readonly owner: string },
  signer: string,
): string {
  const shared = dataIdentity({ pixelHash: textureHash, variant, capeHash, signer });
  // Data of a private skin must not be used for other callers.
  return visibility === 'private' ? ownIdentity(shared, owner) : shared;
}

/** What a player's signed profile shows. */
export interface ProfileLook {
  readonly id: string;
  readonly name: string;
  readonly skinUrl: string;
  readonly variant: 'classic' | 'slim';
  readonly capeUrl: string | undefined;
}

/**
 * The identity of a player's signed profile. A profile that is looked up again differs only in its time until the look
 * changes.
 */
export function profileIdentity({ id, name, skinUrl, variant, capeUrl }: ProfileLook): string {
  return digest(['profile', id, name, skinUrl, variant, capeUrl ?? null]);
}

/**
 * The same for data that only private skins of one owner have: it is used for that owner's requests only. `uuid`: the
 * one skin that the data is reserved for.
 */
export function ownIdentity(shared: string, owner: string, uuid?: string): string {
  return [shared, owner, ...(uuid === undefined ? [] : [uuid])].join('/');
}

/** The shared identity that corresponds to an owner's private one; undefined if the identity is shared already. */
export function sharedOf(identity: string): string | undefined {
  const end = identity.indexOf('/');
  return end === -1 ? undefined : identity.slice(0, end);
}

/**
 * Identifies a request among the pending jobs of one owner by what the caller sent. The signer is not included, since
 * it may change while the job waits.
 */
export function requestKey({ textureHash, variant, capeHash, visibility, name }: AskedSkin): string {
  return digest(['request', textureHash, variant, capeHash, visibility, name]);
}

function digest(parts: readonly (string | null)[]): string {
  return hash('sha256', JSON.stringify(parts));
}
