import { InvalidImageError, type Picture } from '../../../skin/picture.ts';
import { readSkin, recallSkin, type SkinFacts } from '../../../skin/read-skin.ts';
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

/** A file that is a valid picture, and what is needed of it before anything is stored. */
export interface SentPicture extends SkinFacts {
  /** Its pixels; decoded when they are asked for, if the file was read before. */
  readonly picture: () => Picture;
}

/** Reads a picture that a caller has sent. @throws Refusal `invalid_image` */
export function readSent(file: Uint8Array): SentPicture {
  const known = recallSkin(file);
  if (known) return { ...known, picture: () => known.picture ?? decode(file).picture };
  const { picture, pixels, detected } = decode(file);
  return { pixels, detected, picture: () => picture };
}

function decode(file: Uint8Array) {
  return decodeImage(file, readSkin);
}
