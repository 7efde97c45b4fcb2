import { describe, expect, test } from 'vitest';
import { InvalidImageError, makePicture } from '../../../src/skin/picture.ts';
import { decodePng } from '../../../src/skin/png/decode.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { fitSkin } from '../../../src/skin/read-skin.ts';
import { enlarge } from '../../../src/skin/regions.ts';
import { mappedSkin } from '../../support/skin/drawing.ts';

describe('an HD skin', () => {
  test.each([
    [64, 2],
    [64, 16],
    [32, 8],
  ] as const)('of 64×%i pixels times %i becomes the skin it was drawn from', (height, factor) => {
    const skin = mappedSkin(height);
    const fitted = fitSkin(encodePng(enlarge(skin, factor)));
    expect(fitted?.from).toEqual({ width: 64 * factor, height: height * factor });
    expect(fitted?.picture).toEqual(skin);
    expect(decodePng(fitted?.bytes ?? Buffer.alloc(0))).toEqual(skin);
  });

  test('takes the pixel in the middle of each square', () => {
    const large = enlarge(makePicture(64, 64), 4);
    large.pixels.set([1, 2, 3, 255], (2 * 256 + 2) * 4);
    large.pixels.set([9, 9, 9, 255], 0);
    expect([...(fitSkin(encodePng(large))?.picture.pixels.subarray(0, 4) ?? [])]).toEqual([1, 2, 3, 255]);
  });

  test('that is damaged is an error, not another picture', () => {
    const png = encodePng(enlarge(mappedSkin(), 2));
    expect(() => fitSkin(png.subarray(0, png.length - 30))).toThrow(InvalidImageError);
  });

  test('with far too many bytes is refused before it is read', () => {
    const png = Buffer.concat([encodePng(makePicture(128, 128)), Buffer.alloc(5 * 1024 * 1024)]);
    expect(() => fitSkin(png)).toThrow(/at most 4194304 bytes/);
  });
});

test.each([
  ['a skin as it is', encodePng(makePicture(64, 64))],
  ['another size', encodePng(makePicture(100, 100))],
  ['another shape', encodePng(makePicture(128, 32))],
  ['more than 1,024 pixels', encodePng(makePicture(2048, 2048))],
  ['no picture', Buffer.from('not a PNG')],
])('%s is left to the check of skins', (_, bytes) => {
  expect(fitSkin(bytes)).toBeUndefined();
});
