// What can be drawn of skins, and how large. The service knows this without loading what draws: that runs in worker threads.

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

export const DEFAULT_VIEW: View = 'body';
export const DEFAULT_SIZE = 512;

/** Pixels of a card: what chats and social networks show without cropping. */
export const CARD = { width: 1200, height: 630 } as const;

/** Maximum figures on the card of a group, and in a row. */
export const MAX_GROUP = 24;
const MAX_ROW = 12;

/** Maximum figures of a set's own picture. */
export const MAX_LINEUP = 60;
/** Pixels. */
export const LINEUP = { width: 1_200, widest: 160, gap: 12 } as const;

interface LineupSize {
  readonly perRow: number;
  /** The width of a figure, which is twice as high. */
  readonly figure: number;
  readonly width: number;
  readonly height: number;
}

/**
 * The size of the picture of so many figures. The last row may have fewer, which stand in its middle. `most`: its height,
 * which the figures fill if its width allows it; by default, they have one width at most.
 */
export function lineupSize(count: number, most?: number): LineupSize {
  const { width: whole, gap } = LINEUP;
  const rows = Math.ceil(count / MAX_ROW);
  const widest = most === undefined ? LINEUP.widest : Math.floor(((most - gap) / rows - gap) / 2);
  const perRow = Math.ceil(count / rows);
  const figure = Math.min(widest, Math.floor((whole - gap) / perRow) - gap);
  const height = rows * (2 * figure + gap) + gap;
  return { perRow, figure, width: perRow * (figure + gap) + gap, height };
}
