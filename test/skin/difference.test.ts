import { describe, expect, test } from 'vitest';
import { differenceOf, differenceText } from '../../src/skin/difference.ts';
import { makePicture, type Picture } from '../../src/skin/picture.ts';

/** A picture with these pixels red. */
function dotted(points: readonly [x: number, y: number][], [width, height] = [64, 64]): Picture {
  const picture = makePicture(width, height);
  for (const [x, y] of points) picture.pixels.set([255, 0, 0, 255], (y * width + x) * 4);
  return picture;
}

describe('The difference of two pictures', () => {
  test('is empty between equal ones', () => {
    expect(differenceOf(dotted([[8, 8]]), dotted([[8, 8]]))).toBeUndefined();
  });

  test('ignores colours under alpha 0, like the pixel hash', () => {
    const invisible = dotted([]);
    invisible.pixels.set([1, 2, 3, 0], 0);
    expect(differenceOf(invisible, dotted([]))).toBeUndefined();
  });

  test('counts the pixels, and names the rectangle and the parts', () => {
    const found = differenceOf(
      dotted([
        [8, 8],
        [15, 10],
        [44, 20],
      ]),
      dotted([]),
    );
    expect(found).toEqual({
      pixels: 3,
      of: 4096,
      box: { x: 8, y: 8, width: 37, height: 13 },
      parts: ['head', 'rightArm'],
    });
  });

  test.each([
    [[[8, 9]], '1 of 4,096 pixels differs, at x 8, y 9 (head)'],
    [
      [
        [40, 16],
        [41, 20],
      ],
      '2 of 4,096 pixels differ, at x 40–41, y 16–20 (right arm)',
    ],
    [[[63, 0]], '1 of 4,096 pixels differs, at x 63, y 0'],
  ] satisfies [[number, number][], string][])('reads well: %j', (points, text) => {
    expect(differenceText(dotted(points), dotted([]))).toBe(text);
  });

  test('of two sizes is their sizes', () => {
    expect(differenceText(dotted([], [64, 64]), dotted([], [64, 32]))).toBe(
      'it has 64×64 pixels, the source 64×32',
    );
  });
});
