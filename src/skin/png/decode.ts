import { InvalidImageError, MAX_SKIN_BYTES, makePicture, type Picture } from '../picture.ts';
import { byteCount } from './byte-count.ts';
import { makePainter, type Painter, readSamples } from './colours.ts';
import { type PngHeader, readSkinHeader } from './header.ts';
import { type Inflated, inflateBounded } from './inflate.ts';
import { type PngLayout, readLayout } from './layout.ts';
import { channelCount, filteredBytes, listPasses, type Pass, rowBytes } from './passes.ts';
import { unfilterRow } from './unfilter.ts';

export { type PngHeader, readHeader } from './header.ts';

export interface DecodeLimits {
  /** Maximum file length in bytes; default `MAX_SKIN_BYTES` (20,000). */
  maxBytes?: number;
}

/** A decoded skin file. */
export interface DecodedPng {
  picture: Picture;
  header: PngHeader;
  /** True for an animated PNG; `picture` is then its still image. */
  animated: boolean;
  /** What is wrong with the file without changing its pixels, as phrases. */
  faults: readonly string[];
}

/**
 * Decodes a skin: a PNG of 64×64 or 64×32 pixels, of any colour type, bit depth and interlacing.
 * Checks header and file length before decompressing, and stops decompression at the size that such a picture
 * has, so no input costs more than a fraction of a megabyte besides itself.
 * RGB under alpha 0 is kept as in the file. Throws only `InvalidImageError`, for a bad file.
 */
export function decodePng(bytes: Uint8Array, limits: DecodeLimits = {}): Picture {
  return readPng(bytes, limits).picture;
}

/** Like `decodePng`, with other properties of the file. */
export function readPng(bytes: Uint8Array, limits: DecodeLimits = {}): DecodedPng {
  const header = readSkinHeader(bytes);
  verifyFileSize('skin', bytes.length, limits.maxBytes ?? MAX_SKIN_BYTES);
  return { header, ...readPixels(bytes, header) };
}

/**
 * Decodes what follows a checked header: decompression stops at the size that such a picture has.
 * Throws `InvalidImageError`.
 */
export function readPixels(bytes: Uint8Array, header: PngHeader): Omit<DecodedPng, 'header'> {
  const layout = readLayout(bytes, header);
  const inflated = inflateBounded(layout.data, filteredBytes(header));
  return {
    picture: paintPicture(header, layout, inflated.pixels),
    animated: layout.animated,
    faults: [...layout.faults, ...leftOver(inflated)],
  };
}

function leftOver({ surplus, rest }: Inflated): string[] {
  return [
    ...(surplus > 0 ? [`it has ${byteCount(surplus)} more pixel data than pixels`] : []),
    ...(rest > 0 ? [`its compressed pixel data is followed by ${byteCount(rest)} of something else`] : []),
  ];
}

/** `what`: the kind of picture, for the message. */
export function verifyFileSize(what: string, size: number, maxBytes: number): void {
  if (size <= maxBytes) return;
  throw new InvalidImageError(
    'too_large',
    `The file is ${size} bytes; a ${what} can be at most ${maxBytes} bytes.`,
    {
      hint: 'Save it again with an optimising PNG encoder and without metadata.',
    },
  );
}

function paintPicture(header: PngHeader, layout: PngLayout, data: Uint8Array): Picture {
  const picture = makePicture(header.width, header.height);
  const paint = makePainter(header, layout);
  let at = 0;
  for (const pass of listPasses(header)) at = paintPass(picture, pass, { header, paint, data, at });
  return picture;
}

interface PassSource {
  header: PngHeader;
  paint: Painter;
  data: Uint8Array;
  at: number;
}

/** Paints one pass from the filtered rows that begin at `at`; returns where the next pass begins. */
function paintPass(picture: Picture, pass: Pass, { header, paint, data, at }: PassSource): number {
  const channels = channelCount(header);
  const length = rowBytes(header, pass.width);
  const step = Math.max(1, (channels * header.bitDepth) >> 3);
  let above: Uint8Array = new Uint8Array(length);
  // The most common format by far; nothing needs converting.
  const isPlain = header.colourType === 6 && header.bitDepth === 8 && pass.stepX === 1 && pass.stepY === 1;
  let rowAt = at;
  for (let row = 0; row < pass.height; row++, rowAt += 1 + length) {
    const bytes = data.subarray(rowAt + 1, rowAt + 1 + length);
    unfilterRow(data[rowAt]!, bytes, above, step);
    above = bytes;
    if (isPlain) {
      picture.pixels.set(bytes, row * picture.width * 4);
      continue;
    }
    const samples = readSamples(bytes, header.bitDepth, pass.width * channels);
    const y = pass.y + row * pass.stepY;
    for (let column = 0; column < pass.width; column++) {
      const x = pass.x + column * pass.stepX;
      paint(samples, column * channels, picture.pixels, (y * picture.width + x) * 4);
    }
  }
  return rowAt;
}
