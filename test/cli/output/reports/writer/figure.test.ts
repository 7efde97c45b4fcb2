import { readFile } from 'node:fs/promises';
import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { figureOf } from '../../../../../src/cli/output/reports/writer.ts';
import { encodePng } from '../../../../../src/skin/png/encode.ts';
import { drawFlat } from '../../../../../src/skin/render/flat.ts';
import { drawFigure } from '../../../../support/skin/drawing.ts';

const slim = drawFigure('slim');
const file = encodePng(slim);

/** One side of the figure. */
const frontOf = (...args: Parameters<typeof figureOf>) => figureOf(...args)?.front;

describe('the figure of a skin file', () => {
  test('is a PNG of the figure', () => {
    const read = PNG.sync.read(Buffer.from(frontOf(file, 'classic')!));
    expect([read.width, read.height]).toEqual([16, 32]);
    expect(read.data.equals(drawFlat(slim, 'classic', 'front').pixels)).toBe(true);
  });

  test('has a back as well', () => {
    expect(figureOf(file, 'slim')?.back).toEqual(encodePng(drawFlat(slim, 'slim', 'back')));
  });

  test('has the variant that the picture shows when none is named', () => {
    const expected = encodePng(drawFlat(slim, 'slim', 'front'));
    expect(frontOf(file)).toEqual(expected);
    expect(frontOf(file, 'auto')).toEqual(expected);
    expect(frontOf(file, 'classic')).not.toEqual(expected);
  });

  test('is drawn for skins that other people made', async () => {
    for (const name of ['hacksore', 'haka', 'my-skin']) {
      const bytes = await readFile(new URL(`../../../../fixtures/skins/${name}.png`, import.meta.url));
      expect(PNG.sync.read(Buffer.from(frontOf(bytes)!))).toMatchObject({ width: 16, height: 32 });
    }
  });

  test('does not exist for an unreadable skin', () => {
    expect(frontOf(new Uint8Array())).toBeUndefined();
    expect(frontOf(file.subarray(0, -5), 'slim')).toBeUndefined();
    expect(frontOf(encodePng(drawFlat(slim, 'slim', 'front')), 'slim')).toBeUndefined();
  });
});
