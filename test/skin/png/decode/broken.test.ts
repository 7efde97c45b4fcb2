import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { checkSkin } from '../../../../src/skin/check.ts';
import { type ImageProblem, InvalidImageError } from '../../../../src/skin/picture.ts';
import { decodePng, readPng } from '../../../../src/skin/png/decode.ts';
import { pixelHash } from '../../../../src/skin/read-skin.ts';
import {
  chunk,
  filteredRows,
  headerChunk,
  plainPlan,
  SIGNATURE,
  writePng,
} from '../../../support/skin/png-writer.ts';

const rows = filteredRows(plainPlan());
const packed = deflateSync(rows);
const head = headerChunk({});
const data = chunk('IDAT', packed);
const end = chunk('IEND');
const paletteHead = headerChunk({ colourType: 3, bitDepth: 2 });
const paletteRows = (byte: number) =>
  chunk('IDAT', deflateSync(Buffer.alloc(64 * 17, 0).map((_, at) => (at % 17 ? byte : 0))));
const twoColours = chunk('PLTE', Buffer.alloc(6));
const fourColours = chunk('PLTE', Buffer.alloc(12));

function file(...parts: Uint8Array[]): Buffer {
  return Buffer.concat([SIGNATURE, ...parts]);
}

function damaged(part: Buffer, at: number): Buffer {
  const copy = Buffer.from(part);
  copy[at]! ^= 0xff;
  return copy;
}

/** A chunk whose length field lies. */
function lying(part: Buffer, length: number): Buffer {
  const copy = Buffer.from(part);
  copy.writeUInt32BE(length, 0);
  return copy;
}

function problemOf(bytes: Uint8Array): InvalidImageError {
  try {
    decodePng(bytes);
  } catch (error) {
    if (error instanceof InvalidImageError) return error;
    throw error;
  }
  throw new Error('The broken file was accepted.');
}

type Row = [what: string, bytes: Uint8Array, problem: ImageProblem, message: RegExp];

const notPng: Row[] = [
  ['an empty file', Buffer.alloc(0), 'not_png', /is empty/],
  ['a JPEG', Buffer.from('ffd8ffe000104a464946', 'hex'), 'not_png', /but a JPEG picture/],
  ['a GIF', Buffer.from('GIF89a'), 'not_png', /but a GIF picture/],
  ['a WebP', Buffer.from('RIFF\0\0\0\0WEBPVP8 '), 'not_png', /but a WebP picture/],
  ['a BMP', Buffer.from('BM1234'), 'not_png', /but a BMP picture/],
  ['a web page', Buffer.from('\n <!DOCTYPE html><title>404'), 'not_png', /but a web page/],
  ['an SVG', Buffer.from('<?xml version="1.0"?>\n<svg>'), 'not_png', /but an SVG/],
  ['XML', Buffer.from('<?xml version="1.0"?>\n<Error>'), 'not_png', /but an XML/],
  ['JSON', Buffer.from('{"error":"gone"}'), 'not_png', /but JSON/],
  ['base64 text', Buffer.from(writePng(plainPlan()).toString('base64')), 'not_png', /as base64/],
  ['a PNG sent as text', Buffer.from('89504e470a1a0a', 'hex'), 'not_png', /text mode/],
  ['random bytes', Buffer.from('0102030405', 'hex'), 'not_png', /not a PNG picture\.$/],
];

const headers: Row[] = [
  ['one byte', SIGNATURE.subarray(0, 1), 'truncated', /ends after 1 byte\./],
  ['half a signature', SIGNATURE.subarray(0, 5), 'truncated', /ends after 5 bytes/],
  ['half a header', file(head).subarray(0, 20), 'truncated', /after 20 bytes, inside its header/],
  ['another chunk first', file(chunk('tEXt', Buffer.alloc(13)), head, data, end), 'header', /does not begin/],
  [
    'a long header',
    file(chunk('IHDR', Buffer.alloc(14)), data, end),
    'header',
    /14 bytes long instead of 13/,
  ],
  ['a wrong header checksum', file(damaged(head, 9), data, end), 'crc', /header .* damaged/],
  [
    'an HD skin',
    file(headerChunk({ width: 1024, height: 512 }), data, end),
    'dimensions',
    /1024×512 pixels; a skin is 64×64 or 64×32/,
  ],
  ['no size', file(headerChunk({ width: 0, height: 0 }), data, end), 'dimensions', /0×0/],
  [
    'a giant',
    file(headerChunk({ width: 0xffffffff, height: 0xffffffff }), data, end),
    'dimensions',
    /4294967295×/,
  ],
  [
    'colour type 5',
    file(headerChunk({ colourType: 5 }), data, end),
    'header',
    /colour type 5, which does not/,
  ],
  [
    '4-bit RGBA',
    file(headerChunk({ bitDepth: 4 }), data, end),
    'header',
    /4 bits per sample, which colour type 6/,
  ],
  ['16-bit palette', file(headerChunk({ bitDepth: 16, colourType: 3 }), data, end), 'header', /16 bits/],
  ['compression 1', file(headerChunk({ compression: 1 }), data, end), 'header', /compression method 1/],
  ['filter method 1', file(headerChunk({ filter: 1 }), data, end), 'header', /filter method 1/],
  ['interlace 2', file(headerChunk({ interlace: 2 }), data, end), 'header', /interlace method 2/],
];

