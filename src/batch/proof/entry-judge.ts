import { ProofError, readTextures } from '../../dispatch/proof.ts';
import { digestOf } from '../../protocol/lock-line.ts';
import { textureName } from '../../textures/property.ts';
import { isSignedBy } from '../../textures/signing-key.ts';
import type { LockEntry } from '../lockfile/entries.ts';
import type { OwnKey } from '../model/own-key.ts';
import { EMBEDDED, GAME, type SignedBy, UNPROVED } from '../model/signer.ts';
import type { GameKeys } from './game-keys.ts';

/** The keys for judging lockfile entries, without any request. */
export interface KnownKeys {
  readonly game?: Pick<GameKeys, 'haveSignedByKnownKey'> | undefined;
  /** This machine's own key, if it has one. */
  readonly own?: OwnKey | undefined;
}

/** Bytes of the shortest plausible RSA signature. */
const SHORTEST_SIGNATURE = 128;

/**
 * Who signed an entry: as the entry says if its digest is intact, else by its value and signature. If the key
 * is not available, the entry's own claim counts.
 */
export function signedBy(entry: LockEntry, keys: KnownKeys): SignedBy {
  const { signer, key, service, value, signature } = entry;
  if (signer !== undefined && entry.digest === digestOf(entry)) return { signer, key };
  if (keys.game?.haveSignedByKnownKey(value, signature)) return { signer: GAME };
  if (isOwn(entry, keys.own)) return { signer: EMBEDDED, key: keys.own?.fingerprint };
  // Without a key, either the service published none or the game signed: both are unknowable here.
  if (key === undefined || key === keys.own?.fingerprint) return { signer: UNPROVED };
  return { signer: service === EMBEDDED ? EMBEDDED : service, key };
}

/** Visible damage of an entry, as a sentence; undefined if there is none. */
export function damageOf(entry: LockEntry, keys: KnownKeys): string | undefined {
  const { digest, key, signature } = entry;
  if (digest !== undefined)
    return digest === digestOf(entry) ? undefined : 'it was changed after it was written.';
  const problem = valueProblem(entry);
  if (problem !== undefined) return problem;
  if (signature !== '' && !isSignatureShaped(signature)) return 'the signature is incomplete.';
  const isOwnKeys = key !== undefined && key === keys.own?.fingerprint;
  return isOwnKeys && !isOwn(entry, keys.own)
    ? "it names this machine's key, but the signature is not that key's."
    : undefined;
}

/** Whether it is base64 of a plausible RSA signature length. */
export function isSignatureShaped(signature: string): boolean {
  const bytes = Buffer.from(signature, 'base64');
  return (
    bytes.length >= SHORTEST_SIGNATURE && bytes.length % 2 === 0 && bytes.toString('base64') === signature
  );
}

function isOwn({ value, signature }: LockEntry, own: OwnKey | undefined): boolean {
  return own !== undefined && isSignedBy(own.publicKey, value, signature);
}

function valueProblem({ value, texture }: LockEntry): string | undefined {
  try {
    return textureName(readTextures(value).skin.url) === textureName(texture)
      ? undefined
      : 'the value names another texture than the entry.';
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    return `${error.message[0]?.toLowerCase()}${error.message.slice(1)}`;
  }
}
