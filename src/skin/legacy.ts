import { makePicture, type Picture } from './picture.ts';
import { faceRects, OPAQUE_BOXES, pixelOffsets, type Rect, type SkinPart } from './regions.ts';

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
  if (picture.height !== 32) return picture;
  const modern = makePicture(64, 64);
  modern.pixels.set(picture.pixels);
  for (const { from, to } of mirrored) mirrorLimb(modern, from, to);
  if (hidesLegacyHat(picture)) setAlpha(modern, HAT_HALF, 0);
  for (const box of OPAQUE_BOXES) setAlpha(modern, box, 255);
  return modern;
}

/**
 * The client's rule for 64×32 files: if every alpha in the hat half is 128 or more, it is a fill, not a hat, and
 * is not shown.
 */
export function hidesLegacyHat({ width, height, pixels }: Picture): boolean {
  return height === 32 && pixelOffsets(HAT_HALF, width).every((at) => pixels[at + 3]! >= 128);
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
  const source = faceRects(from, 'classic');
  const target = faceRects(to, 'classic');
  copyFlipped(picture, source.top, target.top);
  copyFlipped(picture, source.bottom, target.bottom);
  copyFlipped(picture, source.right, target.left);
  copyFlipped(picture, source.front, target.front);
  copyFlipped(picture, source.left, target.right);
  copyFlipped(picture, source.back, target.back);
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
