import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { InvalidImageError } from '../../../src/skin/picture.ts';
import { decodePng } from '../../../src/skin/png/decode.ts';
import { readHeader } from '../../../src/skin/png/header.ts';
import { chunk, filteredRows, headerChunk, plainPlan, SIGNATURE } from '../../support/skin/png-writer.ts';

const packed = deflateSync(filteredRows(plainPlan()));
const head = headerChunk({});
const data = chunk('IDAT', packed);
const end = chunk('IEND');
const twoColours = chunk('PLTE', Buffer.alloc(6));

function file(...parts: Uint8Array[]): Buffer {
  return Buffer.concat([SIGNATURE, ...parts]);
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

describe('An unusual but legal file is accepted:', () => {
  const split = [...packed].map((byte) => chunk('IDAT', Uint8Array.of(byte)));
  test.each([
    ['unknown side chunks everywhere', file(head, chunk('abCd'), data, chunk('vpAg', Buffer.alloc(9)), end)],
    [
      'pixel data in tiny pieces',
      file(head, ...split.slice(0, 300), chunk('IDAT', packed.subarray(300)), end),
    ],
    ['empty pixel data chunks', file(head, chunk('IDAT'), data, chunk('IDAT'), end)],
    ['a suggested palette', file(head, twoColours, data, end)],
    [
      'an animation',
      file(
        head,
        chunk('acTL', Buffer.alloc(8)),
        chunk('fcTL', Buffer.alloc(26)),
        data,
        chunk('fdAT', Buffer.alloc(8)),
        end,
      ),
    ],
  ])('%s.', (_what, bytes) => {
    expect(decodePng(bytes)).toEqual(decodePng(file(head, data, end)));
  });

  test('a longer file, if the caller raises the limit.', () => {
    const long = file(head, chunk('tEXt', Buffer.alloc(20_000)), data, end);
    expect(decodePng(long, { maxBytes: long.length }).width).toBe(64);
    expect(() => decodePng(long, { maxBytes: long.length - 1 })).toThrow(InvalidImageError);
  });
});

describe('The order of checks', () => {
  test('tells the size of an HD picture before it complains about anything behind the header.', () => {
    expect(problemOf(file(headerChunk({ width: 128, height: 128 }))).problem).toBe('dimensions');
  });

  test('tells the file length before it looks at chunks.', () => {
    expect(problemOf(file(head, Buffer.alloc(20_000, 7))).problem).toBe('too_large');
  });
});

describe('Hints', () => {
  test.each([
    [1024, 512, /64×32 with nearest neighbour.*HD skins.*mods/],
    [128, 128, /64×64 with nearest neighbour/],
    [300, 200, /not a render/],
    [64, 128, /not a render/],
    [100, 50, /not a render/],
  ])('for %i×%i pixels say what to do.', (width, height, hint) => {
    expect(problemOf(file(headerChunk({ width, height }))).hint).toMatch(hint);
  });
});

describe('readHeader', () => {
  test('reads the header of an HD file from its first 33 bytes.', () => {
    const bytes = readFileSync(new URL('../../fixtures/skins/hd-header.bin', import.meta.url));
    expect(bytes).toHaveLength(33);
    expect(readHeader(bytes)).toEqual({
      width: 512,
      height: 256,
      bitDepth: 8,
      colourType: 6,
      interlaced: false,
    });
  });

  test('refuses an empty picture and a format that does not exist.', () => {
    expect(() => readHeader(file(headerChunk({ width: 0 })))).toThrow('0×64');
    expect(() => readHeader(file(headerChunk({ bitDepth: 3 })))).toThrow('3 bits per sample');
  });

  test('works on a window into a larger buffer.', () => {
    const padded = Buffer.concat([Buffer.alloc(3), file(headerChunk({ interlace: 1 })), Buffer.alloc(3)]);
    expect(readHeader(padded.subarray(3)).interlaced).toBe(true);
  });
});