const chunks: Row[] = [
  [
    'a large file',
    file(head, chunk('tEXt', Buffer.alloc(20_000)), data, end),
    'too_large',
    /\d{5} bytes; a skin can be at most 20000 bytes/,
  ],
  ['no end', file(head, data), 'missing_end', /no end/],
  ['a cut chunk', file(head, data.subarray(0, 50)), 'truncated', /IDAT chunk needs \d+ bytes, but only 38/],
  ['a cut chunk frame', file(head, data, end.subarray(0, 9)), 'truncated', /inside a chunk/],
  ['a length too long', file(head, lying(data, 50_000), end), 'truncated', /needs 50000 bytes/],
  ['a length too short', file(head, lying(data, 5), end), 'crc', /IDAT chunk at byte 33/],
  ['an impossible length', file(head, lying(data, 0x80000000), end), 'chunk', /impossible length/],
  ['a wrong checksum', file(head, damaged(data, 30), end), 'crc', /IDAT chunk at byte 33 is damaged/],
  [
    'a wrong checksum in a chunk that may hold transparency',
    file(paletteHead, fourColours, damaged(chunk('tRNS', Buffer.alloc(1)), 8), paletteRows(0), end),
    'crc',
    /tRNS/,
  ],
  [
    'a wrong checksum in a chunk of an unknown name, which may be a damaged one',
    file(head, damaged(chunk('uRNS', Buffer.alloc(4)), 9), data, end),
    'crc',
    /uRNS/,
  ],
  ['no chunk name', file(head, chunk('1234'), data, end), 'chunk', /no chunk name at byte 37/],
  ['an unknown needed chunk', file(head, chunk('ABCD'), data, end), 'chunk', /unknown chunk ABCD/],
  ['a second header', file(head, head, data, end), 'chunk_order', /second header/],
  ['no pixels', file(head, end), 'missing_data', /no IDAT/],
  [
    'split pixels',
    file(head, chunk('IDAT', packed.subarray(0, 9)), chunk('tEXt'), chunk('IDAT', packed.subarray(9)), end),
    'chunk_order',
    /tEXt chunk between/,
  ],
  [
    'too many chunks',
    file(head, ...Array.from({ length: 600 }, () => chunk('tEXt')), data, end),
    'chunk',
    /more than 512/,
  ],
];

const colours: Row[] = [
  ['no palette', file(paletteHead, paletteRows(0), end), 'palette', /has none/],
  ['an empty palette', file(paletteHead, chunk('PLTE'), paletteRows(0), end), 'palette', /0 bytes long/],
  [
    'an odd palette',
    file(paletteHead, chunk('PLTE', Buffer.alloc(7)), paletteRows(0), end),
    'palette',
    /7 bytes long/,
  ],
  [
    'a giant palette',
    file(paletteHead, chunk('PLTE', Buffer.alloc(257 * 3)), paletteRows(0), end),
    'palette',
    /has 257 colours/,
  ],
  [
    'a colour outside of the palette',
    file(paletteHead, twoColours, paletteRows(0b00011011), end),
    'palette',
    /number 2, .*only 2/,
  ],
  [
    'two palettes',
    file(paletteHead, twoColours, twoColours, paletteRows(0), end),
    'chunk_order',
    /more than one PLTE/,
  ],
  ['a late palette', file(paletteHead, paletteRows(0), twoColours, end), 'chunk_order', /PLTE chunk after/],
];

const idat = (bytes: Uint8Array) => file(head, chunk('IDAT', bytes), end);
const pixelData: Row[] = [
  ['no pixel bytes', idat(Buffer.alloc(0)), 'pixel_data', /ends early/],
  [
    'fewer pixels',
    idat(deflateSync(rows.subarray(0, 900))),
    'pixel_data',
    /ends early: it is 900 bytes long instead of 16448/,
  ],
  ['one byte less', idat(deflateSync(rows.subarray(1))), 'pixel_data', /16447 bytes long/],
  [
    'many bytes more',
    idat(deflateSync(Buffer.concat([rows, Buffer.alloc(4097)]))),
    'pixel_data',
    /more than the picture/,
  ],
  ['a cut stream', idat(packed.subarray(0, -9)), 'pixel_data', /cut off/],
  ['a cut checksum', idat(packed.subarray(0, -1)), 'pixel_data', /cut off/],
  ['a wrong Adler-32', idat(damaged(packed, packed.length - 1)), 'pixel_data', /damaged/],
  ['no zlib header', idat(packed.subarray(2)), 'pixel_data', /damaged/],
  ['a preset dictionary', idat(Buffer.from('78bb00000001', 'hex')), 'pixel_data', /damaged/],
  ['filter type 5', idat(deflateSync(damagedFilter())), 'pixel_data', /filter type 5/],
];

