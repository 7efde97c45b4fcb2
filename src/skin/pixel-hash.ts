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
  const from = new DataView(pixels.buffer, pixels.byteOffset, pixels.byteLength);
  const to = new DataView(input.buffer, input.byteOffset + 8);
  let at = 0;
  for (let x = 0; x < width; x++) {
    for (let y = 0; y < height; y++, at += 4) {
      const colour = from.getUint32((y * width + x) * 4);
      const alpha = colour & 0xff;
      if (alpha !== 0) to.setUint32(at, (colour >>> 8) | (alpha << 24));
    }
  }
  return hash('sha256', input);
}
