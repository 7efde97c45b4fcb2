import { makePicture, type Picture } from '../../../src/skin/picture.ts';
import {
  faceRects,
  listParts,
  pixelOffsets,
  type Rect,
  type SkinPart,
  UNUSED_IN_SLIM,
  type Variant,
} from '../../../src/skin/regions.ts';

export type Colour = readonly [red: number, green: number, blue: number, alpha: number];

const CLEAR: Colour = [0, 0, 0, 0];

/** Fills a rectangle with one colour, or with `colour(n)` for the n-th pixel. */
export function fill(picture: Picture, rect: Rect, colour: Colour | ((pixel: number) => Colour)): Picture {
  let pixel = 0;
  for (const at of pixelOffsets(rect, picture.width)) {
    picture.pixels.set(typeof colour === 'function' ? colour(pixel++) : colour, at);
  }
  return picture;
}

export function fillPart(
  picture: Picture,
  part: SkinPart,
  variant: Variant,
  colour: Parameters<typeof fill>[2],
): Picture {
  for (const rect of Object.values(faceRects(part, variant))) fill(picture, rect, colour);
  return picture;
}

/** A figure with every base layer drawn in changing colours, and nothing else. */
export function drawFigure(variant: Variant, height: 32 | 64 = 64): Picture {
  const picture = makePicture(64, height);
  for (const part of listParts('base')) {
    if (height === 64 || !part.startsWith('left'))
      fillPart(picture, part, variant, (n) => [n % 7, 90, 40 + (n % 5), 255]);
  }
  return picture;
}

export function fillUnused(picture: Picture, colour: Parameters<typeof fill>[2]): Picture {
  for (const rect of UNUSED_IN_SLIM) fill(picture, rect, colour);
  return picture;
}

export function colourAt({ width, pixels }: Picture, x: number, y: number): number[] {
  return [...pixels.subarray((y * width + x) * 4, (y * width + x) * 4 + 4)];
}

/** Every pixel encodes its own place, so that a drawn one shows where it came from; overlays stay empty. */
export function mappedSkin(height: 32 | 64 = 64): Picture {
  let pixel = 0;
  const picture = fill(makePicture(64, height), { x: 0, y: 0, width: 64, height }, () => {
    const place = pixel++;
    return [place % 64, Math.floor(place / 64), 7, 255];
  });
  fill(picture, { x: 32, y: 0, width: 32, height: 16 }, CLEAR);
  if (height === 32) return picture;
  fill(picture, { x: 0, y: 32, width: 64, height: 16 }, CLEAR);
  fill(picture, { x: 0, y: 48, width: 16, height: 16 }, CLEAR);
  return fill(picture, { x: 48, y: 48, width: 16, height: 16 }, CLEAR);
}
