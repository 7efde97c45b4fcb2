import { makePicture, type Picture } from '../../skin/picture.ts';
import { encodePng } from '../../skin/png/encode.ts';
import { drawView } from '../../skin/render/render.ts';
import type { Variant } from '../../skin/variant.ts';

/** Height of a figure in the file, and the margin around each, in pixels. */
const SIZE = 512;
const MARGIN = 32;

/** The figure from the front and the back, side by side on a transparent background, as a PNG of 640×576 pixels. */
export function frontAndBack(picture: Picture, variant: Variant): Uint8Array {
  const views = (['front', 'back'] as const).map((view) => drawView(picture, { view, variant, size: SIZE }));
  const width = views.reduce((sum, view) => sum + view.width + MARGIN, MARGIN);
  const sheet = makePicture(width, SIZE + 2 * MARGIN);
  let x = MARGIN;
  for (const view of views) {
    paste(view, sheet, x, MARGIN);
    x += view.width + MARGIN;
  }
  return encodePng(sheet);
}

function paste({ width, height, pixels }: Picture, onto: Picture, x: number, y: number): void {
  for (let row = 0; row < height; row++) {
    const from = pixels.subarray(row * width * 4, (row + 1) * width * 4);
    onto.pixels.set(from, ((y + row) * onto.width + x) * 4);
  }
}
