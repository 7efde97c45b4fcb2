import { describe, expect, test } from 'vitest';
import {
  faceRects,
  listParts,
  OPAQUE_BOXES,
  type Rect,
  type SkinPart,
  UNUSED_IN_SLIM,
  type Variant,
} from '../../src/skin/regions.ts';

/** The published rectangles as text: top, bottom, right, front, left, back. */
const table: [SkinPart, Variant, string][] = [
  ['head', 'classic', '8,0,8,8 16,0,8,8 0,8,8,8 8,8,8,8 16,8,8,8 24,8,8,8'],
  ['hat', 'classic', '40,0,8,8 48,0,8,8 32,8,8,8 40,8,8,8 48,8,8,8 56,8,8,8'],
  ['body', 'slim', '20,16,8,4 28,16,8,4 16,20,4,12 20,20,8,12 28,20,4,12 32,20,8,12'],
  ['jacket', 'slim', '20,32,8,4 28,32,8,4 16,36,4,12 20,36,8,12 28,36,4,12 32,36,8,12'],
  ['rightArm', 'classic', '44,16,4,4 48,16,4,4 40,20,4,12 44,20,4,12 48,20,4,12 52,20,4,12'],
  ['rightArm', 'slim', '44,16,3,4 47,16,3,4 40,20,4,12 44,20,3,12 47,20,4,12 51,20,3,12'],
  ['rightSleeve', 'classic', '44,32,4,4 48,32,4,4 40,36,4,12 44,36,4,12 48,36,4,12 52,36,4,12'],
  ['rightSleeve', 'slim', '44,32,3,4 47,32,3,4 40,36,4,12 44,36,3,12 47,36,4,12 51,36,3,12'],
  ['leftArm', 'classic', '36,48,4,4 40,48,4,4 32,52,4,12 36,52,4,12 40,52,4,12 44,52,4,12'],
  ['leftArm', 'slim', '36,48,3,4 39,48,3,4 32,52,4,12 36,52,3,12 39,52,4,12 43,52,3,12'],
  ['leftSleeve', 'classic', '52,48,4,4 56,48,4,4 48,52,4,12 52,52,4,12 56,52,4,12 60,52,4,12'],
  ['leftSleeve', 'slim', '52,48,3,4 55,48,3,4 48,52,4,12 52,52,3,12 55,52,4,12 59,52,3,12'],
  ['rightLeg', 'classic', '4,16,4,4 8,16,4,4 0,20,4,12 4,20,4,12 8,20,4,12 12,20,4,12'],
  ['rightPants', 'classic', '4,32,4,4 8,32,4,4 0,36,4,12 4,36,4,12 8,36,4,12 12,36,4,12'],
  ['leftLeg', 'slim', '20,48,4,4 24,48,4,4 16,52,4,12 20,52,4,12 24,52,4,12 28,52,4,12'],
  ['leftPants', 'classic', '4,48,4,4 8,48,4,4 0,52,4,12 4,52,4,12 8,52,4,12 12,52,4,12'],
];

function asText({ x, y, width, height }: Rect): string {
  return [x, y, width, height].join();
}

function cells(rects: readonly Rect[]): Set<string> {
  const all = rects.flatMap(({ x, y, width, height }) =>
    Array.from({ length: width * height }, (_, n) => `${x + (n % width)},${y + Math.floor(n / width)}`),
  );
  expect(new Set(all).size, 'rectangles overlap').toBe(all.length);
  return new Set(all);
}

describe('The rectangle table', () => {
  test.each(table)('has the faces of %s (%s) where they are published.', (part, variant, expected) => {
    const { top, bottom, right, front, left, back } = faceRects(part, variant);
    expect([top, bottom, right, front, left, back].map(asText).join(' ')).toBe(expected);
  });

  test.each(['classic', 'slim'] as const)('has no overlapping faces in a %s skin.', (variant) => {
    const rects = [...listParts('base'), ...listParts('overlay')].flatMap((part) =>
      Object.values(faceRects(part, variant)),
    );
    expect(rects).toHaveLength(72);
    cells(rects);
  });

  test('has all base layers inside of the opaque boxes, and no overlay.', () => {
    const opaque = cells(OPAQUE_BOXES);
    const facesOf = (layer: 'base' | 'overlay') =>
      listParts(layer).flatMap((part) => Object.values(faceRects(part, 'classic')));
    expect([...cells(facesOf('base'))].every((cell) => opaque.has(cell))).toBe(true);
    expect([...cells(facesOf('overlay'))].some((cell) => opaque.has(cell))).toBe(false);
  });

  test('has the areas unused in slim exactly where classic arms reach and slim arms do not.', () => {
    const arms = (variant: Variant) =>
      cells((['rightArm', 'leftArm'] as const).flatMap((part) => Object.values(faceRects(part, variant))));
    const slim = arms('slim');
    expect(new Set([...arms('classic')].filter((cell) => !slim.has(cell)))).toEqual(cells(UNUSED_IN_SLIM));
  });
});
