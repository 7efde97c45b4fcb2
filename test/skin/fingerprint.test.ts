import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  BANDS,
  bandsOf,
  distanceBetween,
  type Fingerprint,
  nearBands,
  pictureFingerprint,
  SIMILAR,
} from '../../src/skin/fingerprint.ts';
import type { Picture } from '../../src/skin/picture.ts';
import { decodePng } from '../../src/skin/png/decode.ts';
import { faceRects, listParts, pixelOffsets, type SkinPart } from '../../src/skin/regions.ts';

const ROOT = join(import.meta.dirname, '../..');
const FILES = [
  ...['haka', 'my-skin', 'mcskin3d'].map((name) => `test/fixtures/skins/${name}.png`),
  ...['knight-overlay', 'ranger-slim', 'robot', 'smith'].map((name) => `examples/${name}.png`),
];
const LEGACY = ['test/fixtures/skins/hacksore.png', 'examples/miner-legacy.png'];

function read(file: string): Picture {
  return decodePng(readFileSync(join(ROOT, file)));
}

type Change = (pixels: Uint8Array, at: number) => void;

/** A copy whose painted pixels in these parts are changed. */
function changed(picture: Picture, parts: readonly SkinPart[], change: Change): Picture {
  const pixels = Uint8Array.from(picture.pixels);
  for (const part of parts) {
    for (const rect of Object.values(faceRects(part, 'classic')))
      for (const at of pixelOffsets(rect, picture.width)) if (pixels[at + 3] !== 0) change(pixels, at);
  }
  return { ...picture, pixels };
}

const EVERYWHERE = [...listParts('base'), ...listParts('overlay')];

/** Red becomes green, green blue. */
const recolour: Change = (pixels, at) => {
  const [red, green, blue] = pixels.subarray(at, at + 3);
  pixels.set([blue!, red!, green!], at);
};

const CHANGES: Record<string, (picture: Picture) => Picture> = {
  retouched: (picture) =>
    changed(picture, EVERYWHERE, (pixels, at) => {
      for (let channel = at; channel < at + 3; channel++)
        pixels[channel] = Math.min(255, Math.max(0, pixels[channel]! + ((at * 7 + channel * 13) % 29) - 14));
    }),
  'a little darker': (picture) =>
    changed(picture, EVERYWHERE, (pixels, at) => {
      for (let channel = at; channel < at + 3; channel++)
        pixels[channel] = Math.round(pixels[channel]! * 0.9);
    }),
  'with other trousers': (picture) =>
    changed(picture, ['rightLeg', 'leftLeg', 'rightPants', 'leftPants'], recolour),
  'with another shirt': (picture) => changed(picture, ['body', 'jacket'], recolour),
  'with other hair': (picture) =>
    changed(picture, ['head', 'hat'], (pixels, at) => {
      const [x, y] = [(at / 4) % 64, Math.floor(at / 256)];
      const isFace = x % 32 >= 8 && x % 32 < 16 && y >= 11;
      if (!isFace) pixels.set([210, 180, 60], at);
    }),
  'without overlay on its limbs': (picture) =>
    changed(picture, ['rightSleeve', 'leftSleeve', 'rightPants', 'leftPants'], (pixels, at) =>
      pixels.fill(0, at, at + 4),
    ),
};

/** Whether an index finds one by the keys of the other. */
function isFound(one: Fingerprint, other: Fingerprint): boolean {
  const keys = bandsOf(other);
  return BANDS.some((band) => nearBands(one, band).includes(keys[band]));
}

describe.each(Object.keys(CHANGES))('A skin %s', (name) => {
  test.each(FILES)('is similar to the original and found by its keys: %s', (file) => {
    const picture = read(file);
    const [original, variant] = [pictureFingerprint(picture), pictureFingerprint(CHANGES[name]!(picture))];
    expect(distanceBetween(original, variant)).toBeLessThan(SIMILAR);
    expect(isFound(original, variant)).toBe(true);
    expect(isFound(variant, original)).toBe(true);
  });
});

test('Skins of different characters are not similar', () => {
  const prints = [...FILES, ...LEGACY].map((file) => ({ file, print: pictureFingerprint(read(file)) }));
  const pairs = prints.flatMap((one, at) => prints.slice(at + 1).map((other) => [one, other] as const));
  const near = pairs.filter(([one, other]) => distanceBetween(one.print, other.print) < SIMILAR);
  expect(near.map(([one, other]) => [one.file, other.file])).toEqual([]);
});

test('The distance of a picture from itself is zero, and black and white are far apart', () => {
  const filled = (value: number) => {
    const pixels = new Uint8Array(64 * 64 * 4).fill(value);
    for (let at = 3; at < pixels.length; at += 4) pixels[at] = 255;
    return pictureFingerprint({ width: 64, height: 64, pixels });
  };
  expect(distanceBetween(filled(255), filled(255))).toBe(0);
  expect(distanceBetween(filled(0), filled(255))).toBeCloseTo(1);
  expect(filled(0).length).toBe(168);
});

test('Colours hidden by the overlay or never shown do not count', () => {
  const picture = read('examples/smith.png');
  const pixels = Uint8Array.from(picture.pixels);
  pixels.set([255, 0, 255, 255], (1 * 64 + 1) * 4); // outside all parts
  expect(pictureFingerprint({ ...picture, pixels })).toEqual(pictureFingerprint(picture));
});

test('A key has one character for each feature, and the key of the skin itself is the nearest', () => {
  const print = pictureFingerprint(read('examples/robot.png'));
  for (const [band, key] of Object.entries(bandsOf(print))) {
    expect(key).toMatch(/^[5-Z]{8,9}$/);
    const near = nearBands(print, band as (typeof BANDS)[number]);
    expect(near[0]).toBe(key);
    expect(new Set(near).size).toBe(32);
  }
});
