import { InvalidImageError, type Picture } from '../../../skin/picture.ts';
import { Refusal } from '../refusals/refusal.ts';

/** Decodes a picture sent by a caller. @throws Refusal `invalid_image`, with a description of the problem */
export function decodeImage(image: Uint8Array, decode: (bytes: Uint8Array) => Picture): Picture {
  try {
    return decode(image);
  } catch (error) {
    if (!(error instanceof InvalidImageError)) throw error;
    const message = error.hint ? `${error.message} ${error.hint}` : error.message;
    throw new Refusal('invalid_image', { message, cause: error });
  }
}
