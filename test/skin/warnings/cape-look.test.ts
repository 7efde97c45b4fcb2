import { describe, expect, test } from 'vitest';
import { checkSkin } from '../../../src/skin/check.ts';
import type { Picture } from '../../../src/skin/picture.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { looksLikeCape } from '../../../src/skin/warnings.ts';
import { drawSkin } from '../../support/server/drawn-skins.ts';
import { drawFigure } from '../../support/skin/drawing.ts';

/** A cape with its elytra, on a background of this alpha. */
function drawCape(alpha: number): Picture {
  const picture = { width: 64, height: 32, pixels: new Uint8Array(64 * 32 * 4) };
  for (let y = 0; y < 32; y++)
    for (let x = 0; x < 64; x++) {
      const isDrawn = (x < 22 && y < 17) || (x >= 22 && x < 46 && y < 22);
      picture.pixels.set(isDrawn ? [200, x, y, 255] : [255, 255, 255, alpha], (y * 64 + x) * 4);
    }
  return picture;
}

describe('A cape', () => {
  test.each([0, 255])('is distinguished from a skin, on a background of alpha %i', (alpha) => {
    const { warnings } = checkSkin(encodePng(drawCape(alpha)));
    const codes = warnings.map(({ code }) => code);
    expect(codes).toContain('looks_like_cape');
    expect(codes).not.toContain('legacy_format');
  });

  test('is not seen in an old skin, an empty picture or a picture of another size', () => {
    const empty = { width: 64, height: 32, pixels: new Uint8Array(64 * 32 * 4) };
    for (const picture of [drawFigure('classic', 32), empty, drawSkin(1)])
      expect(looksLikeCape(picture)).toBe(false);
  });

  test('without its margin is recognized by its size', () => {
    const small = { width: 22, height: 17, pixels: new Uint8Array(22 * 17 * 4).fill(255) };
    expect(checkSkin(encodePng(small)).error).toMatchObject({
      message: 'The picture is 22×17 pixels; a skin is 64×64 or 64×32.',
      hint: expect.stringContaining('a cape'),
    });
  });
});
