import { createHash, randomBytes } from 'node:crypto';

/** Fixed start of every key, so that secret scanners and people know what they are looking at. */
const PREFIX = 'sksm_';

/** A new API key: 256 random bits, 69 characters. */
export function makeApiKey(): string {
  return PREFIX + randomBytes(32).toString('hex');
}

/** What is stored of a key. A plain hash is enough for 256 random bits: there is nothing to guess. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
