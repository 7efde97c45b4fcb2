/** A decoded picture. `pixels` is RGBA, row by row, 4 bytes a pixel, colours not multiplied by alpha. */
export interface Picture {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** The problem with a picture file, for programs. */
export type ImageProblem =
  | 'not_png'
  | 'header'
  | 'dimensions'
  | 'too_large'
  | 'truncated'
  | 'crc'
  | 'chunk'
  | 'chunk_order'
  | 'palette'
  | 'missing_data'
  | 'missing_end'
  | 'pixel_data';

/**
 * The file is not a picture that the game could use as a skin. `message` is a full sentence for its owner;
 * `hint`, if present, says what to do about it.
 */
export class InvalidImageError extends Error {
  readonly code = 'invalid_image';
  readonly problem: ImageProblem;
  readonly hint?: string;

  constructor(problem: ImageProblem, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'InvalidImageError';
    this.problem = problem;
    if (options.hint !== undefined) this.hint = options.hint;
  }
}

/** The hosted service's limit for a skin file, in bytes; no skin needs more: 64×64 raw pixels are 16,384 bytes. */
export const MAX_SKIN_BYTES = 20_000;

/** True for the two sizes the unmodified game shows: 64×64, and 64×32 from before game version 1.8. */
export function isSkinSize(width: number, height: number): boolean {
  return width === 64 && (height === 64 || height === 32);
}

/** The largest HD skins in use. */
const MAX_HD_WIDTH = 1024;

/** True for multiples of those sizes, up to 1024 pixels wide: HD skins, which only modified games show. */
export function isHdSkinSize(width: number, height: number): boolean {
  const isMultiple = width > 64 && width % 64 === 0 && width <= MAX_HD_WIDTH;
  return isMultiple && (height === width || height * 2 === width);
}

/** A picture of the given size, fully transparent. */
export function makePicture(width: number, height: number): Picture {
  return { width, height, pixels: new Uint8Array(width * height * 4) };
}

/** Puts a picture into a larger one, in place of what is there. */
export function copyInto(to: Picture, { width, height, pixels }: Picture, x: number, y: number): void {
  for (let row = 0; row < height; row++) {
    const line = pixels.subarray(row * width * 4, (row + 1) * width * 4);
    to.pixels.set(line, ((y + row) * to.width + x) * 4);
  }
}
