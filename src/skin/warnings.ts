import { MAX_SKIN_BYTES, type Picture } from './picture.ts';
import {
  baseTransparency,
  faceRects,
  hidesLegacyHat,
  isLegacyOnSquare,
  pixelOffsets,
  type Variant,
} from './regions.ts';
import { type DetectedVariant, variantMismatch } from './variant.ts';

/* Needs nothing of Node: pages use it, too. */

export type SkinWarningCode =
  | 'animated'
  | 'base_transparency'
  | 'face_hidden'
  | 'file_faults'
  | 'fully_transparent'
  | 'hat_not_shown'
  | 'large_file'
  | 'legacy_format'
  | 'legacy_on_square'
  | 'looks_like_cape'
  | 'tiny_file'
  | 'variant_mismatch'
  | 'variant_unclear';

/** Something valid that may look different in the game than intended. `message` is whole sentences. */
export interface SkinWarning {
  code: SkinWarningCode;
  message: string;
}

/** The hosted service refuses smaller files. */
const MIN_SERVICE_BYTES = 100;

/** The picture and file that the checks look at. */
interface Subject {
  picture: Picture;
  detected: DetectedVariant;
  animated: boolean;
  /** What is wrong with the file without changing its pixels, as phrases. */
  faults: readonly string[];
  /** Bytes of the file. */
  size: number;
  wanted: Variant | undefined;
}

type Finding = string | undefined;

/** Each check returns a message, or nothing. In the order they are reported. */
const findings = {
  animated: ({ animated }) => (animated ? 'The PNG is animated; only its still picture is used.' : undefined),
  file_faults: ({ faults }) =>
    faults.length > 0
      ? `Faults that do not affect the pixels, left out when the skin is sent: ${faults.join('; ')}.`
      : undefined,
  large_file: ({ size }) =>
    size > MAX_SKIN_BYTES
      ? `The file is ${size} bytes; a skin can be at most ${MAX_SKIN_BYTES}. Its pixels fit, and are sent without the rest.`
      : undefined,
  tiny_file: ({ size }) =>
    size < MIN_SERVICE_BYTES
      ? `The file is ${size} bytes; the hosted service requires at least ${MIN_SERVICE_BYTES} bytes.`
      : undefined,
  fully_transparent: ({ picture }) =>
    isBlank(picture) ? 'The picture is fully transparent: Minecraft shows a black figure.' : undefined,
  looks_like_cape: ({ picture }) =>
    looksLikeCape(picture)
      ? 'This looks like a cape, not a skin: as a skin it has no legs and no body. Capes go with a skin: --cape.'
      : undefined,
  legacy_format: ({ picture }) =>
    picture.height === 32 && !looksLikeCape(picture)
      ? 'This is the old 64×32 format: always classic, left limbs mirror the right ones, the hat is the only overlay.'
      : undefined,
  legacy_on_square: ({ picture }) =>
    isLegacyOnSquare(picture)
      ? 'The lower half is empty: this is a skin of the old 64×32 format on a canvas of 64×64, where Minecraft shows the left arm and leg black. Crop it to 64×32.'
      : undefined,
  hat_not_shown: ({ picture }) =>
    hidesLegacyHat(picture)
      ? 'The hat half of the picture has no transparent pixel, so Minecraft does not show the hat.'
      : undefined,
  face_hidden: ({ picture }) => describeHiddenFace(picture),
  base_transparency: ({ picture, detected }) => describeTransparency(picture, detected.variant),
  variant_mismatch: ({ detected, wanted }) => wanted && variantMismatch(detected, wanted),
  variant_unclear: ({ picture, detected, wanted }) =>
    wanted === undefined && detected.confidence === 'guess' && !isBlank(picture)
      ? `The variant is a guess, because ${detected.reason}: set it yourself if ${detected.variant} is wrong.`
      : undefined,
} satisfies Record<SkinWarningCode, (subject: Subject) => Finding>;

/** In the order in which they are reported. */
export function listWarnings(subject: Subject): SkinWarning[] {
  return (Object.keys(findings) as SkinWarningCode[]).flatMap((code) => {
    const message = findings[code](subject);
    return message === undefined ? [] : [{ code, message }];
  });
}

export function isBlank({ pixels }: Picture): boolean {
  return pixels.every((value, at) => at % 4 !== 3 || value === 0);
}

function describeHiddenFace(picture: Picture): Finding {
  if (hidesLegacyHat(picture)) return undefined;
  const offsets = pixelOffsets(faceRects('hat', 'classic').front, picture.width);
  const { pixels } = picture;
  if (offsets.some((at) => pixels[at + 3] !== 255)) return undefined;
  const colours = new Set(offsets.map((at) => hexOf(pixels.subarray(at, at + 3))));
  return colours.size === 1
    ? `The hat layer is filled with one colour (#${[...colours][0]}) and hides the face; it was probably meant to be transparent.`
    : 'The hat layer is opaque all over the front of the head and hides the face beneath it.';
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function describeTransparency(picture: Picture, variant: Variant): Finding {
  if (isLegacyOnSquare(picture)) return undefined; // which says the same of all these pixels
  const { seeThrough, clear } = baseTransparency(picture, variant);
  if (seeThrough === 0 || isBlank(picture)) return undefined;
  const black = clear === 0 ? '' : `, and shows the ${clear} fully transparent ones black`;
  const count = seeThrough === 1 ? '1 pixel' : `${seeThrough} pixels`;
  return `The base layer has ${count} with transparency; Minecraft draws base layers opaque${black}.`;
}

const WIDTH = 64;
const HEIGHT = 32;

/** The front of a cape in the texture; and the rows below cape and elytra, where a skin has body and limbs. */
const FRONT = { x: 1, y: 1, width: 10, height: 16 };
const FIRST_FREE_ROW = 22;

/** Whether a 64×32 picture looks like a cape: empty where a skin has limbs, painted on a cape's front. */
export function looksLikeCape({ width, height, pixels }: Picture): boolean {
  if (width !== WIDTH || height !== HEIGHT) return false;
  const colours = new Uint32Array(pixels.slice().buffer);
  const free = colours[FIRST_FREE_ROW * WIDTH]!;
  if (colours.subarray(FIRST_FREE_ROW * WIDTH).some((colour) => colour !== free)) return false;
  for (let y = FRONT.y; y < FRONT.y + FRONT.height; y++) {
    const row = y * WIDTH + FRONT.x;
    if (
      colours
        .subarray(row, row + FRONT.width)
        .some((colour, at) => colour === free || !isOpaque(pixels, row + at))
    )
      return false;
  }
  return true;
}

function isOpaque(pixels: Uint8Array, at: number): boolean {
  return pixels[at * 4 + 3] === 255;
}
