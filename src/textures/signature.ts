import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { promisify } from 'node:util';

const signAsync = promisify<string, Buffer, KeyObject, Buffer>(sign);

/**
 * Signs a textures value as the game does: RSA PKCS#1 v1.5 with SHA-1 over the bytes of the base64
 * *text*, not of the JSON inside it (measured against published properties). Runs in the thread
 * pool, so that several cores sign at once.
 * @returns base64; 684 characters for a 4096-bit key
 */
export async function signValue(value: string, privateKey: KeyObject): Promise<string> {
  return (await signAsync('RSA-SHA1', Buffer.from(value), privateKey)).toString('base64');
}

/** Whether `signature` (base64) is valid for `value` and `publicKey`. False for anything malformed. */
export function isSignedBy(publicKey: KeyObject, value: string, signature: string): boolean {
  return verify('RSA-SHA1', Buffer.from(value), publicKey, Buffer.from(signature, 'base64'));
}

/** Parses a published public key: SPKI in PEM, or base64 DER (the game's key list). */
export function parsePublicKey(text: string): KeyObject {
  if (text.includes('-----BEGIN')) return createPublicKey(text);
  return createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
}

/** The public key in the form that authlib-injector accepts: SPKI PEM (it refuses "RSA PUBLIC KEY"). */
export function publicKeyPem(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
}

export function parsePrivateKey(der: Buffer): KeyObject {
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}
