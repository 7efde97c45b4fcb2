import { inflateSync } from 'node:zlib';
import { InvalidImageError, MAX_SKIN_BYTES, makePicture, type Picture } from '../picture.ts';
import { byteCount, type PngHeader, readSkinHeader } from './header.ts';
import { type PngLayout, readLayout } from './layout.ts';

export interface DecodeLimits {
  /** Maximum file length in bytes; default `MAX_SKIN_BYTES` (20,000). */
  maxBytes?: number;
}

/** A decoded skin file. */
export interface DecodedPng {
  picture: Picture;
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
  return readPixels(bytes, header);
}

/**
 * Decodes what follows a checked header: decompression stops at the size that such a picture has.
 * Throws `InvalidImageError`.
 */
export function readPixels(bytes: Uint8Array, header: PngHeader): DecodedPng {
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
  const message = `The file is ${size} bytes; a ${what} can be at most ${maxBytes} bytes.`;
  const hint = 'Save it again with an optimising PNG encoder and without metadata.';
  throw new InvalidImageError('too_large', message, { hint });
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

/** Bytes; zlib takes no less. */
const SMALLEST_PIECE = 64;

/** Bytes of pixel data beyond the picture that are ignored, as a careless encoder writes them. */
const MAX_SURPLUS = 4096;

/** Pixel data, and the bytes left over: in the stream behind the pixels, and in the chunks behind the stream. */
interface Inflated {
  readonly pixels: Uint8Array;
  readonly surplus: number;
  readonly rest: number;
}

/**
 * Inflates pixel data of `size` bytes. Never produces much more than `size` bytes, whatever the stream claims, so a small
 * file cannot fill the memory.
 */
function inflateBounded(data: readonly Uint8Array[], size: number): Inflated {
  const packed = Buffer.concat(data);
  const { pixels, used } = inflate(packed, size);
  if (pixels.length < size) {
    const message = `The pixel data ends early: it is ${pixels.length} bytes long instead of ${size}.`;
    throw new InvalidImageError('pixel_data', message);
  }
  return { pixels: pixels.subarray(0, size), surplus: pixels.length - size, rest: packed.length - used };
}

function inflate(packed: Uint8Array, size: number): { pixels: Uint8Array; used: number } {
  try {
    // In one piece; at its end there must be room, or zlib makes another one. `info` is the only way to learn where the
    // stream ended; the types do not declare it.
    const options = {
      maxOutputLength: size + MAX_SURPLUS,
      chunkSize: Math.max(SMALLEST_PIECE, size + 1),
      info: true,
    };
    const { buffer, engine } = inflateSync(packed, options) as unknown as {
      buffer: Uint8Array;
      engine: { bytesWritten: number };
    };
    return { pixels: buffer, used: engine.bytesWritten };
  } catch (error) {
    throw coerceInflateError(error, size);
  }
}

function coerceInflateError(error: unknown, size: number): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const asProblem = (message: string) => new InvalidImageError('pixel_data', message, { cause: error });
  if (code === 'ERR_BUFFER_TOO_LARGE') {
    return asProblem(`The pixel data holds more than the picture, which is ${size} bytes.`);
  }
  if (code === 'Z_BUF_ERROR')
    return asProblem('The pixel data ends early: its compressed stream is cut off.');
  if (code.startsWith('Z_')) return asProblem('The pixel data is damaged: it cannot be decompressed.');
  return error;
}

