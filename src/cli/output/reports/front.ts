import { decodePng } from '../../../skin/decode.ts';
import { encodePng } from '../../../skin/encode.ts';
import { InvalidImageError, type Picture } from '../../../skin/picture.ts';
import { renderFront } from '../../../skin/render.ts';
import { chooseVariant, type Variant } from '../../../skin/variant.ts';

/**
 * The front of a skin file's figure as a PNG of 16×32 pixels; undefined when the file is no readable skin.
 * Without a variant it is as the picture looks.
 */
export function frontOf(bytes: Uint8Array, variant?: Variant | 'auto' | 'unknown'): Uint8Array | undefined {
  const picture = readPicture(bytes);
  return picture && encodePng(renderFront(picture, chooseVariant(picture, variant).variant));
}

function readPicture(bytes: Uint8Array): Picture | undefined {
  try {
    return decodePng(bytes);
  } catch (error) {
    if (error instanceof InvalidImageError) return undefined;
    throw error;
  }
}
