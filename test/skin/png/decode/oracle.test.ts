import { PNG } from 'pngjs';
import { beforeAll, describe, expect, test } from 'vitest';
import { seededRandom } from '../../../../src/double/seed.ts';
import type { Picture } from '../../../../src/skin/picture.ts';
import { decodePng } from '../../../../src/skin/png/decode.ts';
import { sampled } from '../../../support/setup/extent.ts';
import { type PngPlan, plainPlan, writePng } from '../../../support/skin/png-writer.ts';

const depths: Record<number, number[]> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};
const formats = Object.entries(depths).flatMap(([type, list]) =>
  list.flatMap((bitDepth) =>
    [false, true].map((interlaced) => ({ colourType: Number(type), bitDepth, interlaced })),
  ),
);
const SEED = 20251121;
/** Two of them with each format in `npm test`, which has a third of the formats. */
const FILTERS = [0, 1, 2, 3, 4];

/** Both sides with the colour of invisible pixels cleared: pngjs clears it under a colour key, libpng keeps it. */
function visible(pixels: Uint8Array): string {
  const copy = Buffer.from(pixels);
  for (let at = 0; at < copy.length; at += 4) if (copy[at + 3] === 0) copy.fill(0, at, at + 4);
  return copy.toString('hex');
}

function expectSameAsPngjs(file: Buffer): Picture {
  const oracle = PNG.sync.read(file);
  const picture = decodePng(file, { maxBytes: 100_000 });
  expect(picture).toMatchObject({ width: oracle.width, height: oracle.height });
  expect(visible(picture.pixels)).toBe(visible(oracle.data));
  return picture;
}

function randomPlan({ colourType, bitDepth, interlaced }: (typeof formats)[number], height: number): PngPlan {
  const random = seededRandom(SEED + colourType * 100 + bitDepth);
  const channels = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }[colourType]!;
  const grid = Array.from({ length: 64 * height }, () =>
    Array.from({ length: channels }, () => random(2 ** bitDepth)),
  );
  const palette = Buffer.from(Array.from({ length: 3 * 2 ** bitDepth }, () => random(256)));
  return {
    width: 64,
    height,
    bitDepth,
    colourType,
    interlaced,
    samplesAt: (x, y) => grid[y * 64 + x]!,
    ...(colourType === 3 && { palette }),
  };
}

describe.each(sampled(formats, 3).map((format, place) => ({ ...format, place })))(
  'Colour type $colourType with $bitDepth bits, interlaced $interlaced,',
  (format) => {
    let plan: PngPlan;
    beforeAll(() => {
      plan = randomPlan(format, 64);
    });

    test.each(sampled(FILTERS, 3, format.place))(
      'decodes like pngjs when every row has filter %i.',
      (filter) => {
        expectSameAsPngjs(writePng({ ...plan, filterOf: () => filter }));
      },
    );

    test('decodes like pngjs when the rows have filters in turn, in a 64×32 picture.', () => {
      expectSameAsPngjs(writePng({ ...plan, height: 32, filterOf: (row) => row % 5 }));
    });
  },
);

describe('Transparency without an alpha channel', () => {
  test.each([1, 2, 4, 8])(
    'comes from the palette alphas at %i bits, and is 255 for the rest.',
    (bitDepth) => {
      const plan = randomPlan({ colourType: 3, bitDepth, interlaced: false }, 64);
      const transparency = Buffer.from(bitDepth === 1 ? [77] : [0, 128, 254]);
      const picture = expectSameAsPngjs(writePng({ ...plan, transparency }));
      const alphas = new Set(picture.pixels.filter((_, at) => at % 4 === 3));
      expect([...alphas].toSorted((a, b) => a - b)).toEqual(
        bitDepth === 1
          ? [77, 255]
          : bitDepth === 2
            ? [0, 128, 254, 255]
            : expect.arrayContaining([0, 128, 254, 255]),
      );
    },
  );

  test.each([1, 2, 4, 8, 16])('comes from the grey key at %i bits.', (bitDepth) => {
    const plan = randomPlan({ colourType: 0, bitDepth, interlaced: true }, 64);
    const key = plan.samplesAt(5, 7)[0]!;
    const picture = expectSameAsPngjs(
      writePng({ ...plan, transparency: Buffer.from([key >> 8, key & 255]) }),
    );
    expect(picture.pixels[(7 * 64 + 5) * 4 + 3]).toBe(0);
  });

  test.each([8, 16])('comes from the RGB key at %i bits.', (bitDepth) => {
    const plan = randomPlan({ colourType: 2, bitDepth, interlaced: false }, 64);
    const transparency = Buffer.from(plan.samplesAt(9, 3).flatMap((sample) => [sample >> 8, sample & 255]));
    const picture = expectSameAsPngjs(writePng({ ...plan, transparency }));
    expect(picture.pixels.filter((value, at) => at % 4 === 3 && value === 0)).toHaveLength(1);
  });

  test('compares a 16-bit key before scaling: a colour that only looks the same at 8 bits stays visible.', () => {
    const samplesAt = (x: number) => [x === 0 ? 0x8000 : 0x8001];
    const file = writePng(
      plainPlan({ bitDepth: 16, colourType: 0, samplesAt, transparency: Buffer.from([0x80, 0]) }),
    );
    expect([...decodePng(file).pixels.subarray(0, 8)]).toEqual([128, 128, 128, 0, 128, 128, 128, 255]);
  });

  test('uses only the low bits of a key, as the specification says.', () => {
    const plan = plainPlan({
      bitDepth: 8,
      colourType: 0,
      samplesAt: () => [7],
      transparency: Buffer.from([0xff, 7]),
    });
    expect(decodePng(writePng(plan)).pixels[3]).toBe(0);
  });

  test('is ignored for pictures that have an alpha channel.', () => {
    const file = writePng(plainPlan({ transparency: Buffer.from([1]) }));
    expect(decodePng(file).pixels[3]).toBe(255);
  });
});

describe('Scaling to 8 bits', () => {
  test('rounds 16-bit samples to the nearest value, as pngjs does.', () => {
    const samplesAt = (x: number, y: number) => [(y * 64 + x) * 16, 255, 0x8080, 65535 - x];
    const picture = expectSameAsPngjs(writePng(plainPlan({ bitDepth: 16, samplesAt })));
    expect([...picture.pixels.subarray(8 * 4, 9 * 4)]).toEqual([0, 1, 128, 255]);
    expect(picture.pixels[9 * 4]).toBe(1);
  });
});

describe('An RGBA file', () => {
  test('keeps the colour of invisible pixels when it is read.', () => {
    const file = writePng(plainPlan({ samplesAt: () => [1, 2, 3, 0] }));
    expect([...decodePng(file).pixels.subarray(0, 4)]).toEqual([1, 2, 3, 0]);
  });
});
