import type { KeyObject } from 'node:crypto';
import { InvalidImageError } from '../../../skin/picture.ts';
import { pixelHash } from '../../../skin/pixel-hash.ts';
import { decodePng } from '../../../skin/png/decode.ts';
import { InvalidTexturesError, parseTexturesValue } from '../../../textures/property.ts';
import { isSignedBy } from '../../../textures/signature.ts';
import { GenerationError, type SkinData, type Texture } from '../port.ts';

export interface ProofTools {
  /** The key that must have signed; undefined if it is unknown. */
  readonly publicKey: KeyObject | undefined;
  /** Requests the key again: services change their keys. */
  readonly freshKey: () => Promise<KeyObject | undefined>;
  /** The PNG of a texture. */
  readonly fetch: (url: string) => Promise<Uint8Array>;
}

/**
 * The address of the texture in skin data, after verifying that the data matches the request: it names a texture with
 * the same pixels and arm width, and the service's key has signed it.
 * @throws GenerationError `invalid_skin_data`; anything that `fetch` throws
 */
export async function proveSkin(
  { value, signature }: Pick<SkinData, 'value' | 'signature'>,
  { hash, variant }: Texture,
  tools: ProofTools,
): Promise<string> {
  const skin = skinIn(value);
  if (skin.variant !== variant) throw wrong(`it is ${skin.variant} and not ${variant}`);
  const isSigned = (key: KeyObject) => isSignedBy(key, value, signature);
  if (tools.publicKey && !isSigned(tools.publicKey)) {
    const key = await tools.freshKey();
    if (key && !isSigned(key)) throw wrong('it is not signed with the key that the service shows');
  }
  if (pixelsIn(await tools.fetch(skin.url)) !== hash) throw wrong('its texture is another picture');
  return skin.url;
}

/** The texture named in a value. @throws GenerationError `invalid_skin_data` */
export function skinIn(value: string): { readonly url: string; readonly variant: 'classic' | 'slim' } {
  try {
    const { skin } = parseTexturesValue(value);
    if (skin) return skin;
  } catch (error) {
    if (!(error instanceof InvalidTexturesError)) throw error;
    throw wrong('it cannot be read', error);
  }
  throw wrong('it has no texture');
}

/** Pixel hash of a picture; undefined if it is not a valid one. */
export function pixelsIn(png: Uint8Array): string | undefined {
  try {
    return pixelHash(decodePng(png));
  } catch (error) {
    if (error instanceof InvalidImageError) return undefined;
    throw error;
  }
}

function wrong(what: string, cause?: unknown): GenerationError {
  return new GenerationError(
    'invalid_skin_data',
    `The skin data of the service that makes the skins is invalid: ${what}.`,
    { cause },
  );
}
