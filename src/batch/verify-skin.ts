import { createPublicKey, type KeyObject } from 'node:crypto';
import { SkinsmithError } from '../client/errors.ts';
import { isGameTexture, ProofError, pixelsOf, readProfileTextures, readTextures } from '../dispatch/proof.ts';
import type { LockEntry } from '../protocol/lock-line.ts';
import { type SkinData, textureName } from '../textures/property.ts';
import { fingerprintOf, isSignedBy } from '../textures/signing-key.ts';
import type { SignedBy, Signer } from './model.ts';
import {
  EMBEDDED,
  GAME,
  type GameKeys,
  isSignatureShaped,
  type PublicSigningKey,
  UNPROVED,
} from './signers.ts';

/** Skin data as stored in a lockfile or a file of its own. */
export interface KeptSkin
  extends SkinData,
    Pick<LockEntry, 'source'>,
    Partial<Pick<LockEntry, 'pixels' | 'texture'>> {
  readonly variant?: string | undefined;
  /** Whether it was requested with a cape. */
  readonly hasCape?: boolean | undefined;
  readonly claim?: SignedBy | undefined;
  /** Evidence that the entry was changed after it was written, as a sentence. */
  readonly damage?: string | undefined;
}

/** A key and its owner. */
export interface SignerKey {
  readonly publicKey: KeyObject;
  /** A service's address; undefined for a given key, which is named by its fingerprint. */
  readonly service: string | undefined;
}

export interface VerifyMeans {
  /** The key that should have signed; undefined if unknown. */
  readonly key: SignerKey | undefined;
  /** Who else may have signed; absent: no one. */
  readonly gameKeys?: GameKeys | undefined;
  readonly own?: PublicSigningKey | undefined;
  readonly required?: RequiredSigner | undefined;
  /** Fetches a texture; absent: nothing is fetched. */
  readonly texture: ((url: string) => Promise<Uint8Array>) | undefined;
  /** Pixel hash of the source now; undefined if it is not available. */
  readonly sourcePixels: string | undefined;
}

/** The result for each part. `unknown`: there was nothing to compare with. */
export interface SkinVerdict {
  readonly source: string;
  readonly value: 'good' | 'bad';
  /** `unproved`: no known key verifies it, and the one that should is not known. `unsigned`: there is none. */
  readonly signature: 'good' | 'bad' | 'unproved' | 'unsigned';
  /** Whose key verifies the signature. */
  readonly signer: Signer;
  /** Fingerprint of that key, where it is not the game's. */
  readonly key?: string | undefined;
  /** The texture's pixels compared with the source's. */
  readonly pixels: 'good' | 'bad' | 'unknown';
  /** The source now compared with the one the skin was made from. */
  readonly picture: 'same' | 'changed' | 'unknown';
  /** The problems, as sentences. */
  readonly problems: readonly string[];
}

/**
 * Checks one skin in every respect. Problems are in the verdict, never thrown.
 * @throws the signal's reason, when fetching the texture is aborted
 */
export async function verifySkin(skin: KeptSkin, means: VerifyMeans): Promise<SkinVerdict> {
  const problems: string[] = [];
  if (skin.damage !== undefined) problems.push(`The entry is damaged: ${skin.damage}`);
  const texture = readTexture(skin, problems);
  const signedBy = await findSigner(skin, means);
  const signature = await signatureVerdict(skin, signedBy, means, problems);
  if (means.required && !isRequired(signedBy, means.required))
    problems.push(`It is not signed by ${requiredText(means.required)}.`);
  const expected = skin.pixels ?? means.sourcePixels;
  const pixels = texture ? await pixelsVerdict(texture.url, { expected, means, problems }) : 'unknown';
  const { sourcePixels } = means;
  const isKnown = skin.pixels !== undefined && sourcePixels !== undefined;
  const picture = !isKnown ? 'unknown' : sourcePixels === skin.pixels ? 'same' : 'changed';
  if (picture === 'changed')
    problems.push('The source no longer has the pixels that the skin was made from.');
  const value = texture ? 'good' : 'bad';
  return { source: skin.source, value, signature, ...signedBy, pixels, picture, problems };
}

/** Whether anything is wrong. */
export function isBad({ problems }: SkinVerdict): boolean {
  return problems.length > 0;
}

function readTexture(skin: KeptSkin, problems: string[]) {
  try {
    const { skin: texture, cape } = readProfileTextures(skin.value);
    if (skin.texture !== undefined && textureName(skin.texture) !== textureName(texture.url)) {
      problems.push('The texture address beside the value differs from the one in the value.');
    }
    if (skin.variant !== undefined && skin.variant !== 'unknown' && skin.variant !== texture.variant) {
      problems.push(`The value has ${texture.variant} arms, but the entry says ${skin.variant}.`);
    }
    if (skin.hasCape && !cape) problems.push('The value has no cape, but one was requested.');
    return texture;
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    problems.push(error.message);
    return undefined;
  }
}

