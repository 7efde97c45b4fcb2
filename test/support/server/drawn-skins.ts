import type { Picture } from '../../../src/skin/picture.ts';
import { encodePng } from '../../../src/skin/png/encode.ts';
import { drawFigure } from '../skin/drawing.ts';

/** A classic figure whose face is no other number's: pictures of different numbers are different skins. */
export function drawSkin(number: number): Picture {
  const picture = drawFigure('classic');
  picture.pixels.set([number & 255, (number >> 8) & 255, 7, 255], (10 * 64 + 10) * 4);
  return picture;
}

/** The PNG of `drawSkin`. */
export function skinPng(number: number): Buffer {
  return encodePng(drawSkin(number));
}

export function dataUrl(png: Uint8Array): string {
  return `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
}
