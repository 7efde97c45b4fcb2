import { makePicture, type Picture } from './picture.ts';

/** The two figures of the game: classic with arms 4 pixels wide, slim with arms 3 pixels wide. */
export type Variant = 'classic' | 'slim';

/** A rectangle of a skin, in pixels from its upper left corner. */
export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The faces of a box. Right and left are the player's own. */
export type Face = 'top' | 'bottom' | 'right' | 'front' | 'left' | 'back';

interface Box {
  layer: 'base' | 'overlay';
  x: number;
  y: number;
  width: number;
  height: number;
  depth: number;
  isArm?: true;
}

const arm = { width: 4, height: 12, depth: 4, isArm: true } as const;
const leg = { width: 4, height: 12, depth: 4 } as const;
const head = { width: 8, height: 8, depth: 8 } as const;
const body = { width: 8, height: 12, depth: 4 } as const;

/**
 * The boxes of a 64×64 skin: where each is unfolded, and its size in the classic variant. A 64×32 skin has only
 * those in its upper half, and shows the right limbs mirrored on the left. From skinview3d, src/model.ts.
 */
export const PARTS = {
  head: { layer: 'base', x: 0, y: 0, ...head },
  hat: { layer: 'overlay', x: 32, y: 0, ...head },
  body: { layer: 'base', x: 16, y: 16, ...body },
  jacket: { layer: 'overlay', x: 16, y: 32, ...body },
  rightArm: { layer: 'base', x: 40, y: 16, ...arm },
  rightSleeve: { layer: 'overlay', x: 40, y: 32, ...arm },
  leftArm: { layer: 'base', x: 32, y: 48, ...arm },
  leftSleeve: { layer: 'overlay', x: 48, y: 48, ...arm },
  rightLeg: { layer: 'base', x: 0, y: 16, ...leg },
  rightPants: { layer: 'overlay', x: 0, y: 32, ...leg },
  leftLeg: { layer: 'base', x: 16, y: 48, ...leg },
  leftPants: { layer: 'overlay', x: 0, y: 48, ...leg },
} as const satisfies Record<string, Box>;

export type SkinPart = keyof typeof PARTS;

/** The parts of one layer, in the order of `PARTS`. */
export function listParts(layer: 'base' | 'overlay'): SkinPart[] {
  return (Object.keys(PARTS) as SkinPart[]).filter((part) => PARTS[part].layer === layer);
}

/** The rectangles of a part's six faces. Slim arms and sleeves are 3 pixels wide instead of 4. */
export function faceRects(part: SkinPart, variant: Variant): Record<Face, Rect> {
  const { x, y, width: classicWidth, height, depth, isArm }: Box = PARTS[part];
  const width = isArm && variant === 'slim' ? classicWidth - 1 : classicWidth;
  return {
    top: { x: x + depth, y, width, height: depth },
    bottom: { x: x + depth + width, y, width, height: depth },
    right: { x, y: y + depth, width: depth, height },
    front: { x: x + depth, y: y + depth, width, height },
    left: { x: x + depth + width, y: y + depth, width: depth, height },
    back: { x: x + depth * 2 + width, y: y + depth, width, height },
  };
}

/**
 * The boxes in which the game's client sets every alpha to 255 and keeps the colour: all base layers. The last
 * one is outside a 64×32 skin.
 */
export const OPAQUE_BOXES: readonly Rect[] = [
  { x: 0, y: 0, width: 32, height: 16 },
  { x: 0, y: 16, width: 64, height: 16 },
  { x: 16, y: 48, width: 32, height: 16 },
];

/** The rectangles that only classic arms use: two columns at the bottom and back of each. */
export const UNUSED_IN_SLIM: readonly Rect[] = [
  { x: 50, y: 16, width: 2, height: 4 },
  { x: 54, y: 20, width: 2, height: 12 },
  { x: 42, y: 48, width: 2, height: 4 },
  { x: 46, y: 52, width: 2, height: 12 },
];

/**
 * Byte positions in `pixels` of the pixels of a rectangle, row by row, for a picture `pictureWidth` wide. An array,
 * because a generator takes several times as long, and each picture of a batch needs 2,000 of them.
 */
export function pixelOffsets({ x, y, width, height }: Rect, pictureWidth: number): number[] {
  const offsets: number[] = [];
  for (let row = y; row < y + height; row++) {
    for (let column = x; column < x + width; column++) offsets.push((row * pictureWidth + column) * 4);
  }
  return offsets;
}

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
