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
export async function drawSheet(size = SIZE): Promise<Picture> {
  const figures = await Promise.all(NAMES.map(async (name) => await drawFigure(name, size)));
  const width = figures.reduce((sum, figure) => sum + figure.width + MARGIN, MARGIN);
  const sheet = makePicture(width, size + 2 * MARGIN);
  let left = MARGIN;
  for (const figure of figures) {
    paste(figure, sheet, left);
    left += figure.width + MARGIN;
  }
  return sheet;
}

/** Pixels of a block of the ground, and how much of the figures' feet it hides. */
const BLOCK = 32;
const DEPTH = 2;

/** The example skins as characters of a game world: on grass, under the sky. */
export async function drawNpcs(): Promise<Picture> {
  const { width, height, pixels } = await drawSheet();
  const scene = makePicture(width, height + BLOCK);
  for (let y = 0; y < scene.height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      const isFigure = y < height && pixels[at + 3]! > 0;
      scene.pixels.set(
        isFigure ? pixels.subarray(at, at + 4) : groundOrSky(x, y - height + MARGIN + DEPTH),
        at,
      );
    }
  }
  return scene;
}

/** `depth`: pixels below the surface; negative: above it. */
function groundOrSky(x: number, depth: number): readonly number[] {
  if (depth < 0) return [124 + Math.round(depth / -8), 178, 240, 255];
  const isDark = (Math.floor(x / 8) * 7 + Math.floor(depth / 8) * 13) % 5 < 2;
  if (depth < BLOCK / 4) return isDark ? [86, 140, 58, 255] : [102, 160, 68, 255];
  return isDark ? [112, 80, 56, 255] : [134, 96, 67, 255];
}

async function drawFigure(name: string, size: number): Promise<Picture> {
  const picture = decodePng(await readFile(join(EXAMPLES, `${name}.png`)));
  const { variant } = detectVariant(picture);
  return drawView(picture, { view: 'body', variant, size });
}

function paste({ width, height, pixels }: Picture, sheet: Picture, left: number): void {
  for (let row = 0; row < height; row++) {
    const line = pixels.subarray(row * width * 4, (row + 1) * width * 4);
    sheet.pixels.set(line, ((MARGIN + row) * sheet.width + left) * 4);
  }
}
