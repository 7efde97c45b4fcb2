import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fingerprintOf } from '../../textures/signing-key.ts';

/** The signing key of this machine or of a service, in its public form. */
export interface OwnKey {
  readonly publicKey: KeyObject;
  readonly fingerprint: string;
}

/** The public half of the signing key at `path` (PEM); undefined if it is missing or unreadable. */
export async function readOwnKey(path: string): Promise<OwnKey | undefined> {
  try {
    const publicKey = createPublicKey(await readFile(path));
    return { publicKey, fingerprint: fingerprintOf(publicKey) };
  } catch {
    return undefined; // the error is reported where the key is needed to sign
  }
}
