import type { Picture } from '../picture.ts';
import type { Rect, Variant } from '../regions.ts';
import { scaleRect } from '../scaling.ts';
import { drawFlat, FACE, FIGURE } from './flat.ts';
import { drawSolid, SCENES } from './solid.ts';

/**
 * `face`: the head's front · `head`: the head as a cube · `bust`: head and shoulders · `body`: the figure turned a
 * little · `front`, `back`: the figure flat · `isometric`: the figure seen over its corner.
 */
export const VIEWS = ['face', 'head', 'bust', 'body', 'front', 'back', 'isometric'] as const;
export type View = (typeof VIEWS)[number];

/** Smallest and largest height of a render, in pixels. */
export const MIN_SIZE = 8;
export const MAX_SIZE = 1024;

export interface RenderOptions {
  readonly view: View;
  readonly variant: Variant;
  /** Height in pixels, a whole number from 8 to 1024. Whole figures are half as wide, the others square. */
  readonly size: number;
  /** Whether to draw the outer layer; default true. */
  readonly overlay?: boolean | undefined;
  /** A cape's texture, 64×32; shown in `back`. */
  readonly cape?: Picture | undefined;
}

/**
 * A picture of a skin on a transparent background, by nearest neighbour, with every pixel in a colour of the skin
 * (blended where the overlay is translucent). `picture`: 64×64, or 64×32, which is completed as in the game.
 * @throws RangeError for a size out of bounds
 */
export function renderSkin(picture: Picture, options: RenderOptions): Picture {
  const { view, variant, size, overlay = true, cape } = options;
  assertSize(size);
  const width = isWholeFigure(view) ? Math.round(size / 2) : size;
  const flat = (side: 'front' | 'back', rect: Rect) =>
    scaleRect(drawFlat(picture, variant, side, { overlay, cape }), rect, width, size);
  if (view === 'face') return flat('front', FACE);
  if (view === 'front' || view === 'back') return flat(view, FIGURE);
  return drawSolid(picture, SCENES[view], { variant, width, height: size, overlay });
}

function isWholeFigure(view: View): boolean {
  return view !== 'face' && view !== 'head' && view !== 'bust';
}

function assertSize(size: number): void {
  if (Number.isInteger(size) && size >= MIN_SIZE && size <= MAX_SIZE) return;
  throw new RangeError(`The size is ${size}; it must be a whole number from ${MIN_SIZE} to ${MAX_SIZE}.`);
}
