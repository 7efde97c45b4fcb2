import type { KeyObject } from 'node:crypto';
import { decodePng } from '../../skin/decode.ts';
import { InvalidImageError } from '../../skin/picture.ts';
import { pixelHash } from '../../skin/pixel-hash.ts';
import { InvalidTexturesError, parseTexturesValue, type Textures } from '../../textures/property.ts';
import { isSignedBy } from '../../textures/signature.ts';
import type { FinishedSkin, VariantWish } from '../types.ts';
import { textureName } from './cape-texture.ts';
import type { GameKeys } from './game-keys.ts';

/** What a result must be of. */
export interface Expected {
  /** Pixel hash of the source, where the picture was at hand. */
  readonly pixels: string | undefined;
  readonly variant: VariantWish;
  /** There where a cape was asked for; its texture's name, where that is known. */
  readonly cape?: { readonly texture: string | undefined } | undefined;
}

export interface ProofTools {
  /** The service's public key, where it has one. */
  readonly publicKey: KeyObject | undefined;
  /** Who else may have signed; absent: nobody. */
  readonly gameKeys?: GameKeys | undefined;
  /** Fetches a texture; absent: pixels are not looked at. What it throws is the cause of an `unproven`. */
  readonly texture: ((url: string) => Promise<Uint8Array>) | undefined;
}

/**
 * `wrong_skin`: somebody else's; `invalid_skin_data`: no textures value; `invalid_signature`; `unproven`: the
 * texture could not be fetched, so it is not known.
 */
export type ProofFailure = 'wrong_skin' | 'invalid_skin_data' | 'invalid_signature' | 'unproven';

/** A result that is not what it should be. */
export class ProofError extends Error {
  override readonly name = 'ProofError';
  readonly code: ProofFailure;
  readonly hint: string | undefined;

  constructor(code: ProofFailure, message: string, options: ErrorOptions & { hint?: string } = {}) {
    super(message, options);
    this.code = code;
    this.hint = options.hint;
  }
}

type SkinData = Pick<FinishedSkin, 'value' | 'signature'>;

/**
 * Proves that skin data is what was asked for: the value parses, is signed by the service's key or the game's,
 * names a texture with the source's pixels, for the arms that were wanted, with the cape that was wanted. Answers
 * whether the service's key has signed it.
 * @throws ProofError
 */
export async function proveSkin(skin: SkinData, expected: Expected, tools: ProofTools): Promise<boolean> {
  const {
    skin: { url, variant },
    cape,
  } = readTextures(skin.value);
  const isServices = await verifySignature(skin, tools);
  if (expected.variant !== 'auto' && variant !== expected.variant) {
    throw new ProofError('wrong_skin', `The skin is ${variant}, asked for was ${expected.variant}.`);
  }
  if (expected.cape) verifyCape(cape, expected.cape.texture);
  if (expected.pixels === undefined || !tools.texture || isNamedBy(url, expected.pixels)) return isServices;
  if (pixelsOf(await fetchTexture(url, tools.texture)) !== expected.pixels) {
    throw new ProofError('wrong_skin', 'The service answered with the skin of another picture.');
  }
  return isServices;
}

/** Whether it is the service's; of a service without a key, and of the game's, it is not. @throws ProofError */
async function verifySignature(
  { value, signature }: SkinData,
  { publicKey, gameKeys }: ProofTools,
): Promise<boolean> {
  if (!publicKey) return false;
  if (isSignedBy(publicKey, value, signature)) return true;
  const isGames = gameKeys ? await gameKeys.haveSigned(value, signature) : false;
  if (isGames) return false;
  throw isGames === undefined
    ? new ProofError(
        'unproven',
        "The signature is not the service's, and the game's keys cannot be asked for.",
      )
    : new ProofError('invalid_signature', "The signature is neither the service's nor the game's.");
}

function verifyCape(cape: Textures['cape'], texture: string | undefined): void {
  if (!cape) throw new ProofError('wrong_skin', 'The skin has no cape, and one was asked for.');
  if (texture !== undefined && textureName(cape.url) !== texture) {
    throw new ProofError('wrong_skin', 'The skin has another cape than was asked for.');
  }
}

async function fetchTexture(url: string, texture: NonNullable<ProofTools['texture']>): Promise<Uint8Array> {
  try {
    return await texture(url);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ProofError('unproven', `The skin's texture could not be looked at: ${why}`, {
      cause,
      hint: 'Run it again; --no-verify takes results without looking at their textures.',
    });
  }
}

/** The textures that a value names. @throws ProofError */
export function readTextures(value: string): Pick<Required<Textures>, 'skin'> & Pick<Textures, 'cape'> {
  try {
    const { skin, cape } = parseTexturesValue(value);
    if (skin) return { skin, ...(cape && { cape }) };
  } catch (cause) {
    if (!(cause instanceof InvalidTexturesError)) throw cause;
    throw new ProofError('invalid_skin_data', cause.message, { cause });
  }
  throw new ProofError('invalid_skin_data', 'The value names no skin.');
}

/** Whether the texture's address is made of these very pixels (skinsmith's own are): that is proof enough. */
function isNamedBy(url: string, pixels: string): boolean {
  return textureName(url) === pixels;
}

/** @throws ProofError when what is served is no skin */
export function pixelsOf(png: Uint8Array): string {
  try {
    return pixelHash(decodePng(png, { maxBytes: 256 * 1024 }));
  } catch (cause) {
    if (!(cause instanceof InvalidImageError)) throw cause;
    throw new ProofError('wrong_skin', `What the texture's address serves is no skin: ${cause.message}`, {
      cause,
    });
  }
}
