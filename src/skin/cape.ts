import { InvalidImageError, MAX_SKIN_BYTES, type Picture } from './picture.ts';
import { readHeader, readPixels, verifyFileSize } from './png/decode.ts';

/** The only size of a cape's picture that the unmodified game shows. */
const WIDTH = 64;
const HEIGHT = 32;

/**
 * Decodes a cape: a PNG of 64×32 pixels, of any colour type, bit depth and interlacing, within the limits that
 * apply to skins. Throws only `InvalidImageError`, for a bad file.
 */
export function decodeCape(bytes: Uint8Array): Picture {
  const header = readHeader(bytes);
  verifyCapeSize(header.width, header.height);
  verifyFileSize('cape', bytes.length, MAX_SKIN_BYTES);
  return readPixels(bytes, header).picture;
}

function verifyCapeSize(width: number, height: number): void {
  if (width === WIDTH && height === HEIGHT) return;
  throw new InvalidImageError(
    'dimensions',
    `The picture is ${width}×${height} pixels; a cape is ${WIDTH}×${HEIGHT}.`,
    { hint: hintFor(width, height) },
  );
}

/** Hints for common mistakes. */
function hintFor(width: number, height: number): string {
  if (width === 22 && height === 17) return 'Put it into the upper left corner of an empty 64×32 picture.';
  if (width === height * 2) return 'Scale it to 64×32 with nearest neighbour: the game shows no HD capes.';
  return 'Give the cape texture itself, not a render or a screenshot of it.';
}
