import { createHash, type KeyObject } from 'node:crypto';

/** Identifies a public key to people and programs: SHA-256 of its SPKI in DER, 64 lower-case hexadecimal digits. */
export function fingerprintOf(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}
