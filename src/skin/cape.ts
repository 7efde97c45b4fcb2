import { readHeader, readPixels, verifyFileSize } from './decode.ts';
import { InvalidImageError, MAX_SKIN_BYTES, type Picture } from './picture.ts';

/** The one size of a cape's picture; the unmodified game shows no other. */
const WIDTH = 64;
const HEIGHT = 32;

/**
 * Decodes a cape: a PNG of 64×32 pixels, of any colour type, bit depth and interlacing, within the limits that
 * hold for skins. Throws `InvalidImageError`, and nothing else, for a bad file.
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

/** What is often given instead. */
function hintFor(width: number, height: number): string {
  if (width === 22 && height === 17) return 'Put it into the upper left corner of an empty 64×32 picture.';
  if (width === height * 2) return 'Scale it to 64×32 with nearest neighbour: the game shows no HD capes.';
  return 'Give the cape texture itself, not a render or a screenshot of it.';
}
