import { hash } from 'node:crypto';
import { bareUuid, isUuid, shownName } from '../../base/text.ts';
import { NetworkError, ServiceError, SkinsmithError } from '../../client/errors.ts';
import type { SkinClient } from '../../client/skin-client.ts';
import type { CallOptions } from '../../client/types.ts';
import { isGameTexture, ProofError, proveSkin, readTextures, type Signing } from '../../dispatch/proof.ts';
import type { Note } from '../../protocol/envelope.ts';
import { visibilitySchema } from '../../protocol/skin.ts';
import { InvalidTexturesError, parseTextures, textureName } from '../../textures/property.ts';
import {
  type BatchSource,
  type FinishedSkin,
  type SignedBy,
  type SourceContent,
  type SuppliedSkin,
  unusable,
  type VariantInput,
} from '../model.ts';
import { type GameKeys, type PublicSigningKey, UNPROVED_NOTE } from '../signers.ts';
import { mirroredStem, nameStem } from './files.ts';
import type { SkinInJson } from './skin-json.ts';

/** Characters of a texture's name that identify a skin for people. */
const SHOWN_NAME = 16;
/** The signature of an 8,192-bit key has 1,368. */
const LONGEST_SIGNATURE = 4_096;
/** Names in results and the lockfile for sources without a path. */
const NO_PATH = /^(?:https?|user|bytes|value|skin|bedrock|data):/i;
const LONGEST_LABEL = 256;

/**
 * Skin data as a source, named by the JSON, otherwise by its place in a file, otherwise by the texture in its
 * value.
 */
export function skinSource({ signature, ...about }: SkinInJson, place?: string): BatchSource {
  const value = padded(about.value);
  const read = readTexture(value, signature);
  if ('problem' in read) {
    const label = about.source ?? place ?? `value:${value.slice(0, SHOWN_NAME)}…`;
    return { label: label.slice(0, LONGEST_LABEL), content: problem(read), stem: 'value' };
  }
  const { name } = read;
  const short = name.length > SHOWN_NAME ? `${name.slice(0, SHOWN_NAME)}…` : name;
  const { source, value: _, ...rest } = about;
  return {
    label: (source ?? place ?? `value:${short}`).slice(0, LONGEST_LABEL),
    content: { kind: 'data', given: { value, ...(signature && { signature }), ...checked(rest) } },
    stem: stemOf(source, about.name, name),
  };
}

/** Base64 whose padding got lost where it was copied. */
function padded(value: string): string {
  return /^[A-Za-z0-9+/]+$/.test(value) && value.length % 4 > 1
    ? value.padEnd(Math.ceil(value.length / 4) * 4, '=')
    : value;
}

/** Why a value is not skin data. `isCut`: its end seems to be missing. */
interface Unreadable {
  readonly problem: string;
  readonly isCut?: boolean;
}

/** The texture's name, or why there is none. */
function readTexture(value: string, signature: string | undefined): { readonly name: string } | Unreadable {
  if (signature !== undefined && signature.length > LONGEST_SIGNATURE)
    return { problem: `The signature has more than ${LONGEST_SIGNATURE} characters.` };
  try {
    const { skin } = parseTextures(value);
    if (!skin) return { problem: 'The value contains no skin.' };
    return { name: textureName(skin.url) || 'texture' };
  } catch (error) {
    if (!(error instanceof InvalidTexturesError)) throw error;
    return { problem: error.message, isCut: error.isCut };
  }
}

function problem({ problem: message, isCut }: Unreadable): SourceContent {
  const hint = isCut
    ? 'Copy the whole value; a signature follows it after a space.'
    : 'A value is the base64 of {"textures":{"SKIN":{"url":"…"}}}.';
  return unusable('invalid_skin_data', message, hint);
}

