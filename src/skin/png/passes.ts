import type { PngHeader } from './header.ts';

/** One pass over a picture: every `stepX`-th pixel of every `stepY`-th row from (x, y), `width`×`height` of them. */
export interface Pass {
  x: number;
  y: number;
  stepX: number;
  stepY: number;
  width: number;
  height: number;
}

/** Adam7, PNG specification section 8.2: x, y, stepX, stepY. */
const adam7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

const samplesPerPixel: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Samples (channels) in one pixel of a legal colour type. */
export function channelCount({ colourType }: PngHeader): number {
  return samplesPerPixel[colourType]!;
}

/** The passes in which a picture's pixels follow one another: one, or the seven of Adam7. */
export function listPasses({ width, height, interlaced }: PngHeader): Pass[] {
  if (!interlaced) return [{ x: 0, y: 0, stepX: 1, stepY: 1, width, height }];
  return adam7.map(([x, y, stepX, stepY]) => ({
    x,
    y,
    stepX,
    stepY,
    width: Math.ceil((width - x) / stepX),
    height: Math.ceil((height - y) / stepY),
  }));
}

/** Bytes in a row of `width` pixels, without its filter byte. */
export function rowBytes(header: PngHeader, width: number): number {
  return Math.ceil((width * channelCount(header) * header.bitDepth) / 8);
}

/** Exact length in bytes of the whole filtered picture, as its zlib stream must contain it. */
export function filteredBytes(header: PngHeader): number {
  return listPasses(header).reduce(
    (sum, { width, height }) => sum + height * (1 + rowBytes(header, width)),
    0,
  );
}
