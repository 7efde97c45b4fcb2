import { createHash } from 'node:crypto';

/**
 * The game profile's `textures` property: a JSON document in base64 (the *value*) and an RSA
 * signature over that base64 text. Shape as in the authlib-injector specification and in signed
 * answers of the game's session server.
 */

export type TextureModel = 'classic' | 'slim';

/** The content of a textures value. `skin`/`cape` are absent when the profile has none. */
export interface Textures {
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  /** 32 lower-case hexadecimal digits, no dashes. */
  readonly profileId: string;
  readonly profileName: string;
  readonly skin?: { readonly url: string; readonly variant: TextureModel };
  readonly cape?: { readonly url: string };
}

/** A value that is not a textures property. `message` describes the problem. */
export class InvalidTexturesError extends Error {
  override readonly name = 'InvalidTexturesError';
  readonly code = 'invalid_skin_data';
  /** Whether its end seems to be missing. */
  readonly isCut: boolean;

  constructor(message: string, { isCut = false, ...options }: ErrorOptions & { isCut?: boolean } = {}) {
    super(message, options);
    this.isCut = isCut;
  }
}

/** Signed skin data: what servers and clients take. Not proved by its type. */
export interface SkinData {
  /** Base64 of the textures document. */
  readonly value: string;
  /** Base64 of the RSA signature over `value`. */
  readonly signature: string;
}

/** Real values have about 400 to 700 characters; anything longer is refused. */
const MAX_VALUE_LENGTH = 32_768;
/** The fields of a value besides its textures: whose they are, and from when. */
const PROFILE = ['timestamp', 'profileId', 'profileName'];
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * The base64 value of a signed property. Writes `metadata` for slim only: every reader takes its absence for
 * classic, and some readers take any `metadata` for slim.
 */
export function buildTexturesValue(textures: Textures): string {
  const { skin, cape } = textures;
  const model = skin?.variant === 'slim' ? { metadata: { model: 'slim' } } : {};
  const document = {
    timestamp: textures.timestamp,
    profileId: textures.profileId,
    profileName: textures.profileName,
    signatureRequired: true,
    textures: {
      ...(skin && { SKIN: { url: skin.url, ...model } }),
      ...(cape && { CAPE: { url: cape.url } }),
    },
  };
  return Buffer.from(JSON.stringify(document)).toString('base64');
}

/** Parses the value of a profile, as game servers do. @throws InvalidTexturesError */
export function parseTexturesValue(value: string): Textures {
  const document = decodeDocument(value);
  if (PROFILE.every((field) => document[field] === undefined) && texturesOf(document).skin)
    throw new InvalidTexturesError('The value has a texture, but no profile: it is meant for a head.');
  return {
    timestamp: typed(document['timestamp'], 'number', 'timestamp'),
    profileId: typed(document['profileId'], 'string', 'profileId'),
    profileName: typed(document['profileName'], 'string', 'profileName'),
    ...texturesOf(document),
  };
}

/**
 * Parses the textures alone: the values that catalogues of heads give have nothing else, and are not signed.
 * @throws InvalidTexturesError
 */
export function parseTextures(value: string): Pick<Textures, 'skin' | 'cape'> {
  return texturesOf(decodeDocument(value));
}

function texturesOf(document: Record<string, unknown>): Pick<Textures, 'skin' | 'cape'> {
  const textures = record(document['textures'], 'textures');
  const skin = textures['SKIN'] === undefined ? undefined : record(textures['SKIN'], 'textures.SKIN');
  const cape = textures['CAPE'] === undefined ? undefined : record(textures['CAPE'], 'textures.CAPE');
  return {
    ...(skin && { skin: { url: httpUrl(skin['url'], 'textures.SKIN.url'), variant: modelOf(skin) } }),
    ...(cape && { cape: { url: httpUrl(cape['url'], 'textures.CAPE.url') } }),
  };
}

function decodeDocument(value: string): Record<string, unknown> {
  if (value.length > MAX_VALUE_LENGTH)
    throw new InvalidTexturesError(`The value is ${value.length} characters long.`);
  if (value.length % 4 !== 0 || !BASE64.test(value))
    throw new InvalidTexturesError('The value is not base64.', { isCut: CUT_TEXT.test(value) });
  const text = Buffer.from(value, 'base64').toString('utf8');
  try {
    return record(JSON.parse(text), 'value');
  } catch (error) {
    if (error instanceof InvalidTexturesError) throw error;
    throw new InvalidTexturesError('The value does not contain JSON.', { isCut: isOpen(text), cause: error });
  }
}

/** Base64 that lacks its end, or has dots instead. */
const CUT_TEXT = /^[A-Za-z0-9+/]+(?:…|\.{2,})?$/;

/** Whether a text begins as a JSON object, and has more braces that open than braces that close. */
function isOpen(text: string): boolean {
  return text.startsWith('{') && text.split('{').length > text.split('}').length;
}

/** Missing metadata is classic, "slim" in any case is slim (as plugins read it). */
function modelOf(skin: Record<string, unknown>): TextureModel {
  if (skin['metadata'] === undefined) return 'classic';
  const model = record(skin['metadata'], 'textures.SKIN.metadata')['model'];
  return typeof model === 'string' && model.toLowerCase() === 'slim' ? 'slim' : 'classic';
}

function httpUrl(input: unknown, field: string): string {
  const text = typed(input, 'string', field);
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new InvalidTexturesError(`The value's ${field} is not an http URL.`);
  }
  return text;
}

function record(input: unknown, field: string): Record<string, unknown> {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) {
    return input as Record<string, unknown>;
  }
  throw new InvalidTexturesError(`The value's ${field} is not an object.`);
}

interface Primitives {
  number: number;
  string: string;
}

function typed<K extends keyof Primitives>(input: unknown, kind: K, field: string): Primitives[K] {
  if (typeof input === kind) return input as Primitives[K];
  throw new InvalidTexturesError(`The value's ${field} is not a ${kind}.`);
}

/** The name of a texture: the last segment of its URL, its hash on any host. Undefined for a text that is not a URL. */
export function textureName(url: string): string | undefined {
  return URL.parse(url)?.pathname.split('/').at(-1);
}

/** A UUID in two notations: with dashes, and as the game's commands expect it. */
interface ProfileId {
  readonly uuid: string;
  /** Its four signed 32-bit parts, most significant first. */
  readonly parts: readonly number[];
}

/**
 * Derives the profile id for skin data from the value, so that equal heads stack, different heads are cached
 * separately, and no player's own id is used. It is a UUID of version 8 (RFC 9562), the version for custom schemes.
 */
export function profileId(value: string): ProfileId {
  const bytes = createHash('sha256').update(value).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const uuid = bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return { uuid, parts: [0, 4, 8, 12].map((at) => bytes.readInt32BE(at)) };
}
