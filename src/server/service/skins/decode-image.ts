import { InvalidImageError } from '../../../skin/picture.ts';
import { type ReadSkin, readSkin } from '../../../skin/read-skin.ts';
import { Refusal } from '../refusal.ts';

/** Decodes a picture sent by a caller. @throws Refusal `invalid_image`, with a description of the problem */
export function decodeImage<T>(image: Uint8Array, decode: (bytes: Uint8Array) => T): T {
  try {
    return decode(image);
  } catch (error) {
    if (!(error instanceof InvalidImageError)) throw error;
    const message = error.hint ? `${error.message} ${error.hint}` : error.message;
    throw new Refusal('invalid_image', { message, cause: error });
  }
}

/** Reads a skin that a caller has sent. @throws Refusal `invalid_image` */
export function readSent(file: Uint8Array): ReadSkin {
  return decodeImage(file, readSkin);
}
