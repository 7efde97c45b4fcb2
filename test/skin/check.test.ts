import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { checkSkin } from '../../src/skin/check.ts';
import { makePicture, type Picture } from '../../src/skin/picture.ts';
import { encodePng } from '../../src/skin/png/encode.ts';
import { pixelHash } from '../../src/skin/read-skin.ts';
import { faceRects } from '../../src/skin/regions.ts';
import type { SkinWarningCode } from '../../src/skin/warnings.ts';
import { type Colour, drawFigure, fill, fillPart, fillUnused } from '../support/skin/drawing.ts';
import { chunk, headerChunk, SIGNATURE } from '../support/skin/png-writer.ts';

const clear: Colour = [0, 0, 0, 0];
const whole = { x: 0, y: 0, width: 64, height: 64 };
const hatFront = faceRects('hat', 'classic').front;

function withChunk(file: Buffer, extra: Buffer): Buffer {
  return Buffer.concat([file.subarray(0, 33), extra, file.subarray(33)]);
}

function tinyFile(): Buffer {
  const data = chunk('IDAT', deflateSync(Buffer.alloc(64 * 9)));
  return Buffer.concat([SIGNATURE, headerChunk({ colourType: 0, bitDepth: 1 }), data, chunk('IEND')]);
}

function fixture(name: string): Buffer {
  return readFileSync(new URL(`../fixtures/skins/${name}`, import.meta.url));
}

type Row = [what: string, file: Buffer, codes: SkinWarningCode[], message: RegExp];

function row(what: string, picture: Picture, codes: SkinWarningCode[], message: RegExp): Row {
  return [what, encodePng(picture), codes, message];
}

const warned: Row[] = [
  row('an empty picture', makePicture(64, 64), ['tiny_file', 'fully_transparent'], /black figure/),
  row('a legacy file', drawFigure('classic', 32), ['legacy_format'], /old 64×32/),
  row(
    'a legacy file without transparency',
    fill(makePicture(64, 32), { ...whole, height: 32 }, [9, 9, 9, 255]),
    ['legacy_format', 'hat_not_shown'],
    /not show the hat/,
  ),
  row(
    'a black hat',
    fillPart(drawFigure('slim'), 'hat', 'slim', [0, 0, 0, 255]),
    ['face_hidden'],
    /one colour \(#000000\)/,
  ),
  row(
    'a drawn helmet',
    fill(drawFigure('slim'), hatFront, (n) => [n, 0, 0, 255]),
    ['face_hidden'],
    /opaque all over the front/,
  ),
  row(
    'holes in the base',
    fill(drawFigure('classic'), { x: 8, y: 8, width: 2, height: 1 }, clear),
    ['base_transparency'],
    /2 pixels .* shows the 2 fully transparent ones black/,
  ),
  row(
    'a see-through pixel',
    fill(drawFigure('classic'), { x: 8, y: 8, width: 1, height: 1 }, [1, 2, 3, 99]),
    ['base_transparency'],
    /has 1 pixel with transparency; Minecraft draws base layers opaque\.$/,
  ),
  row(
    'plain black arms',
    fillPart(
      fillPart(drawFigure('classic'), 'leftArm', 'classic', [0, 0, 0, 255]),
      'rightArm',
      'classic',
      [0, 0, 0, 255],
    ),
    ['variant_unclear'],
    /is a guess/,
  ),
  [
    'an animated PNG',
    withChunk(encodePng(drawFigure('slim')), chunk('acTL', Buffer.alloc(8))),
    ['animated'],
    /only its still picture/,
  ],
  ['a tiny file', tinyFile(), ['tiny_file', 'face_hidden', 'variant_unclear'], /at least 100 bytes/],
];

describe('checkSkin', () => {
  test.each(warned)('warns about %s.', (_what, file, codes, message) => {
    const report = checkSkin(file);
    expect(report.valid).toBe(true);
    expect(report.warnings.map(({ code }) => code)).toEqual(codes);
    expect(report.warnings.map(({ message }) => message).join('\n')).toMatch(message);
    expect(report).not.toHaveProperty('error');
  });

  test.each([
    ['a classic figure', drawFigure('classic'), 'classic'],
    ['a slim figure', drawFigure('slim'), 'slim'],
    ['a slim figure with junk where it has no arms', fillUnused(drawFigure('slim'), [1, 2, 3, 99]), 'slim'],
    [
      'a hat with a gap',
      fill(fill(drawFigure('slim'), hatFront, [9, 9, 9, 255]), { ...hatFront, height: 1 }, clear),
      'slim',
    ],
  ] as const)('has nothing to say about %s.', (_what, picture, variant) => {
    expect(checkSkin(encodePng(picture))).toMatchObject({
      valid: true,
      width: 64,
      height: 64,
      legacy: false,
      variant,
      pixels: pixelHash(picture),
      warnings: [],
    });
  });

  test('reports the size of a picture that is no skin.', () => {
    const report = checkSkin(Buffer.concat([SIGNATURE, headerChunk({ width: 512, height: 256 })]));
    expect(report).toMatchObject({ valid: false, width: 512, height: 256, error: { code: 'invalid_image' } });
    expect(report.error?.hint).toContain('64×32');
    expect(report).not.toHaveProperty('pixels');
  });

  test('reports only the error of a file that is no PNG.', () => {
    expect(checkSkin(Buffer.alloc(0))).toEqual({
      valid: false,
      warnings: [],
      error: { code: 'invalid_image', message: 'The file is empty.' },
    });
  });

  test('accepts a valid picture in a file that is too large, and encodes it again.', () => {
    const picture = drawFigure('slim');
    const report = checkSkin(withChunk(encodePng(picture), chunk('tEXt', Buffer.alloc(30_000))));
    expect(report).toMatchObject({ valid: true, variant: 'slim', pixels: pixelHash(picture) });
    expect(report.warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^The file is 3\d{4} bytes; a skin can be at most 20000\. Its pixels fit/),
    ]);
    expect(report.resaved).toEqual(encodePng(picture));
  });

  test.each([
    ['mcskin3d.png', 'file_faults', 'goes on for 30 bytes after the end of the PNG'],
    ['metadata-30kB.png', 'large_file', 'The file is 31969 bytes'],
  ])('accepts %s, and says why it is encoded again.', (name, code, told) => {
    const report = checkSkin(fixture(name));
    expect(report).toMatchObject({
      valid: true,
      warnings: [{ code, message: expect.stringContaining(told) }],
    });
    expect(checkSkin(report.resaved ?? Buffer.alloc(0))).toMatchObject({
      pixels: report.pixels,
      warnings: [],
    });
  });

  test('names an old skin on a square canvas, instead of counting its black pixels.', () => {
    const report = checkSkin(fixture('old-on-64x64.png'));
    expect(report.warnings.map(({ code }) => code)).toEqual(['legacy_on_square']);
    expect(report.warnings[0]?.message).toContain('Crop it to 64×32.');
  });

  test('says no more than "too large" of a file too large to look into.', () => {
    const report = checkSkin(
      withChunk(encodePng(drawFigure('slim')), chunk('tEXt', Buffer.alloc(2_000_000))),
    );
    expect(report).toMatchObject({ valid: false, width: 64, height: 64 });
    expect(report.error?.message).toContain('at most 20000 bytes');
    expect(report).not.toHaveProperty('pixels');
  });
});
