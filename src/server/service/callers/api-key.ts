import { hash, randomBytes } from 'node:crypto';

/** Fixed prefix of every key, which secret scanners and people recognize. */
const PREFIX = 'sksm_';

/** A new API key: 256 random bits, 69 characters. */
export function makeApiKey(): string {
  return PREFIX + randomBytes(32).toString('hex');
}

/** The stored form of a key. A plain hash is enough: 256 random bits cannot be guessed. */
export function hashApiKey(key: string): string {
  return hash('sha256', key);
}
