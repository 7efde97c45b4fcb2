import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { makePicture, type Picture } from '../../../src/skin/picture.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { enlarge, type Variant } from '../../../src/skin/regions.ts';
import { drawFlat } from '../../../src/skin/render/flat.ts';
import { colourAt, fill, mappedSkin } from '../../support/skin/drawing.ts';

const EMPTY = [0, 0, 0, 0];

type Block = readonly [x: number, y: number, width: number, height: number, skinX: number, skinY: number];

/** Where each part is shown, and the corner of the skin that it shows. From the layout on the Minecraft wiki. */
const FRONT: Readonly<Record<Variant, readonly Block[]>> = {
  classic: [
    [4, 0, 8, 8, 8, 8],
    [4, 8, 8, 12, 20, 20],
    [0, 8, 4, 12, 44, 20],
    [12, 8, 4, 12, 36, 52],
    [4, 20, 4, 12, 4, 20],
    [8, 20, 4, 12, 20, 52],
  ],
  slim: [
    [4, 0, 8, 8, 8, 8],
    [4, 8, 8, 12, 20, 20],
    [1, 8, 3, 12, 44, 20],
    [12, 8, 3, 12, 36, 52],
    [4, 20, 4, 12, 4, 20],
    [8, 20, 4, 12, 20, 52],
  ],
};
const BACK: typeof FRONT = {
  classic: [
    [4, 0, 8, 8, 24, 8],
    [4, 8, 8, 12, 32, 20],
    [0, 8, 4, 12, 44, 52],
    [12, 8, 4, 12, 52, 20],
    [4, 20, 4, 12, 28, 52],
    [8, 20, 4, 12, 12, 20],
  ],
  slim: [
    [4, 0, 8, 8, 24, 8],
    [4, 8, 8, 12, 32, 20],
    [1, 8, 3, 12, 43, 52],
    [12, 8, 3, 12, 51, 20],
    [4, 20, 4, 12, 28, 52],
    [8, 20, 4, 12, 12, 20],
  ],
};

/** The whole view as those blocks make it, all else transparent. */
function expected(blocks: readonly Block[]): Picture {
  const view = makePicture(16, 32);
  for (const [x, y, width, height, skinX, skinY] of blocks) {
    fill(view, { x, y, width, height }, (n) => [skinX + (n % width), skinY + Math.floor(n / width), 7, 255]);
  }
  return view;
}

describe('the figure', () => {
  test.each(['classic', 'slim'] as const)('is shown from the front (%s).', (variant) => {
    expect(drawFlat(mappedSkin(), variant, 'front')).toEqual(expected(FRONT[variant]));
  });

  test.each(['classic', 'slim'] as const)('is shown from behind (%s).', (variant) => {
    expect(drawFlat(mappedSkin(), variant, 'back')).toEqual(expected(BACK[variant]));
  });

  test('does not change the picture it is made from.', () => {
    const skin = fill(mappedSkin(), { x: 8, y: 8, width: 8, height: 8 }, [9, 9, 9, 0]);
    const before = structuredClone(skin);
    drawFlat(skin, 'classic', 'front');
    expect(skin).toEqual(before);
  });
});

describe('the base layer', () => {
  test('is opaque, and black where it is fully transparent.', () => {
    const skin = fill(mappedSkin(), { x: 8, y: 8, width: 1, height: 1 }, [200, 100, 50, 1]);
    fill(skin, { x: 9, y: 8, width: 1, height: 1 }, [200, 100, 50, 0]);
    const front = drawFlat(skin, 'classic', 'front');
    expect(colourAt(front, 4, 0)).toEqual([200, 100, 50, 255]);
    expect(colourAt(front, 5, 0)).toEqual([0, 0, 0, 255]);
  });

  test('is black in a blank picture, with nothing around it.', () => {
    const front = drawFlat(makePicture(64, 64), 'slim', 'front');
    expect(colourAt(front, 4, 0)).toEqual([0, 0, 0, 255]);
    expect(colourAt(front, 3, 0)).toEqual(EMPTY);
    expect(colourAt(front, 0, 8)).toEqual(EMPTY);
    expect(colourAt(front, 15, 19)).toEqual(EMPTY);
  });
});

