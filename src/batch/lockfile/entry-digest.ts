import { createHash } from 'node:crypto';
import type { LockEntry } from './entry.ts';

/** Hexadecimal digits. Enough to detect damage, not tampering: anyone who edits a line can edit this too. */
const DIGITS = 16;

/** Digest of the parts of an entry that others rely on without checking: the skin data and its signer. */
export function digestOf({
  service,
  key,
  signer,
  value,
  signature,
}: Pick<LockEntry, 'service' | 'key' | 'signer' | 'value' | 'signature'>): string {
  const covered = JSON.stringify([service, key ?? '', signer ?? '', value, signature]);
  return createHash('sha256').update(covered).digest('hex').slice(0, DIGITS);
}

/** Ready to be written. An entry without a signer, as in an old journal, keeps the old form. */
export function withDigest(entry: LockEntry): LockEntry {
  return entry.signer === undefined ? entry : { ...entry, digest: digestOf(entry) };
}
