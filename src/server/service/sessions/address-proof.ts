import { createHmac } from 'node:crypto';
import { hostname } from 'node:os';
import type { Db } from '../../store/db.ts';
import { keepMeta, readMeta } from '../../store/meta.ts';
import { makeSecret } from './secrets.ts';

/** Asks a service to prove that it is reached at an address and uses the store of whoever asks. */
export interface AddressQuestion {
  /** No slash at its end. */
  readonly address: string;
  /** Never used before. */
  readonly nonce: string;
}

interface ProofContext {
  readonly db: Db;
  readonly provableAddresses: () => readonly string[];
}

/**
 * The proof; undefined for an address that is not ours alone. Whoever listens there could ask us instead of
 * answering, and would pass as us.
 */
export async function proveAddress(
  { db, provableAddresses }: ProofContext,
  question: AddressQuestion,
): Promise<string | undefined> {
  if (!provableAddresses().includes(question.address)) return undefined;
  const key = await readMeta(db, 'address-key');
  return key === undefined ? undefined : proofOf(key, question);
}

/** The key of a store's proofs, which is for nothing else. */
export async function addressKey(db: Db): Promise<string> {
  await keepMeta(db, 'address-key', makeSecret());
  return (await readMeta(db, 'address-key')) ?? '';
}

/** What the services of a store answer to a question, and nobody else can. */
export function proofOf(key: string, { address, nonce }: AddressQuestion): string {
  // On another machine the address leads to something else.
  const machine = isOnThisMachine(address) ? hostname() : '';
  return createHmac('sha256', key)
    .update(JSON.stringify([address, machine, nonce]))
    .digest('base64url');
}

export function isOnThisMachine(url: string): boolean {
  return /^https?:\/\/(?:127\.|\[::1\]|localhost(?=[:/]|$))/i.test(url);
}
