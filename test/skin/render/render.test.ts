import { describe, expect, test } from 'vitest';
import { makePicture } from '../../../src/skin/picture.ts';
import { drawFlat } from '../../../src/skin/render/flat.ts';
import { drawView } from '../../../src/skin/render/render.ts';
import { VIEWS } from '../../../src/skin/render/views.ts';
import { colourAt, fill, fillPart, mappedSkin } from '../../support/skin/drawing.ts';

const skin = mappedSkin();

describe('the size', () => {
  test.each(VIEWS)('of %s is its height; whole figures are half as wide', (view) => {
    const { width, height } = drawView(skin, { view, variant: 'slim', size: 120 });
    expect([width, height]).toEqual([['face', 'head', 'bust'].includes(view) ? 120 : 60, 120]);
  });

  test.each([7, 1025, 8.5, Number.NaN])('cannot be %s', (size) => {
    expect(() => drawView(skin, { view: 'face', variant: 'slim', size })).toThrow(RangeError);
  });
});

describe('the face', () => {
  test('is the front of the head', () => {
    const face = drawView(skin, { view: 'face', variant: 'classic', size: 8 });
    expect(colourAt(face, 0, 0)).toEqual([8, 8, 7, 255]);
    expect(colourAt(face, 7, 7)).toEqual([15, 15, 7, 255]);
  });

  test('is enlarged to any size by nearest neighbour', () => {
    const face = drawView(skin, { view: 'face', variant: 'classic', size: 20 });
    const columns = Array.from({ length: 20 }, (_, x) => colourAt(face, x, 0)[0]! - 8);
    expect(columns).toEqual([0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 5, 5, 6, 6, 7, 7, 7]);
  });

  test.each([true, false])('shows the hat when it is wanted (%s)', (overlay) => {
    const hatted = fillPart(mappedSkin(), 'hat', 'classic', [1, 2, 3, 255]);
    const face = drawView(hatted, { view: 'face', variant: 'classic', size: 8, overlay });
    expect(colourAt(face, 0, 0)).toEqual(overlay ? [1, 2, 3, 255] : [8, 8, 7, 255]);
  });
});

describe('front and back', () => {
  test.each(['front', 'back'] as const)('the view from the %s is the flat figure', (view) => {
    expect(drawView(skin, { view, variant: 'slim', size: 32 })).toEqual(drawFlat(skin, 'slim', view));
  });

  test('a cape hangs on the back from the shoulders, ten wide and sixteen high', () => {
    const cape = fill(makePicture(64, 32), { x: 1, y: 1, width: 10, height: 16 }, (n) => [
      n % 10,
      99,
      0,
      255,
    ]);
    const bare = drawView(skin, { view: 'back', variant: 'classic', size: 32 });
    const back = drawView(skin, { view: 'back', variant: 'classic', size: 32, cape });
    const caped = [0, 1, 2, 3].flatMap((row) =>
      Array.from({ length: 16 }, (_, x) => colourAt(back, x, [7, 8, 23, 24][row]!)[1] === 99),
    );
    const across = [...Array(3).fill(false), ...Array(10).fill(true), ...Array(3).fill(false)];
    expect(caped).toEqual([...Array(16).fill(false), ...across, ...across, ...Array(16).fill(false)]);
    expect(colourAt(back, 3, 8)).toEqual([0, 99, 0, 255]);
    expect(colourAt(back, 0, 8)).toEqual(colourAt(bare, 0, 8));
    expect(drawView(skin, { view: 'front', variant: 'classic', size: 32, cape })).toEqual(
      drawView(skin, { view: 'front', variant: 'classic', size: 32 }),
    );
  });
});

test('drawing does not change the skin', () => {
  const before = structuredClone(skin);
  for (const view of VIEWS) drawView(skin, { view, variant: 'classic', size: 64 });
  expect(skin).toEqual(before);
});
