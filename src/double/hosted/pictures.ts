import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { Picture } from '../../skin/picture.ts';
import { writePng } from '../../skin/png/encode.ts';

/** A picture of one colour (RGBA, 0 to 255). */
export function plainPicture(colour: readonly [number, number, number, number]): Picture {
  return { width: 64, height: 64, pixels: new Uint8Array(64 * 64 * 4).map((_, at) => colour[at % 4]!) };
}

/**
 * The same picture in other bytes than those that were sent, as the game encodes textures itself. They are not
 * compressed: versions of zlib compress differently, and golden files hold the texture's hash.
 */
export function encodeDifferently({ width, height, pixels }: Picture): Buffer {
  const stride = width * 4;
  const rows = Buffer.alloc(height * (stride + 1));
  for (let y = 0; y < height; y++)
    rows.set(pixels.subarray(y * stride, (y + 1) * stride), y * (stride + 1) + 1);
  return writePng({ width, height }, 'rgba', [['IDAT', deflateSync(rows, { level: 0 })]]);
}

/** What stands for the picture behind an address, or a player's: nothing is fetched. The same for the same text. */
export function pictureBehind(address: string): Picture {
  const [red = 0, green = 0, blue = 0] = createHash('sha256').update(address).digest();
  return plainPicture([red, green, blue, 255]);
}
