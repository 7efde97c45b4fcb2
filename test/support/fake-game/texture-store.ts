import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { Picture } from '../../../src/skin/picture.ts';
import { decodePng } from '../../../src/skin/png/decode.ts';
import { drawSkin } from '../server/drawn-skins.ts';
import { chunk, headerChunk, SIGNATURE } from '../skin/png-writer.ts';

/** The first number of the pictures that no test uploads. */
const FOREIGN = 65_000;

/** The textures host: keeps pictures as the game does, each under the hash of its file. */
export class TextureStore {
  readonly #files = new Map<string, Buffer>();
  #foreign = 0;

  /** Stores a picture and returns its name. */
  keep(picture: Picture): string {
    return this.keepFile(encodeAsTheGame(picture));
  }

  /** The same for a file of any kind. */
  keepFile(file: Buffer): string {
    // Leading zeros are missing there.
    const hash = createHash('sha256').update(file).digest('hex').replace(/^0+/, '');
    this.#files.set(hash, file);
    return hash;
  }

  file(hash: string): Buffer | undefined {
    return this.#files.get(hash);
  }

  picture(hash: string): Picture | undefined {
    const file = this.#files.get(hash);
    return file && decodePng(file);
  }

  /** A picture that nobody requested, a different one each time. */
  keepForeign(): string {
    return this.keep(drawSkin(FOREIGN + this.#foreign++));
  }

  /** The same picture but for one pixel. */
  keepAltered({ width, height, pixels }: Picture): string {
    const other = Uint8Array.from(pixels);
    other.set([255 - other[0]!, 1, 2, 255]);
    return this.keep({ width, height, pixels: other });
  }
}

/** 8-bit RGBA, no filters, zlib level 4, nothing but the picture. */
function encodeAsTheGame({ width, height, pixels }: Picture): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 4));
  for (let y = 0; y < height; y++) {
    rows.set(pixels.subarray(y * width * 4, (y + 1) * width * 4), y * (1 + width * 4) + 1);
  }
  const data = deflateSync(rows, { level: 4 });
  return Buffer.concat([SIGNATURE, headerChunk({ width, height }), chunk('IDAT', data), chunk('IEND')]);
}