/** One pass over a picture: every `stepX`-th pixel of every `stepY`-th row from (x, y), `width`×`height` of them. */
interface Pass {
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
function channelCount({ colourType }: PngHeader): number {
  return samplesPerPixel[colourType]!;
}

/** The passes in which a picture's pixels follow one another: one, or the seven of Adam7. */
function listPasses({ width, height, interlaced }: PngHeader): Pass[] {
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
function rowBytes(header: PngHeader, width: number): number {
  return Math.ceil((width * channelCount(header) * header.bitDepth) / 8);
}

/** Exact length in bytes of the whole filtered picture, as its zlib stream must contain it. */
function filteredBytes(header: PngHeader): number {
  return listPasses(header).reduce(
    (sum, { width, height }) => sum + height * (1 + rowBytes(header, width)),
    0,
  );
}

type Predictor = (left: number, above: number, corner: number) => number;

/** PNG specification section 9.2: how each filter type predicts a byte from its neighbours. */
const predictors: readonly Predictor[] = [
  () => 0,
  (left) => left,
  (_left, above) => above,
  (left, above) => (left + above) >> 1,
  paeth,
];

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner;
  const toLeft = Math.abs(guess - left);
  const toAbove = Math.abs(guess - above);
  const toCorner = Math.abs(guess - corner);
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

/**
 * Undoes the filter of one row in place. `filter` is the row's filter type, `above` the row before it in the
 * same pass, unfiltered (all zero for the first), and `step` the bytes from a sample to the same sample of the
 * pixel on its left: at least 1.
 */
function unfilterRow(filter: number, row: Uint8Array, above: Uint8Array, step: number): void {
  const predict = predictors[filter];
  if (predict === undefined) {
    const message = `The pixel data is damaged: a row names filter type ${filter}, which does not exist.`;
    throw new InvalidImageError('pixel_data', message);
  }
  if (filter === 0) return;
  for (let at = 0; at < row.length; at++) {
    const left = at < step ? 0 : row[at - step]!;
    const corner = at < step ? 0 : above[at - step]!;
    row[at] = row[at]! + predict(left, above[at]!, corner);
  }
}

/** Writes the pixel whose samples begin at `from` as four RGBA bytes at `to`. */
type Painter = (samples: Uint16Array, from: number, pixels: Uint8Array, to: number) => void;

/** Splits a row into `count` samples of 1, 2, 4, 8 or 16 bits, most significant first. */
function readSamples(row: Uint8Array, bitDepth: number, count: number): Uint16Array {
  const samples = new Uint16Array(count);
  const most = 2 ** bitDepth - 1;
  for (let at = 0; at < count; at++) {
    if (bitDepth === 16) samples[at] = (row[at * 2]! << 8) | row[at * 2 + 1]!;
    else samples[at] = (row[(at * bitDepth) >> 3]! >> (8 - bitDepth - ((at * bitDepth) & 7))) & most;
  }
  return samples;
}

/** The painter for a picture's colour type, with its palette or colour key. */
function makePainter(header: PngHeader, layout: PngLayout): Painter {
  if (header.colourType === 3) return makePalettePainter(layout.palette!, layout.transparency);
  const isGrey = header.colourType === 0 || header.colourType === 4;
  const scale = makeScale(header.bitDepth);
  const alphaOf = makeAlphaReader(header, layout.transparency, scale);
  return (samples, from, pixels, to) => {
    for (let channel = 0; channel < 3; channel++) {
      pixels[to + channel] = scale(samples[from + (isGrey ? 0 : channel)]!);
    }
    pixels[to + 3] = alphaOf(samples, from);
  };
}

/**
 * Scales a sample to 8 bits by the nearest value, as the PNG specification (section 13.12) recommends and pngjs
 * and libpng's `png_set_scale_16` do. Readers that keep only the high byte of 16 may be off by one.
 */
function makeScale(bitDepth: number): (sample: number) => number {
  const most = 2 ** bitDepth - 1;
  return (sample) => Math.floor((sample * 255) / most + 0.5);
}

function makeAlphaReader(
  { colourType, bitDepth }: PngHeader,
  transparency: Uint8Array | undefined,
  scale: (sample: number) => number,
): (samples: Uint16Array, from: number) => number {
  if (colourType === 4) return (samples, from) => scale(samples[from + 1]!);
  if (colourType === 6) return (samples, from) => scale(samples[from + 3]!);
  if (transparency === undefined) return () => 255;
  // The key always has 16-bit fields, of which only the low `bitDepth` bits count. It is compared before
  // scaling: two 16-bit colours that look the same at 8 bits are not both transparent.
  const key = readSamples(transparency, 16, transparency.length / 2).map(
    (field) => field & (2 ** bitDepth - 1),
  );
  return (samples, from) => (key.every((sample, channel) => sample === samples[from + channel]) ? 0 : 255);
}

function makePalettePainter(palette: Uint8Array, alphas: Uint8Array | undefined): Painter {
  const colours = palette.length / 3;
  return (samples, from, pixels, to) => {
    const index = samples[from]!;
    if (index >= colours) {
      const message = `A pixel has colour number ${index}, but the palette has only ${colours} colours.`;
      throw new InvalidImageError('palette', message);
    }
    pixels.set(palette.subarray(index * 3, index * 3 + 3), to);
    pixels[to + 3] = alphas?.[index] ?? 255;
  };
}
