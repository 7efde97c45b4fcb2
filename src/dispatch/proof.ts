import type { KeyObject } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { classifyFailure, SkinsmithError, UnreadableAnswerError } from '../client/errors.ts';
import type { SkinVariant } from '../protocol/skin.ts';
import { differenceText } from '../skin/difference.ts';
import { InvalidImageError, type Picture } from '../skin/picture.ts';
import { decodePng } from '../skin/png/decode.ts';
import { pixelHash } from '../skin/read-skin.ts';
import {
  InvalidTexturesError,
  parseTextures,
  parseTexturesValue,
  type SkinData,
  type Textures,
  textureName,
} from '../textures/property.ts';
import { isSignedBy } from '../textures/signing-key.ts';
import { isTransient, LAG_PAUSES, LONG_PAUSE, Outage, ReadGate, ServiceLostError } from './outage.ts';

/** What a result must match. */
export interface ExpectedSkin {
  /** Pixel hash of the source, if the picture is available. */
  readonly pixels: string | undefined;
  /** The source's picture, requested only to describe a difference. Undefined: not available. */
  readonly picture?: (() => Picture | undefined) | undefined;
  readonly variant: 'auto' | SkinVariant;
  /** Present if a cape was requested; its texture's name, if that is known. */
  readonly cape?: { readonly texture: string | undefined } | undefined;
}

/** Nothing was sent: a lockfile, or a service, names an address in a private network. */
export class PrivateAddressError extends SkinsmithError {
  override readonly name = 'PrivateAddressError';
  readonly code = 'private_address';
  readonly isPassing = false;
  /** What to do if that is intended. */
  readonly hint: string;

  /** `address`: that of `origin`, unless it has a name. */
  constructor(origin: string, address: string | undefined, cause: unknown) {
    super(
      `${origin} is in a private network. skinsmith sends requests there only if it is the service in use.`,
      { cause },
    );
    const network = address ?? '<its network, like 10.0.0.0/8>';
    this.hint =
      'If it is your own service, use --base-url. If you trust it: ' +
      `--allow-network ${network}, or for all commands: skinsmith config set allow-network ${network}`;
  }
}

/** The game's signatures. */
export interface GameSignatures {
  /** Whether this is one of the game's keys. */
  include(key: KeyObject): boolean;
  /** Undefined: no known key has signed it, and the game cannot be asked for newer ones. */
  haveSigned(value: string, signature: string): Promise<boolean | undefined>;
}

/** What proves skin data. */
export interface ProofMeans {
  /** The service's public key, if it has one. */
  readonly publicKey: KeyObject | undefined;
  /** Reads that key again when neither it nor the game has signed: services change their keys. Undefined: it has none. */
  readonly freshKey?: (() => Promise<KeyObject | undefined>) | undefined;
  /** The game's keys; without them, skins signed by the game count as unproved. */
  readonly gameKeys?: GameSignatures | undefined;
  /** Fetches a texture; absent: pixels are not checked. Its errors become the cause of an `unverified`. */
  readonly texture: ((url: string) => Promise<Uint8Array>) | undefined;
}

/**
 * `wrong_skin`: the skin of another picture or with other options; `invalid_skin_data`: no textures value;
 * `invalid_signature`; `unverified`: the texture could not be fetched, so the result is unknown.
 */
type ProofFailure = 'wrong_skin' | 'invalid_skin_data' | 'invalid_signature' | 'unverified';

/** A result that fails its proof. */
export class ProofError extends Error {
  override readonly name = 'ProofError';
  readonly code: ProofFailure;
  readonly hint: string | undefined;
  /** The signer, if the signature was not what failed. */
  signing: Signing = 'unproved';

  constructor(code: ProofFailure, message: string, options: ErrorOptions & { hint?: string } = {}) {
    super(message, options);
    this.code = code;
    this.hint = options.hint;
  }
}

/** In the form of the lockfile. */
const BASE64 = /^[A-Za-z0-9+/=]*$/;

/** Whose key verifies a signature: the game's, the service's own, or no known one. The first and the last also name signers. */
export type Signing = 'game' | 'service' | 'unproved';

/**
 * Proves that skin data is what was requested: the value parses, is signed by the service's key or the game's,
 * and names a texture with the source's pixels, the requested variant and the requested cape. The signature of
 * a service without a published key is `unproved` unless it is the game's.
 * @throws ProofError
 */
