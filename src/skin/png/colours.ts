import { InvalidImageError } from '../picture.ts';
import type { PngHeader } from './header.ts';
import type { PngLayout } from './layout.ts';

/** Writes the pixel whose samples begin at `from` as four RGBA bytes at `to`. */
export type Painter = (samples: Uint16Array, from: number, pixels: Uint8Array, to: number) => void;

/** Splits a row into `count` samples of 1, 2, 4, 8 or 16 bits, most significant first. */
export function readSamples(row: Uint8Array, bitDepth: number, count: number): Uint16Array {
  const samples = new Uint16Array(count);
  const most = 2 ** bitDepth - 1;
  for (let at = 0; at < count; at++) {
    if (bitDepth === 16) samples[at] = (row[at * 2]! << 8) | row[at * 2 + 1]!;
    else samples[at] = (row[(at * bitDepth) >> 3]! >> (8 - bitDepth - ((at * bitDepth) & 7))) & most;
  }
  return samples;
}

/** The painter for a picture's colour type, with its palette or colour key. */
export function makePainter(header: PngHeader, layout: PngLayout): Painter {
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
      throw new InvalidImageError(
        'palette',
        `A pixel has colour number ${index}, but the palette has only ${colours} colours.`,
      );
    }
    pixels.set(palette.subarray(index * 3, index * 3 + 3), to);
    pixels[to + 3] = alphas?.[index] ?? 255;
  };
}