/** What the data claims about itself, as far as it is plausible. */
function checked({ uuid, name, visibility, pixels }: Omit<SkinInJson, 'value'>): Omit<SuppliedSkin, 'value'> {
  const seen = visibilitySchema.safeParse(visibility).data;
  const skinName = name === undefined ? '' : shownName(name);
  return {
    ...(uuid !== undefined && isUuid(uuid) && { uuid: bareUuid(uuid) }),
    ...(skinName !== '' && { name: skinName }),
    ...(seen && { visibility: seen }),
    ...(pixels !== undefined && /^[0-9a-f]{64}$/.test(pixels) && { pixels }),
  };
}

function stemOf(source: string | undefined, name: string | undefined, texture: string): string {
  const isPath = source !== undefined && source !== '-' && !NO_PATH.test(source);
  return (isPath ? mirroredStem(source) : '') || (name && nameStem(shownName(name))) || texture;
}

/** A texture that cannot be fetched. */
export class SuppliedTextureError extends SkinsmithError {
  override readonly name = 'SuppliedTextureError';
  readonly code = 'texture_unavailable';
  readonly isPassing = false;
  readonly hint = 'Save the picture as a file and give that.';
}

/** Milliseconds that the texture's host may fail. */
const RETRY = { budget: 3_000, patience: 10_000 };

/**
 * The texture of given skin data, a PNG of at most 256 KiB. An embedded service signs URLs that only `serve`
 * answers, so the same path is also tried on the service in use.
 * @throws SuppliedTextureError; the signal's reason
 */
export async function fetchSuppliedTexture(
  given: SuppliedSkin,
  client: SkinClient,
  { signal }: Pick<CallOptions, 'signal'>,
): Promise<Uint8Array> {
  const { url } = readTextures(given.value).skin;
  const call = { signal, retry: RETRY };
  try {
    return await client.texture(url, call);
  } catch (error) {
    if (signal?.aborted || !(error instanceof SkinsmithError)) throw error;
    const { pathname } = new URL(url);
    if (!isGameTexture(url) && isOwnPath(pathname)) {
      const served = await ownTexture(client, pathname, call);
      if (served) return served;
    }
    throw new SuppliedTextureError(`Its texture could not be fetched: ${error.message}`, { cause: error });
  }
}

/** Where services of ours serve textures. */
function isOwnPath(path: string): boolean {
  return /^\/textures\/[0-9a-f]{64}$/.test(path);
}

/** Undefined if the service does not have it either. */
async function ownTexture(
  client: SkinClient,
  path: string,
  call: CallOptions,
): Promise<Uint8Array | undefined> {
  try {
    return await client.texture(new URL(path, client.baseUrl).href, call);
  } catch (error) {
    if (error instanceof ServiceError || error instanceof NetworkError) return undefined;
    throw error;
  }
}

/** Answers meaning that the service has no such skin, or none visible to the caller. */
const ABSENT = new Set([400, 403, 404, 410, 422]);

/** Milliseconds that a service may fail after it has answered before. */
const OUTAGE = { budget: 15 * 60_000, patience: 15 * 60_000 };

/** Asks a service for skins by UUID; see `findSkin`. Waits longer for it once it has answered. */
export function skinFinder(
  connect: () => Promise<SkinClient>,
  call: CallOptions,
): (uuid: string) => Promise<SuppliedSkin | undefined> {
  let hasAnswered = false;
  return async (uuid) => {
    const client = await connect();
    const skin = await findSkin(client, uuid, hasAnswered ? { ...call, retry: OUTAGE } : call);
    hasAnswered = true;
    return skin;
  };
}

/** The skin with a UUID; undefined if the service has none. @throws the client's other errors */
export async function findSkin(
  client: SkinClient,
  uuid: string,
  call: CallOptions,
): Promise<SuppliedSkin | undefined> {
  try {
    const { name, visibility, texture } = await client.skin(uuid, call);
    const { value, signature } = texture.data;
    return { value, signature, uuid, name, visibility };
  } catch (error) {
    if (error instanceof ServiceError && ABSENT.has(error.status)) return undefined;
    throw error;
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