/** Whose key verifies the signature. */
async function findSigner({ value, signature }: KeptSkin, means: VerifyMeans): Promise<SignedBy> {
  const { key, gameKeys, own } = means;
  if (gameKeys?.haveSignedByKnownKey(value, signature)) return { signer: GAME };
  if (key && isSignedBy(key.publicKey, value, signature)) {
    const fingerprint = fingerprintOf(key.publicKey);
    return { signer: key.service ?? fingerprint, key: fingerprint };
  }
  if (own && isSignedBy(own.publicKey, value, signature)) return { signer: EMBEDDED, key: own.fingerprint };
  return (await gameKeys?.haveSigned(value, signature)) ? { signer: GAME } : { signer: UNPROVED };
}

async function signatureVerdict(
  skin: KeptSkin,
  { signer }: SignedBy,
  means: VerifyMeans,
  problems: string[],
): Promise<SkinVerdict['signature']> {
  if (signer !== UNPROVED) return 'good';
  const problem = await signatureProblem(skin, means);
  if (problem === undefined) return 'unproved';
  problems.push(problem);
  return skin.signature === '' ? 'unsigned' : 'bad';
}

/** The certain problem of a signature that no known key verifies. */
async function signatureProblem(skin: KeptSkin, means: VerifyMeans): Promise<string | undefined> {
  const { signature, claim } = skin;
  const { key, own } = means;
  if (signature === '') return 'It has no signature. Use "generate" to make a signed skin from it.';
  if (!isSignatureShaped(signature)) return 'The signature is not a valid RSA signature.';
  if (key)
    return key.service === undefined
      ? 'The signature was not made with this key.'
      : `${key.service} has not signed it.`;
  if (own && claim?.key === own.fingerprint) return "It names this machine's key, which has not signed it.";
  const isGames = (await means.gameKeys?.haveSigned(skin.value, signature)) === false;
  if (isGames && (claim?.signer === GAME || namesGameTexture(skin))) return 'Mojang has not signed it.';
  return undefined;
}

function namesGameTexture({ value }: KeptSkin): boolean {
  try {
    return isGameTexture(readTextures(value).skin.url);
  } catch (error) {
    if (error instanceof ProofError) return false; // reported with the value
    throw error;
  }
}

async function pixelsVerdict(
  url: string,
  { expected, means, problems }: { expected: string | undefined; means: VerifyMeans; problems: string[] },
): Promise<SkinVerdict['pixels']> {
  if (expected === undefined) return 'unknown';
  const isNamed = textureName(url) === expected;
  if (!means.texture) return isNamed ? 'good' : 'unknown';
  try {
    if (pixelsOf(await means.texture(url)) === expected) return 'good';
    problems.push("The texture's pixels differ from the source's.");
    return 'bad';
  } catch (error) {
    if (error instanceof ProofError) {
      problems.push(error.message);
      return 'bad';
    }
    if (!(error instanceof SkinsmithError)) throw error;
    // Not available from here: if the name is the hash of the pixels, it is as good as the pixels.
    return isNamed ? 'good' : 'unknown';
  }
}

/** The required signer: the game, the service at an address, or the owner of a key with this fingerprint. */
export type RequiredSigner =
  | { readonly kind: 'game' }
  | { readonly kind: 'service'; readonly address: string }
  /** The fingerprint, or its first digits. */
  | { readonly kind: 'key'; readonly fingerprint: string };

/** Whether a known signer, by proof or from an intact entry, is the required one. */
export function isRequired({ signer, key }: SignedBy, required: RequiredSigner): boolean {
  switch (required.kind) {
    case 'game':
      return signer === GAME;
    case 'service':
      return signer === required.address;
    case 'key':
      return key?.startsWith(required.fingerprint) ?? false;
  }
}

/** The same for given skin data. A required signature of the game is verified, whatever the data claims. */
export async function isSignedAsRequired(
  { value, signature, signedBy }: { value: string; signature: string; signedBy?: SignedBy | undefined },
  required: RequiredSigner,
  gameKeys: GameKeys,
): Promise<boolean> {
  if (required.kind === 'game') return (await gameKeys.haveSigned(value, signature)) ?? false;
  return signedBy !== undefined && isRequired(signedBy, required);
}

/** For sentences: `not signed by …`. */
export function requiredText(required: RequiredSigner): string {
  if (required.kind === 'game') return 'Mojang';
  return required.kind === 'service' ? required.address : `the key ${required.fingerprint}`;
}

/** The fingerprint of a public key in PEM, which names the key as a required signer; undefined if it is no key. */
export function fingerprintIn(pem: string): string | undefined {
  try {
    return fingerprintOf(createPublicKey(pem));
  } catch {
    return undefined;
  }
}
