import { MAX_CHECKED_BYTES } from '../../../skin/check.ts';
import { InvalidImageError, type Picture } from '../../../skin/picture.ts';
import { decodePng } from '../../../skin/png/decode.ts';
import { encodePng } from '../../../skin/png/encode.ts';
import { renderBack, renderFront } from '../../../skin/render/flat.ts';
import { chooseVariant, type Variant } from '../../../skin/variant.ts';
import type { Figure } from './report.ts';

/**
 * Draws a skin file's figure from the front and the back, as PNGs of 16×32 pixels; undefined when the file is not a
 * readable skin. Without a variant, the image determines it.
 */
export function figureOf(bytes: Uint8Array, wish?: Variant | 'auto' | 'unknown'): Figure | undefined {
  const picture = readPicture(bytes);
  if (!picture) return undefined;
  const { variant } = chooseVariant(picture, wish);
  return {
    front: encodePng(renderFront(picture, variant)),
    back: encodePng(renderBack(picture, variant)),
  };
}

function readPicture(bytes: Uint8Array): Picture | undefined {
  try {
    return decodePng(bytes, { maxBytes: MAX_CHECKED_BYTES });
  } catch (error) {
    if (error instanceof InvalidImageError) return undefined;
    throw error;
  }
}
