import type { Picture } from '../../../src/skin/picture.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { drawFigure } from '../skin/drawing.ts';

let figure: Picture | undefined;
/** By their numbers: tests draw the same few again and again. */
const pngs = new Map<number, Buffer>();

/** A classic figure with a face of its own for each number, so different numbers are different skins. */
export function drawSkin(number: number): Picture {
  figure ??= drawFigure('classic');
  const pixels = figure.pixels.slice();
  pixels.set([number & 255, (number >> 8) & 255, 7, 255], (10 * 64 + 10) * 4);
  return { ...figure, pixels };
}

/** The PNG of `drawSkin`, which the caller may change. */
export function skinPng(number: number): Buffer {
  const png = pngs.get(number) ?? encodePng(drawSkin(number));
  pngs.set(number, png);
  return Buffer.from(png);
}

export function dataUrl(png: Uint8Array): string {
  return `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
}
