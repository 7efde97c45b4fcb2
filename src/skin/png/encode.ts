import { constants, crc32, deflateSync } from 'node:zlib';
import type { Picture } from '../picture.ts';
import { HEADER_BYTES, SIGNATURE } from './header.ts';

/** Level 6 takes a quarter longer and saves 1 % of a usual skin; 9 takes five times as long and saves 3 %. */
const LEVEL = 5;
/** Bytes that zlib makes room for at a time; most skins need less. */
const PIECE = 4096;

/**
 * Encodes a picture in the one canonical form: 8-bit RGBA, no interlacing, no row filters, only IHDR, IDAT and
 * IEND, and 0,0,0,0 for every pixel with alpha 0. Pictures with equal pixel hashes give equal bytes, which
 * matters because textures are named by that hash and game clients cache by name without looking inside.
 * The bytes are stable for one build of Node; another one's zlib may pack the same pixels differently. `deflate`: another
 * compressor, into the format of zlib.
 */
export function encodePng(picture: Picture, deflate: (rows: Buffer) => Uint8Array = deflateRows): Buffer {
  return writePng(picture, 'rgba', [['IDAT', deflate(makeRows(picture))]]);
}

function deflateRows(rows: Buffer): Buffer {
  return deflateSync(rows, { level: LEVEL, memLevel: 8, chunkSize: PIECE });
}

function makeRows({ width, height, pixels }: Picture): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 4));
  for (let y = 0, to = 1; y < height; y++, to += 1 + width * 4) {
    const row = pixels.subarray(y * width * 4, (y + 1) * width * 4);
    rows.set(row, to);
    for (let at = 0; at < row.length; at += 4) {
      if (row[at + 3] === 0) rows[to + at] = rows[to + at + 1] = rows[to + at + 2] = 0;
    }
  }
  return rows;
}

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
    ...alphaOf(colours),
    ['IDAT', compress(rows, picture.width + 1)],
  ]);
}

/** Bytes above which speed counts for more than the last tenth of the size. */
const MANY = 64 * 1024;
/** PNG's number for rows that say how they differ from the row above. */
const UP = 2;

/** A large render repeats its rows: as differences from the row above they are mostly zeros, whose runs are found at once. */
function compress(rows: Buffer, stride: number): Buffer {
  if (rows.length < MANY) return deflateSync(rows, { level: constants.Z_BEST_COMPRESSION });
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

/** The alphas of the colours, if needed: colours after the last one that is not opaque need none. */
function alphaOf(colours: Uint8Array): readonly Chunk[] {
  const alphas = channelsOf(colours, [3]);
  const count = alphas.findLastIndex((alpha) => alpha < 255) + 1;
  return count === 0 ? [] : [['tRNS', alphas.subarray(0, count)]];
}

type Chunk = readonly [type: string, data: Uint8Array];

/** PNG's numbers for the kinds of pixels that we write. */
const COLOUR_TYPES = { indexed: 3, rgba: 6 } as const;

/** A PNG file of 8-bit samples without interlacing. `chunks`: all between its header and its end. */
export function writePng(
  { width, height }: Pick<Picture, 'width' | 'height'>,
  kind: keyof typeof COLOUR_TYPES,
  chunks: readonly Chunk[],
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(8, 8); // bits per sample
  header.writeUInt8(COLOUR_TYPES[kind], 9); // compression, filter and interlace methods stay 0
  const all = [['IHDR', header] as const, ...chunks, ['IEND', Buffer.alloc(0)] as const];
  return Buffer.concat([SIGNATURE, ...all.map(([type, data]) => makeChunk(type, data))]);
}

function makeChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  chunk.set(body, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}

/** Names the program that drew a picture. It comes right after the header. */
const MARK = makeChunk('tEXt', Buffer.from('Software\0skinsmith', 'latin1'));

/** Bytes at the start of a file that tell whether it has the mark. */
export const MARKED_BYTES = HEADER_BYTES + MARK.length;

/** A PNG with the mark of pictures that skinsmith draws. */
export function markPng(png: Uint8Array): Buffer {
  return Buffer.concat([png.subarray(0, HEADER_BYTES), MARK, png.subarray(HEADER_BYTES)]);
}

/** Whether a file with this start has the mark. */
export function isMarkedPng(start: Buffer): boolean {
  return start.subarray(HEADER_BYTES, MARKED_BYTES).equals(MARK);
}
