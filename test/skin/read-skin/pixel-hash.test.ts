import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { makePicture } from '../../../src/skin/picture.ts';
import { decodePng } from '../../../src/skin/png/decode.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';

describe('pixelHash', () => {
  // Computed once by a separate program in Python with a decoder and a hash of its own.
  test.each([
    ['my-skin', '4efd9d0ec03ec5318000698024f95875ebd1f17d3c44d38a0ccc2661d560dc4d'],
    ['haka', '3e77338574b20c817553a632c1b183c8455488b24d60f4dfe74fab6b0e8c3fc7'],
    ['hacksore', '4f668be16d79459f4824153811814d1b688f5f882560385f044971b4f8d357e7'],
  ])('of %s.png is the one another program computed.', (name, hash) => {
    const bytes = readFileSync(new URL(`../../fixtures/skins/${name}.png`, import.meta.url));
    expect(pixelHash(decodePng(bytes))).toBe(hash);
  });

  test('of a blank 64×64 skin is the hash of its size and zeros.', () => {
    const blank = '3bb7b782e4955b00be5b6b29ecd37bd3bf8fcc7ef1e132b23e89f4dc7b523c64';
    expect(pixelHash(makePicture(64, 64))).toBe(blank);
  });

  test('takes alpha first, columns before rows, and no colour from invisible pixels.', () => {
    const pixels = Uint8Array.of(1, 2, 3, 255, 4, 5, 6, 0, 7, 8, 9, 128, 10, 11, 12, 1);
    const input = '0000000200000002' + 'ff010203' + '80070809' + '00000000' + '010a0b0c';
    const expected = createHash('sha256').update(Buffer.from(input, 'hex')).digest('hex');
    expect(pixelHash({ width: 2, height: 2, pixels })).toBe(expected);
  });

  test('differs for the same bytes in another shape.', () => {
    const pixels = new Uint8Array(16);
    expect(pixelHash({ width: 1, height: 4, pixels })).not.toBe(pixelHash({ width: 4, height: 1, pixels }));
  });
});
