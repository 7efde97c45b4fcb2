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
 * The boxes in which Minecraft sets every alpha to 255: all base layers. Where alpha was 0 it shows black, because services
 * leave out the colour there. The last one is outside a 64×32 skin.
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

/** Byte positions in `pixels` of the pixels of a rectangle, row by row, for a picture `pictureWidth` wide. */
export function pixelOffsets(rect: Rect, pictureWidth: number): number[] {
  const offsets: number[] = [];
  eachPixel(rect, pictureWidth, (at) => offsets.push(at));
  return offsets;
}

/** Calls back with each of the same positions, for what every picture of a batch needs: no array is made. */
export function eachPixel(
  { x, y, width, height }: Rect,
  pictureWidth: number,
  visit: (at: number) => void,
): void {
  for (let row = y; row < y + height; row++) {
    const start = (row * pictureWidth + x) * 4;
    for (let at = start; at < start + width * 4; at += 4) visit(at);
  }
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

/** The half of a 64×32 skin that contains the hat; its right part is unused. */
const HAT_HALF: Rect = { x: 32, y: 0, width: 32, height: 32 };

const mirrored: readonly { from: SkinPart; to: SkinPart }[] = [
  { from: 'rightLeg', to: 'leftLeg' },
  { from: 'rightArm', to: 'leftArm' },
];

/**
 * Shows a 64×32 skin as the game's client does, as 64×64: right limbs are mirrored to the left, base layers are
 * made opaque, the hat is dropped if its half of the file has no transparency at all. Other overlays stay empty.
 * For previews and packs: the file that is uploaded stays 64×32. A 64×64 picture is returned as it is.
 */
export function toModern(picture: Picture): Picture {
  return picture.height === 32 ? squared(picture) : picture;
}

/** The same for an old skin of any multiple of 64×32 pixels. */
export function squared(picture: Picture): Picture {
  const { width } = picture;
  const modern = makePicture(width, width);
  modern.pixels.set(picture.pixels);
  for (const { from, to } of mirrored) mirrorLimb(modern, from, to);
  if (isHatFilled(picture)) setAlpha(modern, enlargedRect(HAT_HALF, width / 64), 0);
  makeBaseOpaque(modern);
  return modern;
}

/**
 * The client's rule for 64×32 files: if every alpha in the hat half is 128 or more, it is a fill, not a hat, and
 * is not shown.
 */
export function hidesLegacyHat(picture: Picture): boolean {
  return picture.height === 32 && isHatFilled(picture);
}

function isHatFilled({ width, pixels }: Picture): boolean {
  return pixelOffsets(enlargedRect(HAT_HALF, width / 64), width).every((at) => pixels[at + 3]! >= 128);
}

/**
 * Whether a 64×64 picture has only what a 64×32 skin has: its lower half, with the left limbs, is invisible, its upper
 * half is not.
 */
export function isLegacyOnSquare({ width, height, pixels }: Picture): boolean {
  if (height !== 64) return false;
  const half = width * 32 * 4;
  return !isVisible(pixels.subarray(half)) && isVisible(pixels.subarray(0, half));
}

function isVisible(pixels: Uint8Array): boolean {
  for (let at = 3; at < pixels.length; at += 4) if (pixels[at]! > 0) return true;
  return false;
}

/** A mirrored limb's inner side faces inwards: each face is flipped, and right and left are swapped. */
function mirrorLimb(picture: Picture, from: SkinPart, to: SkinPart): void {
  const scale = picture.width / 64;
  const [source, target] = [from, to].map((part) => scaledFaces(part, 'classic', scale)) as [Faces, Faces];
  copyFlipped(picture, source.top, target.top);
  copyFlipped(picture, source.bottom, target.bottom);
  copyFlipped(picture, source.right, target.left);
  copyFlipped(picture, source.front, target.front);
  copyFlipped(picture, source.left, target.right);
  copyFlipped(picture, source.back, target.back);
}

type Faces = Record<Face, Rect>;

/** The faces of a part in a skin of a multiple of 64 pixels. */
export function scaledFaces(part: SkinPart, variant: Variant, scale: number): Faces {
  const faces = Object.entries(faceRects(part, variant)).map(([face, rect]) => [
    face,
    enlargedRect(rect, scale),
  ]);
  return Object.fromEntries(faces) as Faces;
}

function copyFlipped({ width, pixels }: Picture, from: Rect, to: Rect): void {
  for (let y = 0; y < from.height; y++) {
    for (let x = 0; x < from.width; x++) {
      const source = ((from.y + y) * width + from.x + x) * 4;
      const target = ((to.y + y) * width + to.x + from.width - 1 - x) * 4;
      pixels.copyWithin(target, source, source + 4);
    }
  }
}

function setAlpha({ width, pixels }: Picture, rect: Rect, alpha: number): void {
  for (const at of pixelOffsets(rect, width)) pixels[at + 3] = alpha;
}

/** Pixels of the base layer that are not opaque, and those among them with alpha 0, which the client shows black. */
export interface BaseTransparency {
  readonly seeThrough: number;
  readonly clear: number;
}

/** Counts them where the variant shows them, in a skin of any multiple of 64 pixels. */
export function baseTransparency(picture: Picture, variant: Variant): BaseTransparency {
  const { width, height, pixels } = picture;
  const scale = width / 64;
  const faces = listParts('base')
    .filter((part) => PARTS[part].y * scale < height)
    .flatMap((part) => Object.values(faceRects(part, variant)));
  let [seeThrough, clear] = [0, 0];
  for (const face of faces) {
    eachPixel(enlargedRect(face, scale), width, (at) => {
      if (pixels[at + 3] !== 255) seeThrough++;
      if (pixels[at + 3] === 0) clear++;
    });
  }
  return { seeThrough, clear };
}

/** A copy of a square skin of any multiple of 64 pixels with opaque base layers, and black where alpha was 0. */
export function withOpaqueBase({ width, height, pixels }: Picture): Picture {
  const opaque = { width, height, pixels: pixels.slice() };
  makeBaseOpaque(opaque);
  return opaque;
}

function makeBaseOpaque({ width, pixels }: Picture): void {
  for (const box of OPAQUE_BOXES) {
    eachPixel(enlargedRect(box, width / 64), width, (at) => {
      if (pixels[at + 3] === 0) pixels.fill(0, at, at + 3);
      pixels[at + 3] = 255;
    });
  }
}

function enlargedRect({ x, y, width, height }: Rect, scale: number): Rect {
  return { x: x * scale, y: y * scale, width: width * scale, height: height * scale };
}
