/** What can be drawn of a skin. Nothing here loads the renderer. */

export const VIEWS = ['face', 'head', 'bust', 'body', 'front', 'back', 'isometric'] as const;
/**
 * `face`: the head's front · `head`: the head as a cube · `bust`: head and shoulders · `body`: the figure turned a
 * little · `front`, `back`: the figure flat · `isometric`: the figure seen over its corner.
 */
export type View = (typeof VIEWS)[number];

/** Also the figure's upper half from the front, flat: what Minotar calls a bust. */
export type AnyView = View | 'upper';

/** Smallest and largest height of a render, in pixels. */
export const MIN_SIZE = 8;
export const MAX_SIZE = 1024;

/** The width of a view of this height, in pixels: whole figures are half as wide, the others square. */
export function widthOf(view: View, size: number): number {
  const isSquare = view === 'face' || view === 'head' || view === 'bust';
  return isSquare ? size : Math.round(size / 2);
}
