import type { Picture } from './picture.ts';
import { faceRects, PARTS, type Rect, type SkinPart } from './regions.ts';

/** The difference between two pictures of the same size. */
interface Difference {
  /** The number of different pixels, and of all compared. */
  readonly pixels: number;
  readonly of: number;
  /** The smallest rectangle that contains them all. */
  readonly box: Rect;
  /** The skin parts they belong to; empty if they are outside all parts. */
  readonly parts: readonly SkinPart[];
}

/** Undefined if the sizes differ or nothing does. Pixels are equal if `pixelHash` treats them as equal. */
export function differenceOf(one: Picture, other: Picture): Difference | undefined {
  if (one.width !== other.width || one.height !== other.height) return undefined;
  const { width, height } = one;
  const points: { x: number; y: number }[] = [];
  for (let at = 0; at < width * height; at++) {
    if (!isSamePixel(one.pixels, other.pixels, at * 4))
      points.push({ x: at % width, y: Math.floor(at / width) });
  }
  if (points.length === 0) return undefined;
  const parts = (Object.keys(PARTS) as SkinPart[]).filter((part) =>
    Object.values(faceRects(part, 'classic')).some((rect) => points.some((point) => isIn(rect, point))),
  );
  return { pixels: points.length, of: width * height, box: boxOf(points), parts };
}

/** The difference as a sentence without its full stop: how many pixels, and where. */
export function differenceText(one: Picture, other: Picture): string {
  const found = differenceOf(one, other);
  if (!found) return `it has ${sizeOf(one)} pixels, the source ${sizeOf(other)}`;
  const { pixels, of, box, parts } = found;
  const place = `x ${range(box.x, box.width)}, y ${range(box.y, box.height)}`;
  const where = parts.length === 0 ? place : `${place} (${parts.map(partText).join(', ')})`;
  const verb = pixels === 1 ? 'pixels differs' : 'pixels differ';
  return `${pixels} of ${of.toLocaleString('en')} ${verb}, at ${where}`;
}

function isSamePixel(one: Uint8Array, other: Uint8Array, at: number): boolean {
  const alpha = one[at + 3];
  if (alpha !== other[at + 3]) return false;
  return alpha === 0 || [0, 1, 2].every((channel) => one[at + channel] === other[at + channel]);
}

function isIn(rect: Rect, { x, y }: { x: number; y: number }): boolean {
  return x >= rect.x && x < rect.x + rect.width && y >= rect.y && y < rect.y + rect.height;
}

function boxOf(points: readonly { x: number; y: number }[]): Rect {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [x, y] = [Math.min(...xs), Math.min(...ys)];
  return { x, y, width: Math.max(...xs) - x + 1, height: Math.max(...ys) - y + 1 };
}

function range(from: number, length: number): string {
  return length === 1 ? String(from) : `${from}–${from + length - 1}`;
}

/** `left arm` for `leftArm`. */
function partText(part: SkinPart): string {
  return part.replace(/[A-Z]/, (letter) => ` ${letter.toLowerCase()}`);
}

function sizeOf({ width, height }: Picture): string {
  return `${width}×${height}`;
}
