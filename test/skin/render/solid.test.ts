import { describe, expect, test } from 'vitest';
import { makePicture, type Picture } from '../../../src/skin/picture.ts';
import { drawFlat } from '../../../src/skin/render/flat.ts';
import { ALL_LIMBS, drawSolid, SCENES, type Scene } from '../../../src/skin/render/solid.ts';
import { colourAt, fill, fillPart, mappedSkin } from '../../support/skin/drawing.ts';

const STRAIGHT: Scene = { camera: { yaw: 0, pitch: 0 }, limbs: ALL_LIMBS };
/** The frame with all overlays is 16.5 × 32.75 skin pixels: four canvas pixels for each. */
const FOURFOLD = { width: 66, height: 131 };

function draw(skin: Picture, scene: Scene, options: Partial<Parameters<typeof drawSolid>[2]> = {}): Picture {
  return drawSolid(skin, scene, { variant: 'classic', width: 100, height: 100, overlay: true, ...options });
}

/** The skin pixel that a pixel of a mapped skin's picture shows. */
function skinPixelAt(picture: Picture, x: number, y: number): number[] {
  return colourAt(picture, x, y).slice(0, 2);
}

describe('seen straight from the front', () => {
  test.each(['classic', 'slim'] as const)('the figure is the flat one (%s)', (variant) => {
    const skin = mappedSkin();
    const solid = draw(skin, STRAIGHT, { ...FOURFOLD, variant, overlay: false });
    const flat = drawFlat(skin, variant, 'front');
    for (let y = 0; y < 32; y++) {
      for (let x = 0; x < 16; x++) {
        expect(colourAt(solid, x * 4 + 3, y * 4 + 4)).toEqual(colourAt(flat, x, y));
      }
    }
  });

  test('the overlay stands off the base', () => {
    const skin = fillPart(mappedSkin(), 'hat', 'classic', [1, 2, 3, 255]);
    const solid = draw(skin, STRAIGHT, FOURFOLD);
    // The hat is 9 wide and begins half a skin pixel above the head: 36 of the 66 columns.
    expect([14, 15, 50, 51].map((x) => colourAt(solid, x, 0)[3])).toEqual([0, 255, 255, 0]);
    expect(colourAt(solid, 33, 35)).toEqual([1, 2, 3, 255]);
    expect(colourAt(solid, 33, 36)).not.toEqual([1, 2, 3, 255]);
  });
});

describe('the head over its corner', () => {
  const head = () => draw(mappedSkin(), SCENES.head);

  test('shows the top above, the right side at the left and the face at the right', () => {
    // A skin pixel is 4.81 wide on the canvas; the cube's middle is at 50, the faces' middles at 28 and 61.
    expect(skinPixelAt(head(), 49, 28)).toEqual([11, 4]);
    expect(skinPixelAt(head(), 30, 61)).toEqual([3, 12]);
    expect(skinPixelAt(head(), 69, 61)).toEqual([12, 12]);
  });

  test('meets in its nearest corner, and nothing is drawn outside', () => {
    const picture = head();
    expect(skinPixelAt(picture, 50, 52)).toEqual([8, 8]);
    expect(skinPixelAt(picture, 49, 52)).toEqual([7, 8]);
    expect(skinPixelAt(picture, 50, 48)).toEqual([8, 7]);
    for (const [x, y] of [[0, 0] as const, [99, 0] as const, [0, 99] as const, [99, 99] as const]) {
      expect(colourAt(picture, x, y)).toEqual([0, 0, 0, 0]);
    }
  });

  test('has no hole between its faces', () => {
    const { pixels } = draw(makePicture(64, 64), SCENES.head, { width: 257, height: 257 });
    const alphas = Array.from({ length: 257 * 257 }, (_, at) => pixels[at * 4 + 3]!);
    for (let y = 0; y < 257; y++) {
      const row = alphas.slice(y * 257, y * 257 + 257);
      expect(row.slice(row.indexOf(255), row.lastIndexOf(255) + 1)).not.toContain(0);
    }
  });
});

describe('the overlay in space', () => {
  test('shows its inner side through its holes', () => {
    const skin = makePicture(64, 64);
    fill(skin, { x: 56, y: 8, width: 8, height: 8 }, [9, 8, 7, 255]); // the back of the hat
    const { pixels } = draw(skin, SCENES.head);
    const seen = Array.from({ length: 100 * 100 }, (_, at) => pixels.subarray(at * 4, at * 4 + 4).join());
    expect(seen).toContain('9,8,7,255');
  });

  test('is blended over the base, and over nothing', () => {
    const skin = fillPart(makePicture(64, 64), 'head', 'classic', [100, 0, 0, 255]);
    fillPart(skin, 'hat', 'classic', [200, 0, 0, 51]);
    const picture = draw(skin, STRAIGHT, FOURFOLD);
    // Through the front and nothing else of the hat: its back is hidden by the head.
    expect(colourAt(picture, 33, 17)).toEqual([120, 0, 0, 255]);
    // Beside the head the front and the back of the hat are one behind the other: 51 over 51.
    expect(colourAt(picture, 15, 17)).toEqual([200, 0, 0, 92]);
  });

  test('is left out when it is not wanted, and the figure stays where it is', () => {
    const skin = fillPart(mappedSkin(), 'hat', 'classic', [1, 2, 3, 255]);
    expect(draw(skin, SCENES.head, { overlay: false })).toEqual(draw(mappedSkin(), SCENES.head));
  });
});

test('a bust is cut off at the lower edge of the picture', () => {
  const picture = draw(mappedSkin(), SCENES.bust);
  const lowest = Array.from({ length: 100 }, (_, x) => colourAt(picture, x, 99)[3]);
  expect(lowest.filter((alpha) => alpha === 255).length).toBeGreaterThan(80);
});

test('a 64×32 skin has its right limbs mirrored on the left', () => {
  const picture = draw(mappedSkin(32), STRAIGHT, { ...FOURFOLD, overlay: false });
  expect([1, 13].map((x) => skinPixelAt(picture, x * 4 + 3, 8 * 4 + 4))).toEqual([
    [45, 20],
    [46, 20],
  ]);
});
