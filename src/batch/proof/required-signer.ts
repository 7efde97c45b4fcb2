import { createPublicKey } from 'node:crypto';
import { fingerprintOf } from '../../textures/signing-key.ts';
import { GAME, type SignedBy } from '../model/signer.ts';
import type { GameKeys } from './game-keys.ts';

/** The required signer: the game, the service at an address, or the owner of a key with this fingerprint. */
export type RequiredSigner =
  | { readonly kind: 'game' }
  | { readonly kind: 'service'; readonly address: string }
  /** The fingerprint, or its first digits. */
  | { readonly kind: 'key'; readonly fingerprint: string };

/** Whether a known signer, by proof or from an intact entry, is the required one. */
export function isRequired({ signer, key }: SignedBy, required: RequiredSigner): boolean {
  switch (required.kind) {
    case 'game':
      return signer === GAME;
    case 'service':
      return signer === required.address;
    case 'key':
      return key?.startsWith(required.fingerprint) ?? false;
  }
}

/** The same for given skin data. A required signature of the game is verified, whatever the data claims. */
export async function isSignedAsRequired(
  { value, signature, signedBy }: { value: string; signature: string; signedBy?: SignedBy | undefined },
  required: RequiredSigner,
  gameKeys: GameKeys,
): Promise<boolean> {
  if (required.kind === 'game') return (await gameKeys.haveSigned(value, signature)) ?? false;
  return signedBy !== undefined && isRequired(signedBy, required);
}

/** For sentences: `not signed by …`. */
export function requiredText(required: RequiredSigner): string {
  if (required.kind === 'game') return 'the game';
  return required.kind === 'service' ? required.address : `the key ${required.fingerprint}`;
}

/** The fingerprint of a public key in PEM, which names the key as a required signer; undefined if it is no key. */
export function fingerprintIn(pem: string): string | undefined {
  try {
    return fingerprintOf(createPublicKey(pem));
  } catch {
    return undefined;
  }
}
