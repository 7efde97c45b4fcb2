import { inflateSync } from 'node:zlib';
import fc from 'fast-check';
import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../src/double/seed.ts';
import { MAX_SKIN_BYTES, type Picture } from '../../../src/skin/picture.ts';
import { decodePng } from '../../../src/skin/png/decode.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { pixelHash } from '../../../src/skin/read-skin.ts';
import { drawFigure, fill } from '../../support/skin/drawing.ts';

const SEED = 7;

const anyPicture = fc.tuple(fc.constantFrom(32, 64), fc.integer()).map(([height, seed]): Picture => {
  const random = seededRandom(seed);
  const alphas = [0, 0, 255, 255, random(256)];
  const pixels = Uint8Array.from({ length: 64 * height * 4 }, (_, at) =>
    at % 4 === 3 ? alphas[random(5)]! : random(256),
  );
  return { width: 64, height, pixels };
});

function cleared({ pixels, ...size }: Picture): Picture {
  const copy = Uint8Array.from(pixels);
  for (let at = 0; at < copy.length; at += 4) if (copy[at + 3] === 0) copy.fill(0, at, at + 4);
  return { ...size, pixels: copy };
}

describe(`encodePng (seed ${SEED})`, () => {
  test('gives back the same pixels when decoded, with invisible ones cleared, here and in pngjs.', () => {
    fc.assert(
      fc.property(anyPicture, (picture) => {
        const file = encodePng(picture);
        expect(decodePng(file)).toEqual(cleared(picture));
        expect(PNG.sync.read(file).data.equals(cleared(picture).pixels)).toBe(true);
      }),
      { seed: SEED, numRuns: 30 },
    );
  });

  test('writes equal bytes for pictures with equal hashes.', () => {
    fc.assert(
      fc.property(anyPicture, (picture) => {
        expect(pixelHash(picture)).toBe(pixelHash(cleared(picture)));
        expect(encodePng(picture).equals(encodePng(cleared(picture)))).toBe(true);
      }),
      { seed: SEED, numRuns: 30 },
    );
  });

  test('writes 8-bit RGBA without interlacing, with filter 0 on every row, in three chunks.', () => {
    const file = encodePng(drawFigure('classic'));
    expect(file.subarray(8, 29).toString('hex')).toBe('0000000d4948445200000040000000400806000000');
    const length = file.readUInt32BE(33);
    expect(file.toString('latin1', 37, 41)).toBe('IDAT');
    expect(file.subarray(45 + length).toString('hex')).toBe('0000000049454e44ae426082');
    const rows = inflateSync(file.subarray(41, 41 + length));
    expect(rows).toHaveLength(64 * 257);
    expect(rows.filter((byte, at) => at % 257 === 0 && byte !== 0)).toHaveLength(0);
  });

  test('stays within the limit of a skin even for noise.', () => {
    const random = seededRandom(SEED);
    const noise = fill(
      { width: 64, height: 64, pixels: new Uint8Array(16_384) },
      { x: 0, y: 0, width: 64, height: 64 },
      () => [random(256), random(256), random(256), 1 + random(255)],
    );
    expect(encodePng(noise).length).toBeLessThan(MAX_SKIN_BYTES);
  });
});
