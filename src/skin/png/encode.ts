import { crc32, deflateSync } from 'node:zlib';
import type { Picture } from '../picture.ts';
import { SIGNATURE } from './header.ts';

/**
 * Encodes a picture in the one canonical form: 8-bit RGBA, no interlacing, no row filters, only IHDR, IDAT and
 * IEND, and 0,0,0,0 for every pixel with alpha 0. Pictures with equal pixel hashes give equal bytes, which
 * matters because textures are named by that hash and game clients cache by name without looking inside.
 * The bytes are stable for one build of Node; another one's zlib may pack the same pixels differently.
 */
export function encodePng(picture: Picture): Buffer {
  return Buffer.concat([
    SIGNATURE,
    makeChunk('IHDR', makeHeader(picture)),
    makeChunk('IDAT', deflateSync(makeRows(picture), { level: 9, memLevel: 9 })),
    makeChunk('IEND', Buffer.alloc(0)),
  ]);
}

function makeHeader({ width, height }: Picture): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.writeUInt8(8, 8); // bits per sample
  header.writeUInt8(6, 9); // colour type RGBA; compression, filter and interlace methods stay 0
  return header;
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

function makeChunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(data.length, 0);
  chunk.set(body, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return chunk;
}
