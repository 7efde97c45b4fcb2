import { createHash } from 'node:crypto';
import type { SkinVisibility } from '../../protocol/skin.ts';

/** What is asked to be signed, and by whom. */
export interface DataWish {
  readonly pixelHash: string;
  readonly variant: 'classic' | 'slim';
  readonly capeHash: string | null;
  /** Key and address that go into the data (the generator's `signer`). */
  readonly signer: string;
}

/**
 * What signed data is known by: same pixels, variant, cape and signer, same data. A change of key or of the
 * service's public address makes new data, because the old would point to where nobody listens.
 *
 * Data under it answers everybody's requests: some skin that is not private has it.
 */
export function dataIdentity({ pixelHash, variant, capeHash, signer }: DataWish): string {
  return digest([pixelHash, variant, signer, ...(capeHash === null ? [] : [capeHash])]);
}

/** What a player's signed profile shows. */
export interface ProfileLook {
  readonly id: string;
  readonly name: string;
  readonly skinUrl: string;
  readonly variant: 'classic' | 'slim';
  readonly capeUrl: string | undefined;
}

/** What a player's signed profile is known by: looked up anew, it differs in its time alone until its look changes. */
export function profileIdentity({ id, name, skinUrl, variant, capeUrl }: ProfileLook): string {
  return digest(['profile', id, name, skinUrl, variant, capeUrl ?? null]);
}

/**
 * The same for data that private skins of one owner have and nothing else: it answers that owner's requests
 * alone. `uuid`: of the one skin that it is to be kept for.
 */
export function ownIdentity(shared: string, owner: string, uuid?: string): string {
  return [shared, owner, ...(uuid === undefined ? [] : [uuid])].join('/');
}

/** What data of one owner's is known by once it is everybody's; undefined when it is already. */
export function sharedOf(identity: string): string | undefined {
  const end = identity.indexOf('/');
  return end === -1 ? undefined : identity.slice(0, end);
}

/** What a request is known by within one owner's pending jobs. */
export function requestKey(
  identity: string,
  options: { visibility: SkinVisibility; name: string | null },
): string {
  return digest([identity, options.visibility, options.name]);
}

function digest(parts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
