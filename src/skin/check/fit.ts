import { InvalidImageError, isHdSkinSize, type Picture } from '../picture.ts';
import { readPixels, verifyFileSize } from '../png/decode.ts';
import { encodePng } from '../png/encode.ts';
import { readHeader } from '../png/header.ts';
import { scaleRect } from '../scaling.ts';

/** A scaled-down HD skin. */
export interface FittedSkin {
  /** The PNG of 64×64 or 64×32 pixels. */
  readonly bytes: Buffer;
  readonly picture: Picture;
  /** Size of the original. */
  readonly from: { readonly width: number; readonly height: number };
}

/** Far more bytes than the largest such picture needs. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Scales an HD skin (128×128, 512×256, … up to 1024 pixels wide) down to the game's size by nearest neighbour.
 * Undefined if the picture is not one. @throws InvalidImageError for an HD skin that cannot be decoded
 */
export function fitSkin(bytes: Uint8Array): FittedSkin | undefined {
  const header = headerOf(bytes);
  if (!header || !isHdSkinSize(header.width, header.height)) return undefined;
  verifyFileSize('picture', bytes.length, MAX_BYTES);
  const { width, height } = header;
  const original = readPixels(bytes, header).picture;
  const picture = scaleRect(original, { x: 0, y: 0, width, height }, 64, (64 * height) / width);
  return { bytes: encodePng(picture), picture, from: { width, height } };
}

/** A file that is not a PNG is left to the skin check to report. */
function headerOf(bytes: Uint8Array) {
  try {
    return readHeader(bytes);
  } catch (error) {
    if (error instanceof InvalidImageError) return undefined;
    throw error;
  }
}
