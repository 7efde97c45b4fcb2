import { crc32 } from 'node:zlib';
import type { Picture } from '../picture.ts';
import { HEADER_BYTES, SIGNATURE } from './header.ts';

/** PNG's numbers for the kinds of pixels that we write. */
const COLOUR_TYPES = { indexed: 3, rgba: 6 } as const;

/** A PNG file of 8-bit samples without interlacing. `chunks`: all between its header and its end. */
export function writePng(
  { width, height }: Pick<Picture, 'width' | 'height'>,
  kind: keyof typeof COLOUR_TYPES,
  chunks: readonly (readonly [type: string, data: Uint8Array])[],
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

/** Names the program that drew a picture. It stands right behind the header. */
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
