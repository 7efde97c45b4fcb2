import { makePicture, type Picture } from './picture.ts';
import {
  type Face,
  pixelOffsets,
  type Rect,
  type SkinPart,
  scaledFaces,
  squared,
  type Variant,
} from './regions.ts';

const ARMS = ['rightArm', 'rightSleeve', 'leftArm', 'leftSleeve'] as const satisfies SkinPart[];
/** The faces that are as wide as the arm; the other two are 4 pixels wide in both variants. */
const WIDE: ReadonlySet<Face> = new Set(['top', 'bottom', 'front', 'back']);
const SIDES = ['top', 'bottom', 'right', 'front', 'left', 'back'] as const satisfies Face[];

/**
 * The same skin with arms of the other variant. Of the four columns of a classic arm's front, back, top and bottom, slim arms
 * lose the second one from the body: both edges, where outlines and shades are, stay. Classic arms get the middle one of the
 * three twice, so that slim arms come back as they were. The sleeves are treated as the arms. Works for any multiple of 64 pixels,
 * where a column is as many pixels wide. Slim arms need the square layout: an old skin gets it, with left limbs of its own.
 */
export function withArms(picture: Picture, from: Variant, to: Variant): Picture {
  const isOld = picture.height * 2 === picture.width;
  if (from === to || (isOld && to === 'classic')) return picture;
  const original = isOld ? squared(picture) : picture;
  const { width, height } = original;
  const turned = { ...makePicture(width, height), pixels: original.pixels.slice() };
  const scale = width / 64;
  for (const arm of ARMS) {
    const [old, fresh] = [scaledFaces(arm, from, scale), scaledFaces(arm, to, scale)];
    for (const face of SIDES) clear(turned, old[face]);
    for (const face of SIDES) {
      const columns = WIDE.has(face) ? columnsOf(to, isBodyLeft(arm, face)) : [0, 1, 2, 3];
      for (const [at, column] of columns.entries())
        copyColumn(original, turned, { from: old[face], column, to: fresh[face], at, scale });
    }
  }
  return turned;
}

/** Which columns of a face the other variant shows, from left to right. */
function columnsOf(to: Variant, isLeft: boolean): readonly number[] {
  if (to === 'classic') return [0, 1, 1, 2];
  return isLeft ? [0, 2, 3] : [0, 1, 3];
}

/** Whether the body is left of the face's columns: on the left arm, and at the back the other way round. */
function isBodyLeft(arm: (typeof ARMS)[number], face: Face): boolean {
  return arm.startsWith('left') !== (face === 'back');
}

function clear({ width, pixels }: Picture, rect: Rect): void {
  for (const at of pixelOffsets(rect, width)) pixels.fill(0, at, at + 4);
}

interface ColumnCopy {
  readonly from: Rect;
  readonly column: number;
  readonly to: Rect;
  readonly at: number;
  readonly scale: number;
}

function copyColumn(original: Picture, copy: Picture, { from, column, to, at, scale }: ColumnCopy): void {
  const { width } = original;
  for (let row = 0; row < from.height; row++) {
    const source = ((from.y + row) * width + from.x + column * scale) * 4;
    const target = ((to.y + row) * width + to.x + at * scale) * 4;
    copy.pixels.set(original.pixels.subarray(source, source + scale * 4), target);
  }
}
