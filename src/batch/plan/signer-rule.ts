import { hash } from 'node:crypto';
import { ProofError, proveSkin, readTextures, type Signing } from '../../dispatch/proof.ts';
import type { Note } from '../../protocol/envelope.ts';
import { digestOf, type LockEntry } from '../../protocol/lock-line.ts';
import { textureName } from '../../textures/property.ts';
import { isSignedBy } from '../../textures/signing-key.ts';
import type { FinishedSkin, SuppliedSkin, VariantInput } from '../model.ts';
import type { GameKeys } from '../proof/known-keys.ts';
import {
  EMBEDDED,
  GAME,
  type PublicSigningKey,
  type SignedBy,
  serviceIdentity,
  UNPROVED,
  UNPROVED_NOTE,
} from '../signers.ts';

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

/** What happens to skin data given as a source. */
export type SuppliedOutcome =
  /** It is used as the result. */
  | { readonly kind: 'kept'; readonly skin: FinishedSkin; readonly warnings: readonly Note[] }
  /** The skin is made from its texture; gives the reason. */
  | { readonly kind: 'remade'; readonly note: Note };

export interface SuppliedSkinsOptions {
  /** The service in use. */
  readonly service: string;
  /** Its own key; undefined if it publishes none or is not asked. */
  readonly askedKey: () => Promise<PublicSigningKey | undefined>;
  readonly gameKeys: GameKeys | undefined;
  /** Make every skin again. */
  readonly force: boolean;
  /** UUID of the cape for every skin. */
  readonly cape: string | undefined;
}

interface Wanted {
  readonly given: SuppliedSkin;
  readonly variant: VariantInput;
  /** The skin exists on the service: it counts even if no known key verifies its signature. */
  readonly isOfService: boolean;
}

/** Decides whether given skin data is a result: signed by the game or the service in use, with the requested options. */
export class SuppliedSkins {
  readonly #options: SuppliedSkinsOptions;
  #askedKey: Promise<PublicSigningKey | undefined> | undefined;

  constructor(options: SuppliedSkinsOptions) {
    this.#options = options;
  }

  async judge({ given, variant, isOfService }: Wanted): Promise<SuppliedOutcome> {
    const { force, cape } = this.#options;
    if (force) return remade('You asked to make everything again');
    if (cape !== undefined) return remade('The data does not prove the requested cape');
    const { value, signature } = given;
    if (signature === undefined) return remade('The value has no signature');
    const signing = await this.#prove({ value, signature }, variant);
    if (typeof signing !== 'string') return remade(signing.message.replace(/\.$/, ''));
    if (signing === 'unproved' && !isOfService) return remade('No known key verifies the signature');
    const signedBy = await this.#signedBy(signing);
    const warnings = signing === 'unproved' ? [UNPROVED_NOTE] : [];
    return { kind: 'kept', skin: { ...skinOf(given, signature), signedBy }, warnings };
  }

  async #prove(
    skin: Pick<FinishedSkin, 'value' | 'signature'>,
    variant: VariantInput,
  ): Promise<Signing | ProofError> {
    const { gameKeys } = this.#options;
    const isGames = gameKeys?.haveSignedByKnownKey(skin.value, skin.signature) ?? false;
    const publicKey = isGames ? undefined : (await this.#key())?.publicKey;
    try {
      const expected = { pixels: undefined, variant };
      return await proveSkin(skin, expected, { publicKey, gameKeys, texture: undefined });
    } catch (error) {
      if (error instanceof ProofError) return error;
      throw error;
    }
  }

  async #signedBy(signing: Signing): Promise<SignedBy> {
    if (signing !== 'service') return { signer: signing };
    return { signer: this.#options.service, key: (await this.#key())?.fingerprint };
  }

  async #key(): Promise<PublicSigningKey | undefined> {
    this.#askedKey ??= this.#options.askedKey();
    return await this.#askedKey;
  }
}

function remade(why: string): SuppliedOutcome {
  const message = `${why}, so the skin is made from its texture.`;
  return { kind: 'remade', note: { code: 'made_from_texture', message } };
}

export function givenVariant({ value }: SuppliedSkin): VariantInput {
  return readTextures(value).skin.variant;
}

function skinOf({ value, uuid, name, visibility = 'public' }: SuppliedSkin, signature: string): FinishedSkin {
  const { url, variant } = readTextures(value).skin;
  return {
    uuid: uuid ?? uuidFrom(value),
    ...(name !== undefined && { name }),
    variant,
    visibility,
    value,
    signature,
    texture: { url, hash: textureName(url) ?? '' },
  };
}

/** Pasted data has no UUID, so derive one: the same data always gets the same UUID. */
function uuidFrom(value: string): string {
  return hash('sha256', value).slice(0, 32);
}
