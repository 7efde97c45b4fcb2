import { toModern } from './legacy.ts';
import { makePicture, type Picture } from './picture.ts';
import { type Face, faceRects, type Part, pixelOffsets, type Rect, type Variant } from './regions.ts';

/** The whole figure in skin pixels: two arms of 4 beside a body of 8; head 8, body 12 and legs 12. */
const FIGURE = { width: 16, height: 32 };

/** Pictures are for looking at: 64 makes one of 1024×2048. */
const MAX_SCALE = 64;

/** One box of the figure: its base layer, the overlay above it, and where its upper left corner is. */
interface Placed {
  base: Part;
  overlay: Part;
  x: number;
  y: number;
}

/** Which limb is at the left and which at the right of the viewer. */
interface Sides {
  face: Face;
  left: 'left' | 'right';
  right: 'left' | 'right';
}

/** A viewer before the player sees the player's right at the left; from behind it is as the player says. */
const FROM_FRONT: Sides = { face: 'front', left: 'right', right: 'left' };
const FROM_BEHIND: Sides = { face: 'back', left: 'left', right: 'right' };

/**
 * The player as seen from the front, 16×32 pixels times `scale`, standing straight, on a transparent ground. As
 * in the game the base layer is opaque, black where it has no colour, and the overlay is blended over it. Slim
 * arms leave a column free at both edges. `picture`: 64×64, or 64×32, which is shown as the game shows it.
 * @throws RangeError for a scale that is no whole number from 1 to 64
 */
export function renderFront(picture: Picture, variant: Variant, scale = 1): Picture {
  return render(picture, variant, FROM_FRONT, scale);
}

/** As `renderFront`, from behind. */
export function renderBack(picture: Picture, variant: Variant, scale = 1): Picture {
  return render(picture, variant, FROM_BEHIND, scale);
}

function render(picture: Picture, variant: Variant, sides: Sides, scale: number): Picture {
  assertScale(scale);
  const skin = toModern(withoutHiddenColours(picture));
  const view = makePicture(FIGURE.width, FIGURE.height);
  for (const { base, overlay, x, y } of placeParts(variant, sides)) {
    drawBase(skin, faceRects(base, variant)[sides.face], view, { x, y });
    blendOver(skin, faceRects(overlay, variant)[sides.face], view, { x, y });
  }
  return scale === 1 ? view : enlarge(view, scale);
}

function assertScale(scale: number): void {
  if (Number.isInteger(scale) && scale >= 1 && scale <= MAX_SCALE) return;
  throw new RangeError(`The scale is ${scale}; it can be a whole number from 1 to ${MAX_SCALE}.`);
}

/** What is fully transparent reaches the game black, whatever colour the file hides there: see `encodePng`. */
function withoutHiddenColours({ width, height, pixels }: Picture): Picture {
  const copy = Uint8Array.from(pixels);
  for (let at = 0; at < copy.length; at += 4) if (copy[at + 3] === 0) copy.fill(0, at, at + 3);
  return { width, height, pixels: copy };
}

function placeParts(variant: Variant, { left, right }: Sides): Placed[] {
  const armWidth = faceRects('rightArm', variant).front.width;
  return [
    { base: 'head', overlay: 'hat', x: 4, y: 0 },
    { base: 'body', overlay: 'jacket', x: 4, y: 8 },
    { base: `${left}Arm`, overlay: `${left}Sleeve`, x: 4 - armWidth, y: 8 },
    { base: `${right}Arm`, overlay: `${right}Sleeve`, x: 12, y: 8 },
    { base: `${left}Leg`, overlay: `${left}Pants`, x: 4, y: 20 },
    { base: `${right}Leg`, overlay: `${right}Pants`, x: 8, y: 20 },
  ];
}

interface Corner {
  x: number;
  y: number;
}

function drawBase(skin: Picture, rect: Rect, view: Picture, corner: Corner): void {
  for (const [from, to] of pairOffsets(skin, rect, view, corner)) {
    view.pixels.set(skin.pixels.subarray(from, from + 3), to);
    view.pixels[to + 3] = 255;
  }
}

function blendOver(skin: Picture, rect: Rect, view: Picture, corner: Corner): void {
  for (const [from, to] of pairOffsets(skin, rect, view, corner)) {
    const alpha = skin.pixels[from + 3]! / 255;
    for (let channel = 0; channel < 3; channel++) {
      const below = view.pixels[to + channel]!;
      view.pixels[to + channel] = Math.round(below + (skin.pixels[from + channel]! - below) * alpha);
    }
  }
}

/** Byte positions of a rectangle's pixels in the skin, and of where they are shown. */
function* pairOffsets(
  skin: Picture,
  rect: Rect,
  view: Picture,
  corner: Corner,
): Generator<[from: number, to: number]> {
  const shown = pixelOffsets({ ...rect, ...corner }, view.width);
  for (const from of pixelOffsets(rect, skin.width)) yield [from, shown.next().value as number];
}

function enlarge({ width, height, pixels }: Picture, scale: number): Picture {
  const large = makePicture(width * scale, height * scale);
  for (let y = 0; y < large.height; y++) {
    for (let x = 0; x < large.width; x++) {
      const from = (Math.floor(y / scale) * width + Math.floor(x / scale)) * 4;
      large.pixels.set(pixels.subarray(from, from + 4), (y * large.width + x) * 4);
    }
  }
  return large;
}