export async function proveSkin(skin: SkinData, expected: ExpectedSkin, ports: ProofMeans): Promise<Signing> {
  const textures = readProfileTextures(skin.value);
  if (!BASE64.test(skin.signature)) throw new ProofError('invalid_skin_data', 'The signature is not base64.');
  const signing = await verifySignature(skin, textures.skin.url, ports);
  try {
    await verifyContent(textures, expected, ports);
    return signing;
  } catch (error) {
    if (error instanceof ProofError) error.signing = signing;
    throw error;
  }
}

/** @throws ProofError */
async function verifyContent(
  { skin: { url, variant }, cape }: NamedTextures,
  expected: ExpectedSkin,
  { texture }: ProofMeans,
): Promise<void> {
  if (expected.variant !== 'auto' && variant !== expected.variant) {
    throw new ProofError('wrong_skin', `The skin is ${variant}, but ${expected.variant} was requested.`);
  }
  if (expected.cape) verifyCape(cape, expected.cape.texture);
  // The textures of skinsmith are named by their pixels: that is proof enough.
  if (expected.pixels === undefined || !texture || textureName(url) === expected.pixels) return;
  const picture = pictureOf(await fetchTexture(url, texture));
  if (pixelHash(picture) !== expected.pixels) throw wrongPicture(picture, expected.picture?.());
}

function wrongPicture(made: Picture, wanted: Picture | undefined): ProofError {
  const what = wanted ? `: ${differenceText(made, wanted)}` : '';
  return new ProofError('wrong_skin', `The service answered with the skin of another picture${what}.`);
}

/** The host from which only the game serves textures. */
const GAME_TEXTURES = 'textures.minecraft.net';

/** `url`: of the texture. @throws ProofError */
async function verifySignature(
  { value, signature }: SkinData,
  url: string,
  { publicKey: known, freshKey, gameKeys }: ProofMeans,
): Promise<Signing> {
  const isBy = (key: KeyObject | undefined) => key !== undefined && isSignedBy(key, value, signature);
  if (known && isBy(known)) return gameKeys?.include(known) ? 'game' : 'service';
  const isGames = gameKeys ? await gameKeys.haveSigned(value, signature) : false;
  if (isGames) return 'game';
  const publicKey = freshKey ? await freshKey() : known;
  if (isBy(publicKey)) return 'service';
  if (!publicKey) {
    if (isGames !== false || !gameKeys || !isGameTexture(url)) return 'unproved';
    throw new ProofError('invalid_signature', "The texture is Mojang's, but the signature is not.");
  }
  throw isGames === undefined
    ? new ProofError('unverified', "The signature is not the service's, and Mojang's keys cannot be fetched.")
    : new ProofError('invalid_signature', "The signature is neither the service's nor Mojang's.");
}

/** Whether the game serves the texture: only the game signs such data. */
export function isGameTexture(url: string): boolean {
  return URL.parse(url)?.hostname === GAME_TEXTURES;
}

function verifyCape(cape: Textures['cape'], texture: string | undefined): void {
  if (!cape) throw new ProofError('wrong_skin', 'The skin has no cape, but one was requested.');
  if (texture !== undefined && textureName(cape.url) !== texture) {
    throw new ProofError('wrong_skin', 'The skin does not have the requested cape.');
  }
}

async function fetchTexture(url: string, texture: NonNullable<ProofMeans['texture']>): Promise<Uint8Array> {
  try {
    return await texture(url);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ProofError('unverified', `The skin's texture could not be checked: ${why}`, {
      cause,
      hint: 'Run it again; --no-verify accepts results without checking their textures.',
    });
  }
}

type NamedTextures = Pick<Required<Textures>, 'skin'> & Pick<Textures, 'cape'>;

/** The textures that a value names, which need not be the value of a profile. @throws ProofError */
export function readTextures(value: string): NamedTextures {
  return texturesBy(parseTextures, value);
}

/** The textures that the value of a profile names. @throws ProofError */
export function readProfileTextures(value: string): NamedTextures {
  return texturesBy(parseTexturesValue, value);
}

function texturesBy(parse: typeof parseTextures, value: string): NamedTextures {
  try {
    const { skin, cape } = parse(value);
    if (skin) return { skin, ...(cape && { cape }) };
  } catch (cause) {
    if (!(cause instanceof InvalidTexturesError)) throw cause;
    throw new ProofError('invalid_skin_data', cause.message, { cause });
  }
  throw new ProofError('invalid_skin_data', 'The value contains no skin.');
}

