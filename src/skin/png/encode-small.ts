import { constants, deflateSync } from 'node:zlib';
import type { Picture } from '../picture.ts';
import { encodePng } from './encode.ts';
import { writePng } from './write.ts';

const MAX_COLOURS = 256;

/**
 * Encodes a picture for viewing: with a palette where it has at most 256 colours, as most renders do, which takes a
 * fraction of the time and two thirds of the bytes. The pixels are those that `encodePng` keeps; the bytes are not
 * canonical, so never name a texture by them.
 */
export function encodeSmallPng(picture: Picture): Buffer {
  const indexed = indexColours(picture);
  if (!indexed) return encodePng(picture);
  const { rows, colours } = indexed;
  return writePng(picture, 'indexed', [
    ['PLTE', channelsOf(colours, [0, 1, 2])],
    ['tRNS', channelsOf(colours, [3])],
    ['IDAT', compress(rows, picture.width + 1)],
  ]);
}

/** Bytes above which speed counts for more than the last tenth of the size. */
const MANY = 64 * 1024;
/** PNG's number for rows that say how they differ from the row above. */
const UP = 2;

/** A large render repeats its rows: as differences from the row above they are mostly zeros, whose runs are found at once. */
function compress(rows: Buffer, stride: number): Buffer {
  if (rows.length < MANY) return deflateSync(rows);
  for (let at = rows.length - 1; at >= stride; at--) rows[at]! -= rows[at - stride]!;
  for (let at = 0; at < rows.length; at += stride) rows[at] = UP;
  return deflateSync(rows, { strategy: constants.Z_RLE });
}

interface Indexed {
  /** One byte a pixel, with PNG's filter byte before each row. */
  readonly rows: Buffer;
  /** RGBA, in the order of their numbers. */
  readonly colours: Uint8Array;
}

/** Undefined if there are too many colours. */
function indexColours({ width, height, pixels }: Picture): Indexed | undefined {
  const words = new Int32Array(new Uint8Array(pixels).buffer); // signed: V8 has no objects for such numbers
  const rows = Buffer.alloc(height * (width + 1));
  const numbers = new Map<number, number>();
  const colours: number[] = [];
  let known: number | undefined; // neighbours are mostly equal: a skin's pixel covers many of the render's
  let number = 0;
  for (let at = 0, to = 0; at < words.length; at++, to++) {
    if (at % width === 0) to++;
    const word = words[at]!;
    if (word !== known) {
      known = word;
      const found = numbers.get(word);
      number = found ?? numbers.size;
      if (found === undefined) {
        if (numbers.size === MAX_COLOURS) return undefined;
        numbers.set(word, number);
        colours.push(...visible(pixels.subarray(at * 4, at * 4 + 4)));
      }
    }
    rows[to] = number;
  }
  return { rows, colours: Uint8Array.from(colours) };
}

/** What is invisible has no colour. */
function visible(colour: Uint8Array): Uint8Array {
  return colour[3] === 0 ? new Uint8Array(4) : colour;
}

function channelsOf(colours: Uint8Array, channels: readonly number[]): Uint8Array {
  return colours.filter((_, at) => channels.includes(at % 4));
}
