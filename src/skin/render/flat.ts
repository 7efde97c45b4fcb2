import { makePicture, type Picture } from '../picture.ts';
import { type Face, faceRects, type Rect, type SkinPart, toModern, type Variant } from '../regions.ts';

/** The whole figure in skin pixels: two arms of 4 beside a body of 8; head 8, body 12 and legs 12. */
export const FIGURE: Rect = { x: 0, y: 0, width: 16, height: 32 };

/** The position of the figure's head. */
export const FACE: Rect = { x: 4, y: 0, width: 8, height: 8 };

/** The outer side of a cape's texture, and its position on the figure's back. */
const CAPE: Rect = { x: 1, y: 1, width: 10, height: 16 };
const CAPE_CORNER = { x: 3, y: 8 };

/** One box of the figure: its base layer, the overlay above it, and the position of its upper left corner. */
interface Placed {
  base: SkinPart;
  overlay: SkinPart;
  x: number;
  y: number;
}

/** The limbs at the viewer's left and right. */
interface Sides {
  face: Face;
  left: 'left' | 'right';
  right: 'left' | 'right';
}

/** From the front, the player's right is at the viewer's left; from behind, the sides agree. */
const FROM_FRONT: Sides = { face: 'front', left: 'right', right: 'left' };
const FROM_BEHIND: Sides = { face: 'back', left: 'left', right: 'right' };

interface FlatOptions {
  /** Whether to draw the outer layer (hat, jacket, sleeves, trousers); default true. */
  readonly overlay?: boolean | undefined;
  /** A cape's texture, 64×32; visible only from behind. */
  readonly cape?: Picture | undefined;
}

/**
 * The player from the front or from behind, 16×32 pixels, standing straight, on a transparent background. As in
 * Minecraft, the base layer is opaque, black where it has no colour, and the overlay is blended over it. Slim arms
 * leave a column free at both edges. `picture`: 64×64, or 64×32, which is completed as in Minecraft.
 */
export function drawFlat(
  picture: Picture,
  variant: Variant,
  side: 'front' | 'back',
  { overlay: isOverlaid = true, cape }: FlatOptions = {},
): Picture {
  const sides = side === 'front' ? FROM_FRONT : FROM_BEHIND;
  const skin = shownSkin(picture);
  const view = makePicture(FIGURE.width, FIGURE.height);
  for (const { base, overlay, x, y } of placeParts(variant, sides)) {
    const corner = { x, y };
    drawOver(skin, faceRects(base, variant)[sides.face], view, { corner, isOpaque: true });
    if (isOverlaid)
      drawOver(skin, faceRects(overlay, variant)[sides.face], view, { corner, isOpaque: false });
  }
  if (cape && side === 'back') drawOver(cape, CAPE, view, { corner: CAPE_CORNER, isOpaque: false });
  return view;
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

interface Painting {
  readonly corner: { readonly x: number; readonly y: number };
  readonly isOpaque: boolean;
}

/** The base layer is opaque, the overlay is blended over what is there. */
function drawOver(skin: Picture, rect: Rect, view: Picture, { corner, isOpaque }: Painting): void {
  for (let y = 0; y < rect.height; y++) {
    let from = ((rect.y + y) * skin.width + rect.x) * 4;
    let to = ((corner.y + y) * view.width + corner.x) * 4;
    for (const end = from + rect.width * 4; from < end; from += 4, to += 4) {
      const alpha = isOpaque ? 1 : skin.pixels[from + 3]! / 255;
      for (let channel = 0; channel < 3; channel++) {
        const below = view.pixels[to + channel]!;
        view.pixels[to + channel] = Math.round(below + (skin.pixels[from + channel]! - below) * alpha);
      }
      if (isOpaque) view.pixels[to + 3] = 255;
    }
  }
}

/**
 * The 64×64 pixels from which a game client draws: a 64×32 skin is completed, and fully transparent pixels are
 * black, whatever colour the file hides there (see `encodePng`). Does not change the picture itself.
 */
export function shownSkin({ width, height, pixels }: Picture): Picture {
  const copy = Uint8Array.from(pixels);
  for (let at = 0; at < copy.length; at += 4) {
    if (copy[at + 3] !== 0) continue;
    copy[at] = 0;
    copy[at + 1] = 0;
    copy[at + 2] = 0;
  }
  return toModern({ width, height, pixels: copy });
}
