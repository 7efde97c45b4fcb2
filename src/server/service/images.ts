import { InvalidImageError, type Picture } from '../../skin/picture.ts';
import { Refusal } from './refusal.ts';

/** A picture that somebody sent. @throws Refusal `invalid_image`, saying what is wrong with it */
export function decodeImage(image: Uint8Array, decode: (bytes: Uint8Array) => Picture): Picture {
  try {
    return decode(image);
  } catch (error) {
    if (!(error instanceof InvalidImageError)) throw error;
    const message = error.hint ? `${error.message} ${error.hint}` : error.message;
    throw new Refusal('invalid_image', { message, cause: error });
  }
}
