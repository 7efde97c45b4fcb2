import { readFileSync } from 'node:fs';
import { constants, crc32, deflateRawSync, deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkSkin } from '../../../../src/skin/check.ts';
import { InvalidImageError } from '../../../../src/skin/picture.ts';
import { decodePng } from '../../../../src/skin/png/decode.ts';
import { pixelHash } from '../../../../src/skin/read-skin.ts';
import { sampled, samples } from '../../../support/setup/extent.ts';
import {
  chunk,
  filteredRows,
  headerChunk,
  plainPlan,
  SIGNATURE,
  writePng,
} from '../../../support/skin/png-writer.ts';

const SEED = 64_064;

/** Decodes and returns the problem, or undefined if it went well; any other exception escapes and fails the test. */
function problemOf(bytes: Uint8Array, maxBytes?: number): string | undefined {
  try {
    decodePng(bytes, maxBytes === undefined ? {} : { maxBytes });
    return undefined;
  } catch (error) {
    if (error instanceof InvalidImageError) return error.problem;
    throw error;
  }
}

function pngOf(data: Uint8Array): Buffer {
  return Buffer.concat([SIGNATURE, headerChunk({}), chunk('IDAT', data), chunk('IEND')]);
}

/** A zlib stream of one gigabyte of zeros, from one flushed megabyte repeated: the real thing without the wait. */
function gigabyteStream(): Buffer {
  const block = deflateRawSync(Buffer.alloc(2 ** 20), { finishFlush: constants.Z_FULL_FLUSH });
  return Buffer.concat([Buffer.from('789c', 'hex'), ...Array.from({ length: 1024 }, () => block)]);
}

describe('A decompression bomb', () => {
  test('of one gigabyte is refused without taking memory.', () => {
    const bomb = pngOf(gigabyteStream());
    const before = process.memoryUsage();
    expect(problemOf(bomb, bomb.length)).toBe('pixel_data');
    const after = process.memoryUsage();
    expect(after.rss - before.rss).toBeLessThan(32 * 2 ** 20);
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(8 * 2 ** 20);
  });

  test('within the 20,000 bytes of a skin is refused a hundred times over without taking memory.', () => {
    const bomb = pngOf(deflateSync(Buffer.alloc(18 * 2 ** 20)));
    expect(bomb.length).toBeLessThan(20_000);
    const before = process.memoryUsage().arrayBuffers;
    for (let turn = 0; turn < 100; turn++) expect(problemOf(bomb)).toBe('pixel_data');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 2 ** 20);
  });
});

const good = [
  readFileSync(new URL('../../../fixtures/skins/my-skin.png', import.meta.url)),
  readFileSync(new URL('../../../fixtures/skins/hacksore.png', import.meta.url)),
  readFileSync(new URL('../../../fixtures/skins/mcskin3d.png', import.meta.url)),
  Buffer.concat([
    SIGNATURE,
    headerChunk({ colourType: 3, bitDepth: 2 }),
    chunk('tEXt', Buffer.from('Title\0of a skin')),
    chunk('PLTE', Buffer.from('000102030405060708090a0b', 'hex')),
    chunk('tRNS', Buffer.from([0, 255, 7])),
    chunk(
      'IDAT',
      deflateSync(filteredRows(plainPlan({ colourType: 3, bitDepth: 2, samplesAt: (x) => [x % 4] }))),
    ),
    chunk('IEND'),
  ]),
  writePng(
    plainPlan({
      interlaced: true,
      bitDepth: 16,
      samplesAt: (x) => [x, x * 9, 0, 65535],
      filterOf: (n) => n % 5,
    }),
  ),
];

