import { hash } from 'node:crypto';
import { ByteCache } from '../../../base/byte-cache.ts';
import type { Picture } from '../../../skin/picture.ts';
import { pixelHash } from '../../../skin/pixel-hash.ts';
import { decodePng } from '../../../skin/png/decode.ts';
import { type DetectedVariant, detectVariant } from '../../../skin/variant.ts';
import { decodeImage } from '../skins/decode-image.ts';

const MAX_BYTES = 1024 * 1024;
/** About what the texts of an entry take: they are few and short. */
const FACTS_BYTES = 300;

/** What a file shows, as far as it is needed before anything is stored. */
interface Facts {
  readonly textureHash: string;
  readonly detected: DetectedVariant;
}

/** A file that is a valid picture. */
export interface SentPicture extends Facts {
  /** Its pixels; decoded when they are asked for, if the file was sent before. */
  readonly picture: () => Picture;
}

/** Reads the pictures that callers send. Of files that are sent again and again, it remembers what they show. */
export class SentPictures {
  readonly #decode: (file: Uint8Array) => Picture;
  readonly #known = new ByteCache<Facts>(MAX_BYTES, () => FACTS_BYTES);

  constructor(decode = decodePng) {
    this.#decode = (file) => decodeImage(file, decode);
  }

  /** @throws Refusal `invalid_image` */
  read(file: Uint8Array): SentPicture {
    const digest = hash('sha256', file, 'base64');
    const known = this.#known.get(digest);
    if (known) return { ...known, picture: () => this.#decode(file) };
    const picture = this.#decode(file);
    const facts = { textureHash: pixelHash(picture), detected: detectVariant(picture) };
    this.#known.set(digest, facts);
    return { ...facts, picture: () => picture };
  }
}
