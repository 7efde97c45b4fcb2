import { hash } from 'node:crypto';
import type { LockEntry } from './entry.ts';

/** Hexadecimal digits. Enough to detect damage, not tampering: anyone who edits a line can edit this too. */
const DIGITS = 16;

type Covered = Pick<LockEntry, 'service' | 'key' | 'signer' | 'value' | 'signature'>;

/** An entry is asked for it by everyone who relies on one of the parts. */
const known = new WeakMap<Covered, string>();

/** Digest of the parts of an entry that others rely on without checking: the skin data and its signer. */
export function digestOf(entry: Covered): string {
  const before = known.get(entry);
  if (before !== undefined) return before;
  const { service, key, signer, value, signature } = entry;
  const covered = JSON.stringify([service, key ?? '', signer ?? '', value, signature]);
  const digest = hash('sha256', covered).slice(0, DIGITS);
  known.set(entry, digest);
  return digest;
}

/** Ready to be written. An entry without a signer, as in an old journal, keeps the old form. */
export function withDigest(entry: LockEntry): LockEntry {
  return entry.signer === undefined ? entry : { ...entry, digest: digestOf(entry) };
}
