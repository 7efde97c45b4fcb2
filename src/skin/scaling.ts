import { makePicture, type Picture } from './picture.ts';
import type { Rect } from './regions.ts';

/** A rectangle of a picture, enlarged or reduced to `width`×`height` by nearest neighbour. */
export function scaleRect(picture: Picture, rect: Rect, width: number, height: number): Picture {
  const scaled = makePicture(width, height);
  const from = new Uint32Array(picture.pixels.slice().buffer);
  const to = new Uint32Array(scaled.pixels.buffer);
  for (let y = 0; y < height; y++) {
    const row = (rect.y + Math.floor(((y + 0.5) * rect.height) / height)) * picture.width;
    for (let x = 0; x < width; x++) {
      to[y * width + x] = from[row + rect.x + Math.floor(((x + 0.5) * rect.width) / width)]!;
    }
  }
  return scaled;
}

/** A whole picture enlarged, each pixel a square of `factor`×`factor`. */
export function enlarge(picture: Picture, factor: number): Picture {
  const { width, height } = picture;
  return scaleRect(picture, { x: 0, y: 0, width, height }, width * factor, height * factor);
}
