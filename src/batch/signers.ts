import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Note } from '../protocol/envelope.ts';
import { fingerprintOf } from '../textures/signing-key.ts';

/**
 * The signer of skin data, as results and the lockfile name it: `game` (one of its published keys), `embedded`
 * (an embedded service, on this machine or another), the address of the service whose own key signed, or
 * `unproved` where no known key verifies the signature.
 */
export type Signer = string;

export const GAME: Signer = 'game';
export const EMBEDDED: Signer = 'embedded';
export const UNPROVED: Signer = 'unproved';

/** The note on skin data that no known key verifies. */
export const UNPROVED_NOTE: Note = {
  code: 'signature_unproved',
  message: 'Unknown signer: no known key of Mojang or of the service verifies the signature.',
};

/** A signer, and the fingerprint of its own key if that is known. */
export interface SignedBy {
  readonly signer: Signer;
  readonly key?: string | undefined;
}

/** Host names of this machine that reach the same service. */
const THIS_MACHINE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** A service by its name in journal and lockfile, the same for each of its addresses on this machine. */
export function serviceIdentity(name: string): string {
  const url = URL.parse(name);
  if (!url || !THIS_MACHINE.has(url.hostname)) return name;
  url.hostname = 'localhost';
  return url.href;
}

/** A signer in messages: `signed by …`. */
export function signerText(
  { signer, key }: SignedBy,
  own: Pick<PublicSigningKey, 'fingerprint'> | undefined,
): string {
  if (signer === GAME) return 'Mojang';
  if (signer === UNPROVED) return 'an unknown signer';
  if (signer !== EMBEDDED) return signer;
  if (key === undefined) return 'an embedded service';
  return key === own?.fingerprint ? 'this machine' : 'another machine';
}

/** The signing key of this machine or of a service, in its public form. */
export interface PublicSigningKey {
  readonly publicKey: KeyObject;
  readonly fingerprint: string;
}

/** The public half of the signing key at `path` (PEM); undefined if it is missing or unreadable. */
export async function readOwnKey(path: string): Promise<PublicSigningKey | undefined> {
  try {
    const publicKey = createPublicKey(await readFile(path));
    return { publicKey, fingerprint: fingerprintOf(publicKey) };
  } catch {
    return undefined; // the error is reported where the key is needed to sign
  }
}

/** Known skins to make again, because another signer than the service in use has signed them. */
export interface OutdatedSkins {
  readonly signedBy: SignedBy;
  readonly sources: number;
}

/** Counts known skins that are outdated because of their signer, and those whose signer is unknown. */
export class SignerCounts {
  readonly #outdated = new Map<string, OutdatedSkins>();
  unknownSigner = 0;

  get list(): readonly OutdatedSkins[] {
    return [...this.#outdated.values()];
  }

  /** Undefined if the signer is not the reason. */
  outdated(signedBy: SignedBy | undefined): void {
    if (!signedBy) return;
    const id = JSON.stringify([signedBy.signer, signedBy.key]);
    const before = this.#outdated.get(id)?.sources ?? 0;
    this.#outdated.set(id, { signedBy, sources: before + 1 });
  }
}