function damagedFilter(): Buffer {
  const copy = Buffer.from(rows);
  copy[257] = 5;
  return copy;
}

describe('A broken file is refused with its problem named:', () => {
  test.each([...notPng, ...headers, ...chunks, ...colours, ...pixelData])(
    '%s.',
    (_what, bytes, problem, message) => {
      const error = problemOf(bytes);
      expect(error.problem).toBe(problem);
      expect(error.message).toMatch(message);
      expect(error.message).toMatch(/^[A-Z].*\.$/);
      expect(error.code).toBe('invalid_image');
    },
  );
});

const white = Buffer.alloc(12, 0xff);
const greyRows = chunk('IDAT', deflateSync(Buffer.alloc(64 * 65)));
const greyHead = headerChunk({ colourType: 0 });
const rgbHead = headerChunk({ colourType: 2 });
const rgbRows = chunk('IDAT', deflateSync(Buffer.alloc(64 * 193)));
const text = chunk('tEXt', Buffer.from('Model\0Alex'));

/** What the same file without its fault decodes to, and how the fault is named. */
type Tolerated = [what: string, bytes: Uint8Array, sound: Uint8Array, fault: RegExp];

const plain = file(head, data, end);
const indexed = file(paletteHead, chunk('PLTE', white), paletteRows(0b00011011), end);
const seeThrough = file(
  paletteHead,
  chunk('PLTE', white),
  chunk('tRNS', Buffer.from([0, 9, 8, 7])),
  paletteRows(0b00011011),
  end,
);

const tolerated: Tolerated[] = [
  ['a chunk after the end', file(head, data, end, text), plain, /goes on for 22 bytes after the end/],
  ['a line break after the end', file(head, data, end, Buffer.from('\n')), plain, /for 1 byte after/],
  ['an end with content', file(head, data, chunk('IEND', Buffer.alloc(3))), plain, /holds 3 bytes/],
  ['a wrong checksum in a side chunk', file(head, damaged(text, 9), data, end), plain, /checksum .* tEXt/],
  ['bytes after the stream', idat(Buffer.concat([packed, Buffer.alloc(4)])), plain, /followed by 4 bytes/],
  [
    'one byte more',
    idat(deflateSync(Buffer.concat([rows, Buffer.alloc(1)]))),
    plain,
    /1 byte more pixel data/,
  ],
  ['a giant suggested palette', file(head, chunk('PLTE', Buffer.alloc(771)), data, end), plain, /771 bytes/],
  [
    'a grey picture with a palette',
    file(greyHead, twoColours, greyRows, end),
    file(greyHead, greyRows, end),
    /is grey but has a palette/,
  ],
  [
    'a palette that is too big',
    file(paletteHead, chunk('PLTE', Buffer.concat([white, white])), paletteRows(0b00011011), end),
    indexed,
    /8 colours, of which 2 bits per pixel reach only 4/,
  ],
  [
    'too many alphas',
    file(
      paletteHead,
      chunk('PLTE', white),
      chunk('tRNS', Buffer.from([0, 9, 8, 7, 6])),
      paletteRows(0b00011011),
      end,
    ),
    seeThrough,
    /covers 5 colours, but its palette has only 4/,
  ],
  [
    'alphas before the palette',
    file(
      paletteHead,
      chunk('tRNS', Buffer.from([0, 9, 8, 7])),
      chunk('PLTE', white),
      paletteRows(0b00011011),
      end,
    ),
    seeThrough,
    /before its palette/,
  ],
  [
    'late alphas',
    file(paletteHead, chunk('PLTE', white), paletteRows(0b00011011), chunk('tRNS', Buffer.alloc(1)), end),
    indexed,
    /follows its pixel data/,
  ],
  [
    'two transparencies',
    file(greyHead, chunk('tRNS', Buffer.from([0, 1])), chunk('tRNS', Buffer.alloc(2)), greyRows, end),
    file(greyHead, chunk('tRNS', Buffer.from([0, 1])), greyRows, end),
    /has 2 transparency chunks/,
  ],
  [
    'a short grey key',
    file(greyHead, chunk('tRNS', Buffer.alloc(1)), greyRows, end),
    file(greyHead, greyRows, end),
    /1 byte long instead of 2/,
  ],
  [
    'a long RGB key',
    file(rgbHead, chunk('tRNS', Buffer.alloc(7)), rgbRows, end),
    file(rgbHead, rgbRows, end),
    /7 bytes long instead of 6/,
  ],
];

describe('A file with a fault that leaves its pixels alone is read, and the fault is named:', () => {
  test.each(tolerated)('%s.', (_what, bytes, sound, fault) => {
    expect(readPng(sound).faults).toEqual([]);
    expect(pixelHash(decodePng(bytes))).toBe(pixelHash(decodePng(sound)));
    expect(readPng(bytes).faults.join('; ')).toMatch(fault);
    expect(checkSkin(bytes).warnings.find(({ code }) => code === 'file_faults')?.message).toMatch(fault);
    expect(readPng(checkSkin(bytes).resaved ?? bytes).faults).toEqual([]);
  });
});
