import { createHash, randomBytes } from 'node:crypto';

/** A new secret of a session or of a sign-in link: 256 random bits. */
export function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The stored form of a secret. A plain hash is enough: 256 random bits cannot be guessed. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
