import { createPublicKey, type KeyObject } from 'node:crypto';

/** A value, its signature (base64) and the key that signed it. */
interface FreshSignature {
  readonly value: string;
  readonly publicKey: KeyObject;
}

/** Signatures that are kept, some 1 KB each: a batch proves a skin soon after it was signed. */
const KEPT = 128;

/** By signature; the oldest goes first. */
const kept = new Map<string, FreshSignature>();
const publicKeys = new WeakMap<KeyObject, KeyObject>();

/**
 * Remembers a signature that this process has just made. It was verified then, by `batchSigner` or by OpenSSL, which does
 * so for each RSA signature that it makes. So a batch need not verify the skins of the embedded service again.
 */
export function keepFreshSignature(value: string, signature: string, privateKey: KeyObject): void {
  kept.set(signature, { value, publicKey: publicHalf(privateKey) });
  if (kept.size > KEPT) kept.delete(kept.keys().next().value ?? '');
}

/** Whether this process has made the signature for exactly this value and key, and still remembers it. */
export function isFreshSignature(value: string, signature: string, publicKey: KeyObject): boolean {
  const made = kept.get(signature);
  return made !== undefined && made.value === value && made.publicKey.equals(publicKey);
}

function publicHalf(privateKey: KeyObject): KeyObject {
  const known = publicKeys.get(privateKey);
  if (known) return known;
  const publicKey = createPublicKey(privateKey);
  publicKeys.set(privateKey, publicKey);
  return publicKey;
}
