import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withArms } from '../../src/skin/arms.ts';
import { makePicture, type Picture } from '../../src/skin/picture.ts';
import { decodePng } from '../../src/skin/png/decode.ts';
import { pixelOffsets, scaleRect } from '../../src/skin/regions.ts';
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

/** Pixels of the picture for one of the texture. */
const ZOOM = 10;
const RED = [220, 40, 40, 255] as const;

/**
 * The conversion of arms: the smith's right arm in the texture, classic and slim, with the column that goes in red, and the figures
 * with both.
 */
export async function drawArms(): Promise<Picture> {
  const classic = decodePng(await readFile(join(EXAMPLES, 'smith.png')));
  const slim = withArms(classic, 'classic', 'slim');
  const arms = { x: 40, y: 16, width: 16, height: 16 };
  const marked = { ...classic, pixels: classic.pixels.slice() };
  for (const column of [DROPPED.front, DROPPED.back])
    for (const at of pixelOffsets(column, 64)) marked.pixels.set(RED, at);
  const parts = [marked, slim].map((picture) => scaleRect(picture, arms, 16 * ZOOM, 16 * ZOOM));
  const figures = (['classic', 'slim'] as const).map((variant) =>
    drawView(variant === 'slim' ? slim : classic, { view: 'front', variant, size: SIZE }),
  );
  const all = [parts[0]!, parts[1]!, ...figures];
  const width = all.reduce((sum, picture) => sum + picture.width + MARGIN, MARGIN);
  const sheet = makePicture(width, SIZE + 2 * MARGIN);
  let left = MARGIN;
  for (const picture of all) {
    paste(picture, sheet, left);
    left += picture.width + MARGIN;
  }
  return sheet;
}

/** Of the front and the back of the right arm, the column next to the one at the body. */
const DROPPED = {
  front: { x: 46, y: 20, width: 1, height: 12 },
  back: { x: 53, y: 20, width: 1, height: 12 },
} as const;