/** @throws ProofError when the response is not a skin */
export function pixelsOf(png: Uint8Array): string {
  return pixelHash(pictureOf(png));
}

function pictureOf(png: Uint8Array): Picture {
  try {
    return decodePng(png, { maxBytes: 256 * 1024 });
  } catch (cause) {
    if (!(cause instanceof InvalidImageError)) throw cause;
    throw new ProofError('wrong_skin', `The texture's URL does not serve a skin: ${cause.message}`, {
      cause,
    });
  }
}

/** Whether every other source would fail the same way: no service, or no permission to use it. */
export function endsBatch(error: unknown): boolean {
  if (error instanceof ServiceLostError || !(error instanceof SkinsmithError || error instanceof ProofError))
    return true;
  return classifyFailure(error)?.kind === 'key_refused';
}

interface TextureReaderOptions {
  /** One attempt to get a texture. @throws SkinsmithError */
  readonly fetch: (url: string, signal: AbortSignal) => Promise<Uint8Array>;
  readonly clock: Clock;
  readonly random: () => number;
  /** Milliseconds that a texture's host may be in trouble; default: a quarter of an hour. */
  readonly patience?: number | undefined;
  /** Textures cannot be read at the moment, with the reason; `ms`: until the next attempt. */
  readonly onWaiting?: ((message: string, ms: number) => void) | undefined;
}

/** Milliseconds that a texture's host may be in trouble before a skin is left unverified. */
const DEFAULT_PATIENCE = 15 * 60_000;
const FIRST_PAUSE = 250;
const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/**
 * Reads the textures that results are checked by, with retries of its own: their host fails independently of the
 * service. A texture that is absent may come, like a skin; while the host fails, all of them share one back-off.
 */
export class TextureReader {
  readonly #options: TextureReaderOptions;
  readonly #gate: ReadGate;

  constructor(options: TextureReaderOptions) {
    const { clock, random, onWaiting, patience = DEFAULT_PATIENCE } = options;
    const outage = new Outage({
      clock,
      random,
      patience: { firstContact: patience, outage: patience },
      firstPause: FIRST_PAUSE,
      onPause: (message, ms) => onWaiting?.(cannotRead(message), ms),
    });
    this.#options = options;
    this.#gate = new ReadGate({
      clock,
      outage,
      isTransient: (error) => isTransient(error) && !isAbsent(error),
      onSilence: (ms) => onWaiting?.('The host of the textures does not answer yet.', ms),
    });
  }

  /** @throws the last error when another try is pointless; the signal's reason when aborted */
  async read(url: string, signal: AbortSignal): Promise<Uint8Array> {
    for (let looks = 0; ; ) {
      try {
        return await this.#gate.send(async () => await this.#once(url, looks, signal), signal);
      } catch (error) {
        if (error instanceof ServiceLostError) throw error.cause;
        const isMissing = isAbsent(error);
        if (signal.aborted || !(isMissing || isTransient(error))) throw error;
        if (isMissing) await this.#wait(error, looks++, signal);
      }
    }
  }

  /** The answer to the last look is returned whatever it is: the proof says what is wrong with it. */
  async #once(url: string, looks: number, signal: AbortSignal): Promise<Uint8Array> {
    const bytes = await this.#options.fetch(url, signal);
    if (looks >= LAG_PAUSES.length || isPng(bytes)) return bytes;
    const host = URL.parse(url)?.host ?? url;
    throw new UnreadableAnswerError(`${host} answered without a picture.`, { status: 200 });
  }

  /** Waits for a texture that is not there. @throws the error after the last pause */
  async #wait(error: unknown, looks: number, signal: AbortSignal): Promise<void> {
    const { clock, onWaiting } = this.#options;
    const pause = LAG_PAUSES[looks];
    if (pause === undefined) throw error;
    if (pause >= LONG_PAUSE) onWaiting?.(cannotRead((error as Error).message), pause);
    await clock.sleep(pause, signal);
  }
}

function cannotRead(why: string): string {
  return `A texture cannot be read: ${why}`;
}

/** A texture may not be everywhere yet, or a proxy may answer in its place. Some hosts answer 403 for what they lack. */
function isAbsent(error: unknown): boolean {
  const { kind, status = 0 } = classifyFailure(error) ?? {};
  return status === 404 || status === 403 || (kind === 'unreadable' && status < 300);
}

function isPng(bytes: Uint8Array): boolean {
  return PNG_SIGNATURE.equals(bytes.subarray(0, PNG_SIGNATURE.length));
}
