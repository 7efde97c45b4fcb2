import type { Picture } from '../picture.ts';

const WIDTH = 64;
const HEIGHT = 32;

/** The front of a cape in the texture; and the rows below cape and elytra, where a skin has body and limbs. */
const FRONT = { x: 1, y: 1, width: 10, height: 16 };
const FIRST_FREE_ROW = 22;

/** Whether a 64×32 picture looks like a cape: empty where a skin has limbs, painted on a cape's front. */
export function looksLikeCape({ width, height, pixels }: Picture): boolean {
  if (width !== WIDTH || height !== HEIGHT) return false;
  const colours = new Uint32Array(pixels.slice().buffer);
  const free = colours[FIRST_FREE_ROW * WIDTH]!;
  if (colours.subarray(FIRST_FREE_ROW * WIDTH).some((colour) => colour !== free)) return false;
  for (let y = FRONT.y; y < FRONT.y + FRONT.height; y++) {
    const row = y * WIDTH + FRONT.x;
    if (
      colours
        .subarray(row, row + FRONT.width)
        .some((colour, at) => colour === free || !isOpaque(pixels, row + at))
    )
      return false;
  }
  return true;
}

function isOpaque(pixels: Uint8Array, at: number): boolean {
  return pixels[at * 4 + 3] === 255;
}
