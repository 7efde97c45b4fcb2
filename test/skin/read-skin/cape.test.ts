import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidImageError, makePicture } from '../../../src/skin/picture.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { decodeCape, pixelHash } from '../../../src/skin/read-skin.ts';
import { chunk, headerChunk, plainPlan, SIGNATURE, writePng } from '../../support/skin/png-writer.ts';

const CAPE = { width: 64, height: 32 };

/** What is wrong with a file; undefined: nothing. Any other exception fails the test. */
function troubleWith(bytes: Uint8Array): InvalidImageError | undefined {
  try {
    decodeCape(bytes);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidImageError) return error;
    throw error;
  }
}

describe('A cape', () => {
  test('is a PNG of 64×32 pixels, of any colour type, depth and interlacing', () => {
    const plans = [
      plainPlan(CAPE),
      plainPlan({ ...CAPE, interlaced: true }),
      plainPlan({ ...CAPE, bitDepth: 16 }),
    ];
    const pictures = plans.map((plan) => decodeCape(writePng(plan)));
    for (const picture of pictures) expect(picture).toMatchObject(CAPE);
    expect(pixelHash(pictures[1]!)).toBe(pixelHash(pictures[0]!));
  });

  test('is the same cape in our own encoding', () => {
    const picture = decodeCape(writePng(plainPlan(CAPE)));
    expect(pixelHash(decodeCape(encodePng(picture)))).toBe(pixelHash(picture));
  });

  test.each([
    [64, 64, /render/],
    [128, 64, /nearest neighbour/],
    [22, 17, /upper left corner/],
    [32, 64, /render/],
    [64, 31, /render/],
    [0xffff_ffff, 0xffff_ffff, /render/],
  ])('is refused at %i×%i, before anything is unpacked', (width, height, hint) => {
    const file = Buffer.concat([SIGNATURE, headerChunk({ width, height })]);
    const trouble = troubleWith(file);
    expect(trouble?.problem).toBe('dimensions');
    expect(trouble?.message).toContain(`${width}×${height}`);
    expect(trouble?.hint).toMatch(hint);
  });

  test('is refused when the file is longer than 20,000 bytes', () => {
    const png = encodePng(makePicture(64, 32));
    const padded = Buffer.concat([
      png.subarray(0, -12),
      chunk('tEXt', Buffer.alloc(20_000, 'x\0')),
      png.subarray(-12),
    ]);
    expect(troubleWith(padded)).toMatchObject({
      problem: 'too_large',
      message: expect.stringContaining('a cape can be at most'),
    });
  });

  test('is refused when it unpacks to more than its pixels, without unpacking it', () => {
    const bomb = Buffer.concat([
      SIGNATURE,
      headerChunk(CAPE),
      chunk('IDAT', deflateSync(Buffer.alloc(18 * 2 ** 20))),
      chunk('IEND'),
    ]);
    expect(bomb.length).toBeLessThan(20_000);
    const before = process.memoryUsage().arrayBuffers;
    for (let turn = 0; turn < 50; turn++) expect(troubleWith(bomb)?.problem).toBe('pixel_data');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 2 ** 20);
  });

  test('is refused wherever a byte is damaged or it is cut off', () => {
    const png = writePng(plainPlan(CAPE));
    const damage = fc.tuple(fc.nat(png.length - 1), fc.integer({ min: 1, max: 255 }));
    fc.assert(
      fc.property(damage, ([at, flip]) => {
        const damaged = Buffer.from(png);
        damaged[at]! ^= flip;
        expect(troubleWith(damaged)).toBeInstanceOf(InvalidImageError);
        expect(troubleWith(png.subarray(0, at))).toBeInstanceOf(InvalidImageError);
      }),
      { numRuns: 300, seed: 6_432 },
    );
  });
});
