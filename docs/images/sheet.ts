import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePicture, type Picture } from '../../src/skin/picture.ts';
import { decodePng } from '../../src/skin/png/decode.ts';
import { drawView } from '../../src/skin/render/render.ts';
import { detectVariant } from '../../src/skin/variant.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples');
const NAMES = ['smith', 'ranger-slim', 'knight-overlay', 'robot', 'miner-legacy'];

/** Height of a figure, and the space around each, in pixels. */
const SIZE = 320;
const MARGIN = 12;

/** The example skins beside each other, seen slightly from the side, on a transparent background. */
export async function drawSheet(): Promise<Picture> {
  const figures = await Promise.all(NAMES.map(drawFigure));
  const width = figures.reduce((sum, figure) => sum + figure.width + MARGIN, MARGIN);
  const sheet = makePicture(width, SIZE + 2 * MARGIN);
  let left = MARGIN;
  for (const figure of figures) {
    paste(figure, sheet, left);
    left += figure.width + MARGIN;
  }
  return sheet;
}

async function drawFigure(name: string): Promise<Picture> {
  const picture = decodePng(await readFile(join(EXAMPLES, `${name}.png`)));
  const { variant } = detectVariant(picture);
  return drawView(picture, { view: 'body', variant, size: SIZE });
}

function paste({ width, height, pixels }: Picture, sheet: Picture, left: number): void {
  for (let row = 0; row < height; row++) {
    const line = pixels.subarray(row * width * 4, (row + 1) * width * 4);
    sheet.pixels.set(line, ((MARGIN + row) * sheet.width + left) * 4);
  }
}
