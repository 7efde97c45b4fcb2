import { PNG } from 'pngjs';
import { describe, expect, test } from 'vitest';
import { InvalidImageError, makePicture } from '../../../../src/skin/picture.ts';
import { encodePng } from '../../../../src/skin/png/encode.ts';
import { enlarge } from '../../../../src/skin/regions.ts';
import { drawView, type RenderOptions, renderSkin } from '../../../../src/skin/render/render.ts';
import { capePng } from '../../../support/server/drawn-capes.ts';
import { drawFigure } from '../../../support/skin/drawing.ts';

const figure = drawFigure('slim');
const file = encodePng(figure);

function read(png: Uint8Array) {
  const { width, height, data } = PNG.sync.read(Buffer.from(png));
  return { width, height, pixels: new Uint8Array(data) };
}

describe('a rendered file', () => {
  test('shows the body, 512 high, with the arms that the picture has', () => {
    expect(read(renderSkin(file))).toEqual(drawView(figure, { view: 'body', size: 512, variant: 'slim' }));
  });

  test('shows what is requested', () => {
    const options: RenderOptions = { view: 'isometric', size: 100, variant: 'classic', overlay: false };
    expect(read(renderSkin(file, options))).toEqual(
      drawView(figure, { view: 'isometric', size: 100, variant: 'classic', overlay: false }),
    );
  });

  test("of an HD skin is that of the same skin in Minecraft's size", () => {
    expect(renderSkin(encodePng(enlarge(figure, 4)))).toEqual(renderSkin(file));
  });

  test('shows a cape from behind', () => {
    const back = (options: RenderOptions) => renderSkin(file, { view: 'back', size: 32, ...options });
    expect(back({ cape: capePng(5) })).not.toEqual(back({}));
  });

  test.each([
    ['no skin', Buffer.from('hello'), {}],
    ['a cape of another size', file, { cape: file }],
    ['a picture of another size', encodePng(makePicture(10, 10)), {}],
  ])('cannot be made of %s', (_, png, options) => {
    expect(() => renderSkin(png, options)).toThrow(InvalidImageError);
  });

  test.each([7, 1025, 64.5])('cannot be %s pixels high', (size) => {
    expect(() => renderSkin(file, { size })).toThrow(RangeError);
  });
});