describe('the overlay', () => {
  /** Hat, jacket, right and left sleeve, right and left trouser leg: corner in the skin, corner in the view. */
  const corners = [
    [40, 8, 4, 0],
    [20, 36, 4, 8],
    [44, 36, 0, 8],
    [52, 52, 12, 8],
    [4, 36, 4, 20],
    [4, 52, 8, 20],
  ] as const;

  test.each(corners)('of (%i,%i) covers (%i,%i).', (x, y, viewX, viewY) => {
    const skin = fill(mappedSkin(), { x, y, width: 1, height: 1 }, [1, 2, 3, 255]);
    const view = expected(FRONT.classic);
    view.pixels.set([1, 2, 3, 255], (viewY * 16 + viewX) * 4);
    expect(drawFlat(skin, 'classic', 'front')).toEqual(view);
  });

  test('is blended by its alpha, whatever colour full transparency hides.', () => {
    const skin = fill(mappedSkin(), { x: 8, y: 8, width: 8, height: 8 }, [100, 0, 255, 255]);
    fill(skin, { x: 40, y: 8, width: 1, height: 1 }, [200, 255, 0, 51]);
    fill(skin, { x: 41, y: 8, width: 1, height: 1 }, [200, 255, 0, 0]);
    const front = drawFlat(skin, 'classic', 'front');
    expect(colourAt(front, 4, 0)).toEqual([120, 51, 204, 255]);
    expect(colourAt(front, 5, 0)).toEqual([100, 0, 255, 255]);
  });
});

describe('a 64×32 picture', () => {
  test('has its right limbs mirrored on the left.', () => {
    const front = drawFlat(mappedSkin(32), 'classic', 'front');
    expect([0, 1, 2, 3].map((x) => colourAt(front, x, 8)[0])).toEqual([44, 45, 46, 47]);
    expect([12, 13, 14, 15].map((x) => colourAt(front, x, 8)[0])).toEqual([47, 46, 45, 44]);
    expect([4, 5, 6, 7, 8, 9, 10, 11].map((x) => colourAt(front, x, 31)[0])).toEqual([
      4, 5, 6, 7, 7, 6, 5, 4,
    ]);
    const back = drawFlat(mappedSkin(32), 'classic', 'back');
    expect([0, 3, 12, 15].map((x) => colourAt(back, x, 19))).toEqual([
      [55, 31, 7, 255],
      [52, 31, 7, 255],
      [52, 31, 7, 255],
      [55, 31, 7, 255],
    ]);
  });

  test('shows its hat, unless that half is a fill.', () => {
    const skin = fill(mappedSkin(32), { x: 40, y: 8, width: 1, height: 1 }, [1, 2, 3, 255]);
    expect(colourAt(drawFlat(skin, 'classic', 'front'), 4, 0)).toEqual([1, 2, 3, 255]);
    fill(skin, { x: 32, y: 0, width: 32, height: 16 }, [1, 2, 3, 255]);
    expect(colourAt(drawFlat(skin, 'classic', 'front'), 4, 0)).toEqual([8, 8, 7, 255]);
  });

  test('has no colour where it is fully transparent.', () => {
    const skin = fill(mappedSkin(32), { x: 8, y: 8, width: 1, height: 1 }, [200, 100, 50, 0]);
    expect(colourAt(drawFlat(skin, 'classic', 'front'), 4, 0)).toEqual([0, 0, 0, 255]);
  });
});

describe('an enlarged figure', () => {
  test('makes squares of the pixels, and a PNG that others read.', () => {
    const front = drawFlat(mappedSkin(), 'slim', 'front');
    const large = enlarge(front, 3);
    expect([large.width, large.height]).toEqual([48, 96]);
    for (const [x, y] of [
      [0, 0],
      [2, 26],
      [3, 24],
      [14, 2],
      [47, 95],
      [26, 95],
    ] as const) {
      expect(colourAt(large, x, y)).toEqual(colourAt(front, Math.floor(x / 3), Math.floor(y / 3)));
    }
    const read = PNG.sync.read(encodePng(large));
    expect([read.width, read.height]).toEqual([48, 96]);
    expect(read.data.equals(large.pixels)).toBe(true);
  });
});
