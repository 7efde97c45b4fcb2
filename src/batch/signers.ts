import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { SkinsmithError } from '../client/errors.ts';
import type { SkinClient } from '../client/skin-client.ts';
import type { CallOptions } from '../client/types.ts';
import { ProofError, readTextures } from '../dispatch/proof.ts';
import { PublicKeyError, readServiceKey } from '../dispatch/service-facts.ts';
import { GameError } from '../game/errors.ts';
import { type Game, isSignedByAny } from '../game/game.ts';
import type { Note } from '../protocol/envelope.ts';
import { digestOf, type LockEntry } from '../protocol/lock-line.ts';
import { textureName } from '../textures/property.ts';
import { fingerprintOf, isSignedBy } from '../textures/signing-key.ts';
import type { SignedBy, Signer } from './model.ts';

/** Who signed skin data: whose keys are known, and whether a known skin still counts with the service in use. */

export const GAME: Signer = 'game';
export const EMBEDDED: Signer = 'embedded';
export const UNPROVED: Signer = 'unproved';

/** The note on skin data that no known key verifies. */
export const UNPROVED_NOTE: Note = {
  code: 'signature_unproved',
  message: 'Unknown signer: no known key of Mojang or of the service verifies the signature.',
};

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

type PublishedKeys = Pick<Game['keys'], 'known' | 'hasSigned'>;

/**
 * Whether the game has signed a value. The keys shipped with the program verify nearly everything; for the rest,
 * newer ones are requested from the game, until a request fails.
 */
export class GameKeys {
  readonly #keys: PublishedKeys;
  #isAway: boolean;

  /** `isOffline`: the game is never asked. */
  constructor(keys: PublishedKeys, { isOffline = false }: { isOffline?: boolean } = {}) {
    this.#keys = keys;
    this.#isAway = isOffline;
  }

  /** The same keys, without asking the game for newer ones. */
  offline(): GameKeys {
    return new GameKeys(this.#keys, { isOffline: true });
  }

  /** By the available keys; false says nothing about newer ones. */
  haveSignedByKnownKey(value: string, signature: string): boolean {
    return isSignedByAny(this.#keys.known, value, signature);
  }

  /** Whether this is one of the game's available keys. */
  include(key: KeyObject): boolean {
    return this.#keys.known.some((known) => known.equals(key));
  }

  /** Undefined: no available key has signed it, and the game cannot be asked for newer ones. */
  async haveSigned(value: string, signature: string): Promise<boolean | undefined> {
    if (this.#isAway) return this.haveSignedByKnownKey(value, signature) || undefined;
    try {
      return await this.#keys.hasSigned(value, signature);
    } catch (error) {
      if (!(error instanceof GameError)) throw error;
      this.#isAway = true;
      return undefined;
    }
  }
}

/** The key that a service publishes; undefined if it publishes none or cannot be asked. */
export async function signingKeyOf(
  client: SkinClient,
  call: CallOptions,
): Promise<PublicSigningKey | undefined> {
  try {
    const { publicKey, fingerprint } = await readServiceKey({ client, call });
    return publicKey && fingerprint !== undefined ? { publicKey, fingerprint } : undefined;
  } catch (error) {
    if (error instanceof SkinsmithError || error instanceof PublicKeyError) return undefined;
    throw error;
  }
}

/** The service that makes new skins. */
interface CurrentSigner {
  /** Its address, or `embedded`. */
  readonly name: string;
  /** Fingerprint of its published key; undefined if it publishes none or was not asked. */
  readonly key: string | undefined;
}

/**
 * What a known entry's signer means for it. `current`: keep it; `outdated`: the service in use makes it again;
 * `unknown_signer`: keep it because its signer is unknown.
 */
export type SignerStatus = 'current' | 'outdated' | 'unknown_signer';

/**
 * The embedded service never makes a skin again because of its signature, so that two people's machines leave
 * each other's entries alone. A remote service replaces skins signed by an embedded service or by another
 * service's own key. Skins signed by the game are always kept.
 */
export function signerStatusOf(
  { signer, key }: SignedBy,
  { name, key: askedKey }: CurrentSigner,
): SignerStatus {
  if (name === EMBEDDED || signer === GAME) return 'current';
  if (signer === UNPROVED) return 'unknown_signer';
  const hasTheirKey = key !== undefined && key === askedKey;
  return hasTheirKey || serviceIdentity(signer) === serviceIdentity(name) ? 'current' : 'outdated';
}

interface SignerRuleOptions {
  readonly name: string;
  /** Asks the service for its own key, if that matters. */
  readonly signingKey: (() => Promise<Pick<PublicSigningKey, 'fingerprint'> | undefined>) | undefined;
  /** Keep every entry, from any signer. */
  readonly keepSignatures: boolean;
  readonly keys: KnownKeys;
}

/** Applies the rule to the entries that a plan meets. */
export class SignerRule {
  readonly #options: SignerRuleOptions;
  #askedKey: Promise<Pick<PublicSigningKey, 'fingerprint'> | undefined> | undefined;

  constructor(options: SignerRuleOptions) {
    this.#options = options;
  }

  /** Whether an entry can be outdated because of its signer. If not, no entry needs to be read. */
  get applies(): boolean {
    const { name, keepSignatures } = this.#options;
    return name !== EMBEDDED && !keepSignatures;
  }

  /** The problem with an entry, as a sentence, found before anything is written from it. */
  damageOf(entry: LockEntry): string | undefined {
    return damageOf(entry, this.#options.keys);
  }

  signedBy(entry: LockEntry): SignedBy {
    return signedBy(entry, this.#options.keys);
  }

  /** The standing of an entry if its signer is enough to tell; undefined: the entry may have to be made again. */
  keeps(signedBy: SignedBy): Exclude<SignerStatus, 'outdated'> | undefined {
    const standing = signerStatusOf(signedBy, { name: this.#options.name, key: undefined });
    return standing === 'outdated' ? undefined : standing;
  }

  /** Asks the service for its key only if an entry depends on it. */
  async judge(entry: LockEntry): Promise<{ standing: SignerStatus; signedBy: SignedBy }> {
    const signedBy = this.signedBy(entry);
    const standing = this.keeps(signedBy) ?? 'outdated';
    if (standing !== 'outdated' || signedBy.key === undefined) return { standing, signedBy };
    const { name, signingKey } = this.#options;
    this.#askedKey ??= signingKey?.() ?? Promise.resolve(undefined);
    const key = (await this.#askedKey)?.fingerprint;
    return { standing: signerStatusOf(signedBy, { name, key }), signedBy };
  }
}

/** The keys for judging lockfile entries, without any request. */
interface KnownKeys {
  readonly game?: Pick<GameKeys, 'haveSignedByKnownKey'> | undefined;
  /** This machine's own key, if it has one. */
  readonly own?: PublicSigningKey | undefined;
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
  return { signer: service, key };
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

/** Whether an entry can be what a batch wrote: its digest, its value and its signature are each sound. */
export function isUndamaged(entry: LockEntry): boolean {
  const parts = [entry, { ...entry, digest: undefined }];
  return entry.signature !== '' && parts.every((part) => damageOf(part, {}) === undefined);
}

/** Whether it is base64 of a plausible RSA signature length. */
export function isSignatureShaped(signature: string): boolean {
  const bytes = Buffer.from(signature, 'base64');
  return (
    bytes.length >= SHORTEST_SIGNATURE && bytes.length % 2 === 0 && bytes.toString('base64') === signature
  );
}

function isOwn({ value, signature }: LockEntry, own: PublicSigningKey | undefined): boolean {
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
