import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { capeTexture, packPng, skinTexture } from '../../src/pack/texture.ts';
import { makePicture, type Picture } from '../../src/skin/picture.ts';
import { decodePng, readPixels } from '../../src/skin/png/decode.ts';
import { encodePng } from '../../src/skin/png/encode.ts';
import { readHeader } from '../../src/skin/png/header.ts';
import { pixelHash } from '../../src/skin/read-skin.ts';
import { baseTransparency, enlarge, toModern } from '../../src/skin/regions.ts';
import { colourAt, drawFigure, fill, fillPart } from '../support/skin/drawing.ts';

const CLASSIC = drawFigure('classic');

test('A valid skin is included byte by byte, with transparent pixels', () => {
  const file = encodePng(drawFigure('slim'));
  const { png, variant, pixels } = skinTexture(file);
  expect(png).toBe(file);
  expect([variant, pixels]).toEqual(['slim', pixelHash(decodePng(file))]);
});

test('The requested variant is the one in the pack', () => {
  expect(skinTexture(encodePng(CLASSIC), { variant: 'slim' }).variant).toBe('slim');
});

test('A skin of 64×32 is converted as Minecraft converts downloaded ones', () => {
  const old = drawFigure('classic', 32);
  const { png, variant, pixels } = skinTexture(encodePng(old));
  expect(decodePng(png)).toEqual(decodePng(encodePng(toModern(old))));
  expect([variant, pixels]).toEqual(['classic', pixelHash(toModern(old))]);
});

test('A file with faults is encoded again', () => {
  const file = Buffer.concat([encodePng(CLASSIC), Buffer.from('more')]);
  const { png } = skinTexture(file);
  expect(png).not.toEqual(file);
  expect(decodePng(png)).toEqual(decodePng(encodePng(CLASSIC)));
});

test('An HD skin is kept with its arms detected, and scaled down with fit', () => {
  const file = encodePng(enlarge(drawFigure('slim'), 4));
  const kept = skinTexture(file);
  expect([kept.png, kept.variant]).toEqual([file, 'slim']);
  const fitted = skinTexture(file, { fit: true });
  expect(decodePng(fitted.png)).toEqual(decodePng(encodePng(drawFigure('slim'))));
});

describe('A skin whose base layer is see-through', () => {
  const ghost = drawFigure('slim');
  fillPart(ghost, 'body', 'slim', [200, 10, 20, 90]);
  fill(ghost, { x: 8, y: 8, width: 8, height: 8 }, [200, 10, 20, 0]);
  fillPart(ghost, 'jacket', 'slim', [1, 2, 3, 60]);

  test.each([1, 2, 16])('is made opaque at %i times the size, black where it was clear', (scale) => {
    const file = encodePng(enlarge(ghost, scale));
    const { png, pixels, isMadeOpaque, variant } = skinTexture(file);
    const drawn = readPixels(png, readHeader(png)).picture;
    expect([isMadeOpaque, variant, drawn.width]).toEqual([true, 'slim', 64 * scale]);
    expect(baseTransparency(drawn, 'classic')).toEqual({ seeThrough: 0, clear: 0 });
    const at = (x: number, y: number) => colourAt(drawn, x * scale + scale - 1, y * scale);
    expect([at(8, 8), at(20, 20), at(20, 36)]).toEqual([
      [0, 0, 0, 255],
      [200, 10, 20, 255],
      [1, 2, 3, 60],
    ]);
    expect(pixels).toBe(pixelHash(enlarge(ghost, scale)));
  });

  test('is included as it is when its transparency is to be kept', () => {
    const file = encodePng(ghost);
    const { png, isMadeOpaque } = skinTexture(file, { keepsTransparency: true });
    expect([png, isMadeOpaque]).toEqual([file, false]);
  });
});

test('An HD skin in the old layout is refused, unless it is to be scaled down', () => {
  const file = encodePng(enlarge(drawFigure('classic', 32), 2));
  expect(() => skinTexture(file)).toThrow(/128×64 pixels, an HD skin in the layout from before/);
  expect(readHeader(skinTexture(file, { fit: true }).png)).toMatchObject({ width: 64, height: 64 });
});

test.each([
  ['a picture of another size', encodePng(makePicture(65, 64)), /65×64/],
  ['no picture', Buffer.from('GIF89a'), /a GIF picture/],
  ['nothing', Buffer.alloc(0), /empty/],
])('%s is refused', (_name, file, problem) => {
  expect(() => skinTexture(file)).toThrow(problem);
});

test('Capes of 64×32 pixels and multiples are included as they are, and others refused', () => {
  const cape = fill(makePicture(64, 32), { x: 0, y: 0, width: 22, height: 17 }, [200, 0, 0, 255]);
  const files = [cape, enlarge(cape, 2)].map((picture: Picture) => encodePng(picture));
  expect(files.map((file) => capeTexture(file).png)).toEqual(files);
  expect(() => capeTexture(encodePng(makePicture(22, 17)))).toThrow(/22×17 pixels; a cape is 64×32/);
});

test('Encoded files have the same bytes under every version of Node', () => {
  expect(hash('sha1', packPng(CLASSIC))).toBe('69cd777c6bf2673cced3d0bcc39fe4203821f744');
  expect(readPixels(packPng(CLASSIC), readHeader(packPng(CLASSIC))).faults).toEqual([]);
});
