import { describe, expect, test } from 'vitest';
import { withArms } from '../../src/skin/arms.ts';
import { makePicture, type Picture } from '../../src/skin/picture.ts';
import { enlarge, faceRects, type Rect, type SkinPart, type Variant } from '../../src/skin/regions.ts';
import { detectVariant } from '../../src/skin/variant.ts';
import { colourAt, fill, mappedSkin } from '../support/skin/drawing.ts';

const ARMS = ['rightArm', 'rightSleeve', 'leftArm', 'leftSleeve'] as const;

/** Every pixel encodes its own place, in both layers. */
function wholeSkin(): Picture {
  const colour = (pixel: number) => [pixel % 64, Math.floor(pixel / 64), 7, 255] as const;
  return fill(makePicture(64, 64), { x: 0, y: 0, width: 64, height: 64 }, colour);
}

/** The colours of a face's columns from left to right, in its first row. */
function columns(picture: Picture, { x, y, width }: Rect, scale = 1) {
  return Array.from({ length: width }, (_, at) => colourAt(picture, (x + at) * scale, y * scale));
}

/** Whether the player's body is left of a face. */
function isBodyLeft(arm: SkinPart, face: string): boolean {
  return arm.startsWith('left') ? face !== 'back' : face === 'back';
}

describe('Arms become slim', () => {
  const classic = wholeSkin();
  const slim = withArms(classic, 'classic', 'slim');

  test.each(ARMS)('by the column next to the one at the body: %s', (arm) => {
    for (const face of ['front', 'back', 'top', 'bottom'] as const) {
      const before = columns(classic, faceRects(arm, 'classic')[face]);
      const [dropped] = isBodyLeft(arm, face) ? [1] : [2];
      const after = columns(slim, faceRects(arm, 'slim')[face]);
      expect(after).toEqual(before.filter((_, at) => at !== dropped));
    }
    for (const face of ['left', 'right'] as const)
      expect(columns(slim, faceRects(arm, 'slim')[face])).toEqual(
        columns(classic, faceRects(arm, 'classic')[face]),
      );
  });

  test('and clear the pixels that only classic arms have, keeping everything else', () => {
    expect(detectVariant(slim)).toMatchObject({ variant: 'slim', confidence: 'certain' });
    const inArm = (x: number, y: number) =>
      ARMS.some((arm) =>
        Object.values(faceRects(arm, 'classic')).some(
          (rect) => x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height,
        ),
      );
    for (let y = 0; y < 64; y++)
      for (let x = 0; x < 64; x++)
        if (!inArm(x, y)) expect(colourAt(slim, x, y)).toEqual(colourAt(classic, x, y));
  });

  test('and the arms of an old skin get the square layout, and still mirror each other', () => {
    const old = mappedSkin(32);
    const turned = withArms(old, 'classic', 'slim');
    expect([turned.width, turned.height]).toEqual([64, 64]);
    const [right, left] = [faceRects('rightArm', 'slim'), faceRects('leftArm', 'slim')];
    for (const face of ['front', 'back', 'top'] as const)
      expect(columns(turned, left[face])).toEqual(columns(turned, right[face]).reverse());
    expect(withArms(old, 'classic', 'classic')).toBe(old);
    expect(withArms(enlarge(old, 2), 'classic', 'slim').pixels).toEqual(enlarge(turned, 2).pixels);
  });
});

describe('Arms become classic', () => {
  test.each([1, 2, 16])(
    'by their middle column twice, and slim again as they were, at %i times the size',
    (scale) => {
      const slim = enlarge(withArms(wholeSkin(), 'classic', 'slim'), scale);
      const classic = withArms(slim, 'slim', 'classic');
      for (const arm of ARMS) {
        const [a, b, c] = columns(slim, faceRects(arm, 'slim').front, scale);
        expect(columns(classic, faceRects(arm, 'classic').front, scale)).toEqual([a, b, b, c]);
      }
      expect(Buffer.compare(withArms(classic, 'classic', 'slim').pixels, slim.pixels)).toBe(0);
    },
  );
});

test.each(['classic', 'slim'] as Variant[])('Arms that are %s already stay as they are', (variant) => {
  const picture = wholeSkin();
  expect(withArms(picture, variant, variant)).toBe(picture);
});
