import { hash } from 'node:crypto';
import type { Picture } from './picture.ts';

/**
 * The identity of a picture, regardless of its file format: SHA-256 over width and height as big-endian int32, then
 * alpha, red, green, blue of each pixel, column by column, with the colour zeroed where alpha is 0.
 * 64 lower-case hex digits. Same hash as the authlib-injector reference server (yggdrasil-mock, Texture.java).
 */
export function pixelHash({ width, height, pixels }: Picture): string {
  const input = Buffer.alloc(8 + width * height * 4);
  input.writeInt32BE(width, 0);
  input.writeInt32BE(height, 4);
  let at = 8;
  for (let x = 0; x < width; x++) {
    for (let y = 0; y < height; y++, at += 4) {
      const from = (y * width + x) * 4;
      const alpha = pixels[from + 3]!;
      if (alpha === 0) continue;
      input[at] = alpha;
      input[at + 1] = pixels[from]!;
      input[at + 2] = pixels[from + 1]!;
      input[at + 3] = pixels[from + 2]!;
    }
  }
  return hash('sha256', input);
}
