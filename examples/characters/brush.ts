import { makePicture, type Picture } from '../../src/skin/picture.ts';
import {
  type Face,
  faceRects,
  PARTS,
  type Rect,
  type SkinPart,
  type Variant,
} from '../../src/skin/regions.ts';

/** A skin being drawn. Colours are 6 hex digits. */
export interface Figure {
  picture: Picture;
  variant: Variant;
}

export const SIDES = ['right', 'front', 'left', 'back'] as const;
const faces = ['top', 'bottom', ...SIDES] as const;

/** A blank figure; a height of 32 makes a legacy one, which has no left limbs of its own. */
export function makeFigure(variant: Variant, height: 32 | 64 = 64): Figure {
  return { picture: makePicture(64, height), variant };
}

function dot({ picture }: Figure, x: number, y: number, colour: string): void {
  picture.pixels.set([...Buffer.from(colour, 'hex'), 255], (y * picture.width + x) * 4);
}

function rectOf({ variant }: Figure, part: SkinPart, face: Face): Rect {
  return faceRects(part, variant)[face];
}

/** Paints all six faces. */
export function box(figure: Figure, part: SkinPart, colour: string): void {
  for (const face of faces) plate(figure, part, face, colour);
}

/** Paints one face. */
export function plate(figure: Figure, part: SkinPart, face: Face, colour: string): void {
  const { x, y, width, height } = rectOf(figure, part, face);
  for (let at = 0; at < width * height; at++) {
    dot(figure, x + (at % width), y + Math.floor(at / width), colour);
  }
}

/** Paints rows `from` to `to` (without `to`) all around the four sides. */
export function ring(figure: Figure, part: SkinPart, [from, to]: [number, number], colour: string): void {
  for (const face of SIDES) {
    const { x, y, width } = rectOf(figure, part, face);
    for (let row = from; row < to; row++) {
      for (let column = 0; column < width; column++) dot(figure, x + column, y + row, colour);
    }
  }
}

/** Where and with what letters `art` draws. */
export interface ArtPlace {
  part: SkinPart;
  face: Face;
  colours: Readonly<Record<string, string>>;
  /** First row of the face to draw on. */
  row?: number;
}

/** Draws letters as colours from the left edge of a face; other characters leave what is there. */
export function art(
  figure: Figure,
  { part, face, colours, row = 0 }: ArtPlace,
  rows: readonly string[],
): void {
  const rect = rectOf(figure, part, face);
  for (const [down, line] of rows.entries()) {
    for (const [across, letter] of [...line].entries()) {
      const colour = colours[letter];
      if (colour !== undefined && across < rect.width)
        dot(figure, rect.x + across, rect.y + row + down, colour);
    }
  }
}

/** Light from above and in front, as the game's own light is soft. */
const light: Readonly<Record<Face, number>> = {
  top: 1.07,
  front: 1,
  right: 0.93,
  left: 0.93,
  back: 0.88,
  bottom: 0.78,
};

/** Lights every painted face, darkens its lower end and edges, and gives it a sparse grain. */
export function shade(figure: Figure): void {
  const parts = (Object.keys(PARTS) as SkinPart[]).filter((part) => PARTS[part].y < figure.picture.height);
  for (const part of parts) {
    for (const face of faces) shadeFace(figure.picture, rectOf(figure, part, face), light[face]);
  }
}

function shadeFace({ width: pictureWidth, pixels }: Picture, rect: Rect, strength: number): void {
  for (let y = 0; y < rect.height; y++) {
    for (let x = 0; x < rect.width; x++) {
      const at = ((rect.y + y) * pictureWidth + rect.x + x) * 4;
      const edge = x === 0 || x === rect.width - 1 ? 0.95 : 1;
      const depth = 1 - 0.1 * Math.round((2 * y) / rect.height) * 0.5;
      const factor = strength * edge * depth * grain(rect.x + x, rect.y + y);
      for (let channel = 0; channel < 3; channel++) {
        pixels[at + channel] = Math.min(255, Math.round(pixels[at + channel]! * factor));
      }
    }
  }
}

/** A fixed speckle: one pixel in five is a little darker or lighter. */
function grain(x: number, y: number): number {
  const mixed = (Math.imul(x * 73 + 11, 40_503) ^ Math.imul(y * 151 + 7, 30_011)) >>> 5;
  return [0.92, 1, 1, 1, 1, 1, 1.07, 1, 1, 1][mixed % 10]!;
}
