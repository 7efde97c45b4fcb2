import { describe, expect, test } from 'vitest';
import { makePicture, type Picture } from '../../../src/skin/picture.ts';
import { hidesLegacyHat, toModern } from '../../../src/skin/regions.ts';
import { colourAt, drawFigure, fill } from '../../support/skin/drawing.ts';

/** Every pixel names its own place, so that a moved one tells where it came from. */
function mappedPicture(alpha: number): Picture {
  let pixel = 0;
  return fill(makePicture(64, 32), { x: 0, y: 0, width: 64, height: 32 }, () => {
    const place = pixel++;
    return [place % 64, Math.floor(place / 64), 7, alpha];
  });
}

/** From the client's map: source rectangle and target corner; each is mirrored left to right. */
const moves = [
  [4, 16, 4, 4, 20, 48],
  [8, 16, 4, 4, 24, 48],
  [0, 20, 4, 12, 24, 52],
  [4, 20, 4, 12, 20, 52],
  [8, 20, 4, 12, 16, 52],
  [12, 20, 4, 12, 28, 52],
  [44, 16, 4, 4, 36, 48],
  [48, 16, 4, 4, 40, 48],
  [40, 20, 4, 12, 40, 52],
  [44, 20, 4, 12, 36, 52],
  [48, 20, 4, 12, 32, 52],
  [52, 20, 4, 12, 44, 52],
] as const;

describe('toModern', () => {
  test.each(moves)('mirrors (%i,%i,%i,%i) to (%i,%i).', (x, y, width, height, toX, toY) => {
    const modern = toModern(mappedPicture(255));
    for (let row = 0; row < height; row++) {
      for (let column = 0; column < width; column++) {
        expect(colourAt(modern, toX + width - 1 - column, toY + row)).toEqual([x + column, y + row, 7, 255]);
      }
    }
  });

  test('keeps the upper half and leaves the new overlays empty.', () => {
    const figure = drawFigure('classic', 32);
    const modern = toModern(figure);
    expect(colourAt(modern, 20, 20)).toEqual(colourAt(figure, 20, 20));
    for (const [x, y] of [
      [20, 36],
      [44, 36],
      [4, 36],
      [4, 52],
      [52, 52],
    ] as const) {
      expect(colourAt(modern, x, y)).toEqual([0, 0, 0, 0]);
    }
  });

  test('shows base layers opaque with the colour they have.', () => {
    const modern = toModern(mappedPicture(127));
    expect(colourAt(modern, 8, 8)).toEqual([8, 8, 7, 255]);
    expect(colourAt(modern, 44, 20)).toEqual([44, 20, 7, 255]);
    expect(colourAt(modern, 20, 52)).toEqual([7, 20, 7, 255]);
    expect(colourAt(modern, 40, 8)).toEqual([40, 8, 7, 127]);
  });

  test('shows clear pixels of base layers black, as services leave out their colour.', () => {
    const modern = toModern(mappedPicture(0));
    expect(colourAt(modern, 8, 8)).toEqual([0, 0, 0, 255]);
    expect(colourAt(modern, 20, 52)).toEqual([0, 0, 0, 255]);
    expect(colourAt(modern, 40, 8)[3]).toBe(0);
  });

  test('drops a hat from a half without transparency, and keeps the arms below it.', () => {
    const modern = toModern(mappedPicture(128));
    expect(colourAt(modern, 40, 8)[3]).toBe(0);
    expect(colourAt(modern, 44, 20)[3]).toBe(255);
  });

  test('keeps a hat as soon as one pixel of its half is more transparent.', () => {
    const picture = fill(mappedPicture(255), { x: 63, y: 31, width: 1, height: 1 }, [0, 0, 0, 127]);
    expect(hidesLegacyHat(picture)).toBe(false);
    expect(colourAt(toModern(picture), 40, 8)[3]).toBe(255);
  });

  test('does not change its input, and gives a 64×64 picture back.', () => {
    const legacy = mappedPicture(200);
    toModern(legacy);
    expect(legacy).toEqual(mappedPicture(200));
    const modern = drawFigure('slim');
    expect(toModern(modern)).toBe(modern);
  });
});