describe.each(good.map((bytes, at) => ({ bytes, at })))('Good file $at', ({ bytes }) => {
  test('is good.', () => {
    expect(problemOf(bytes)).toBeUndefined();
  });

  test('is refused when cut off at any length.', () => {
    const lengths = Array.from({ length: bytes.indexOf('IEND') + 8 }, (_, length) => length);
    for (const length of sampled(lengths, 5)) {
      expect(problemOf(bytes.subarray(0, length)), `${length} bytes`).toBeDefined();
    }
  });

  test('is refused, or has the same pixels, with any one byte changed.', () => {
    const pixels = pixelHash(decodePng(bytes));
    for (const at of sampled([...bytes.keys()], 3)) {
      for (const mask of sampled([0x01, 0x80, 0xff], 3, at / 3)) {
        const copy = Buffer.from(bytes);
        copy[at]! ^= mask;
        if (problemOf(copy) === undefined) {
          expect(pixelHash(decodePng(copy)), `byte ${at} mask ${mask}`).toBe(pixels);
        }
      }
    }
  });

  test('causes no other error with any one byte changed and its checksums corrected.', () => {
    for (const at of sampled([...bytes.keys()].slice(8), 3)) {
      const copy = Buffer.from(bytes);
      copy[at]! ^= 1 << (at % 8);
      problemOf(repairChecksums(copy));
    }
  });
});

function repairChecksums(bytes: Buffer): Buffer {
  let at = 8;
  while (at + 12 <= bytes.length) {
    const end = at + 8 + bytes.readUInt32BE(at);
    if (end + 4 > bytes.length) break;
    bytes.writeUInt32BE(crc32(bytes.subarray(at + 4, end)), end);
    at = end + 4;
  }
  return bytes;
}

const anyType = fc.constantFrom('PLTE', 'tRNS', 'IDAT', 'IEND', 'IHDR', 'acTL', 'tEXt', 'QQQQ');
const anyData = fc.oneof(
  fc.uint8Array({ maxLength: 800 }),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => new Uint8Array(deflateSync(bytes))),
  fc.constant(new Uint8Array(deflateSync(filteredRows(plainPlan({ colourType: 3, samplesAt: () => [3] }))))),
);
const anyHeader = fc.record({
  height: fc.constantFrom(32, 64),
  bitDepth: fc.constantFrom(1, 2, 4, 8, 16),
  colourType: fc.constantFrom(0, 2, 3, 4, 6),
  interlace: fc.constantFrom(0, 1),
});

describe(`Random input (seed ${SEED})`, () => {
  test('of bytes behind a signature gives a picture or an InvalidImageError.', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, signed) => {
        problemOf(signed ? Buffer.concat([SIGNATURE, bytes]) : bytes);
      }),
      { seed: SEED, numRuns: samples(500) },
    );
  });

  test('of chunks with right checksums gives a picture or an InvalidImageError, and checkSkin never throws.', () => {
    fc.assert(
      fc.property(anyHeader, fc.array(fc.tuple(anyType, anyData), { maxLength: 6 }), (header, list) => {
        const body = list.map(([type, data]) => chunk(type, data));
        const bytes = Buffer.concat([SIGNATURE, headerChunk(header), ...body, chunk('IEND')]);
        expect(checkSkin(bytes).valid).toBe(problemOf(bytes) === undefined);
      }),
      { seed: SEED, numRuns: samples(500) },
    );
  });

  test('of exactly as many pixel bytes as needed gives a picture unless a filter or colour does not exist.', () => {
    const size = 64 * 65;
    fc.assert(
      fc.property(fc.uint8Array({ minLength: size, maxLength: size }), fc.nat(5), (bytes, filter) => {
        for (let row = 0; row < 64; row++) bytes[row * 65] = filter;
        const file = Buffer.concat([
          SIGNATURE,
          headerChunk({ colourType: 0 }),
          chunk('IDAT', deflateSync(bytes)),
          chunk('IEND'),
        ]);
        expect(problemOf(file)).toBe(filter === 5 ? 'pixel_data' : undefined);
      }),
      { seed: SEED, numRuns: samples(100) },
    );
  });
});
