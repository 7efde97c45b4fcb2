import { hidesLegacyHat } from '../legacy.ts';
import { InvalidImageError, MAX_SKIN_BYTES, type Picture } from '../picture.ts';
import { pixelHash } from '../pixel-hash.ts';
import { type DecodedPng, readHeader, readPng } from '../png/decode.ts';
import { encodePng } from '../png/encode.ts';
import { faceRects, listParts, PARTS, type Part, pixelOffsets, type Variant } from '../regions.ts';
import { type DetectedVariant, detectVariant, variantMismatch } from '../variant.ts';
import { looksLikeCape } from './cape.ts';

export type SkinWarningCode =
  | 'animated'
  | 'base_transparency'
  | 'face_hidden'
  | 'fully_transparent'
  | 'hat_not_shown'
  | 'legacy_format'
  | 'looks_like_cape'
  | 'tiny_file'
  | 'variant_mismatch'
  | 'variant_unclear';

/** Something valid that may look different in the game than intended. `message` is whole sentences. */
export interface SkinWarning {
  code: SkinWarningCode;
  message: string;
}

/** The result of `checkSkin`. `width` and `height` are known for any readable PNG, the rest for skins only. */
export interface SkinReport {
  valid: boolean;
  width?: number;
  height?: number;
  variant?: Variant;
  confidence?: DetectedVariant['confidence'];
  /** Pixel hash. */
  pixels?: string;
  /** True for 64×32. */
  legacy?: boolean;
  warnings: SkinWarning[];
  error?: { code: 'invalid_image'; message: string; hint?: string };
}

/** Maximum size of a file that is still decoded, to say whether re-saving would help. */
const MAX_CHECKED_BYTES = 2_000_000;

/** The hosted service refuses smaller files. */
const MIN_SERVICE_BYTES = 100;

/**
 * Checks a skin file locally. A bad picture is a result (`valid: false` with `error`), not an exception. A file
 * above 20,000 bytes is invalid; if its pixels are fine, the hint says so. `wanted`: the variant to use, if
 * already decided.
 */
export function checkSkin(bytes: Uint8Array, wanted?: Variant): SkinReport {
  try {
    // Beyond the decoding limit, the message still names the real limit.
    const maxBytes = bytes.length <= MAX_CHECKED_BYTES ? MAX_CHECKED_BYTES : MAX_SKIN_BYTES;
    const decoded = readPng(bytes, { maxBytes });
    const report = reportOn(decoded, { size: bytes.length, wanted });
    return bytes.length <= MAX_SKIN_BYTES ? report : asTooLarge(report, decoded.picture, bytes.length);
  } catch (error) {
    if (!(error instanceof InvalidImageError)) throw error;
    return { valid: false, ...readSize(bytes), warnings: [], error: viewError(error) };
  }
}

function reportOn(
  { picture, animated }: DecodedPng,
  { size, wanted }: { size: number; wanted: Variant | undefined },
): SkinReport {
  const { width, height } = picture;
  const detected = detectVariant(picture);
  return {
    valid: true,
    width,
    height,
    variant: detected.variant,
    confidence: detected.confidence,
    pixels: pixelHash(picture),
    legacy: height === 32,
    warnings: listWarnings({ picture, detected, animated, size, wanted }),
  };
}

function asTooLarge(report: SkinReport, picture: Picture, size: number): SkinReport {
  const canonical = encodePng(picture).length;
  const hint = `The pixels are fine: saved again without metadata and with good compression, they fit (in ${canonical} bytes as skinsmith writes PNG).`;
  const message = `The file is ${size} bytes; a skin can be at most ${MAX_SKIN_BYTES} bytes.`;
  return { ...report, valid: false, error: { code: 'invalid_image', message, hint } };
}

function viewError({ code, message, hint }: InvalidImageError): NonNullable<SkinReport['error']> {
  return hint === undefined ? { code, message } : { code, message, hint };
}

function readSize(bytes: Uint8Array): { width?: number; height?: number } {
  try {
    const { width, height } = readHeader(bytes);
    return { width, height };
  } catch {
    return {}; // the caller already has the error
  }
}

interface Subject {
  picture: Picture;
  detected: DetectedVariant;
  animated: boolean;
  /** Bytes of the file. */
  size: number;
  wanted: Variant | undefined;
}

type Finding = string | undefined;

/** Each check returns a message, or nothing. In the order they are reported. */
const findings = {
  animated: ({ animated }) => (animated ? 'The PNG is animated; only its still picture is used.' : undefined),
  tiny_file: ({ size }) =>
    size < MIN_SERVICE_BYTES
      ? `The file is ${size} bytes; the hosted service takes files from ${MIN_SERVICE_BYTES} bytes.`
      : undefined,
  fully_transparent: ({ picture }) =>
    isBlank(picture) ? 'The picture is fully transparent: the game shows a black figure.' : undefined,
  looks_like_cape: ({ picture }) =>
    looksLikeCape(picture)
      ? 'This looks like a cape, not a skin: as a skin it has no legs and no body. Capes go with a skin: --cape.'
      : undefined,
  legacy_format: ({ picture }) =>
    picture.height === 32 && !looksLikeCape(picture)
      ? 'This is the old 64×32 format: always classic, left limbs mirror the right ones, the hat is the only overlay.'
      : undefined,
  hat_not_shown: ({ picture }) =>
    hidesLegacyHat(picture)
      ? 'The hat half of the picture has no transparent pixel, so the game does not show the hat.'
      : undefined,
  face_hidden: ({ picture }) => describeHiddenFace(picture),
  base_transparency: ({ picture, detected }) => describeTransparency(picture, detected.variant),
  variant_mismatch: ({ detected, wanted }) => wanted && variantMismatch(detected, wanted),
  variant_unclear: ({ picture, detected, wanted }) =>
    wanted === undefined && detected.confidence === 'guess' && !isBlank(picture)
      ? `The variant is a guess, because ${detected.reason}: name it yourself if ${detected.variant} is wrong.`
      : undefined,
} satisfies Record<SkinWarningCode, (subject: Subject) => Finding>;

function listWarnings(subject: Subject): SkinWarning[] {
  return (Object.keys(findings) as SkinWarningCode[]).flatMap((code) => {
    const message = findings[code](subject);
    return message === undefined ? [] : [{ code, message }];
  });
}

function isBlank({ pixels }: Picture): boolean {
  return pixels.every((value, at) => at % 4 !== 3 || value === 0);
}

function describeHiddenFace(picture: Picture): Finding {
  if (hidesLegacyHat(picture)) return undefined;
  const offsets = [...pixelOffsets(faceRects('hat', 'classic').front, picture.width)];
  const { pixels } = picture;
  if (offsets.some((at) => pixels[at + 3] !== 255)) return undefined;
  const colours = new Set(offsets.map((at) => Buffer.from(pixels.subarray(at, at + 3)).toString('hex')));
  return colours.size === 1
    ? `The hat layer is filled with one colour (#${[...colours][0]}) and hides the face; it was probably meant to be transparent.`
    : 'The hat layer is opaque all over the front of the head and hides the face beneath it.';
}

function describeTransparency(picture: Picture, variant: Variant): Finding {
  const alphas = listAlphas(picture, variant).filter((alpha) => alpha < 255);
  if (alphas.length === 0 || isBlank(picture)) return undefined;
  const blank = alphas.filter((alpha) => alpha === 0).length;
  const black = blank === 0 ? '' : `, and shows the ${blank} fully transparent ones black`;
  const count = alphas.length === 1 ? '1 pixel' : `${alphas.length} pixels`;
  return `The base layer has ${count} with transparency; the game draws base layers opaque${black}.`;
}

function listAlphas({ width, height, pixels }: Picture, variant: Variant): number[] {
  return listParts('base')
    .filter((part) => isInside(part, height))
    .flatMap((part) => Object.values(faceRects(part, variant)))
    .flatMap((rect) => [...pixelOffsets(rect, width)])
    .map((at) => pixels[at + 3]!);
}

function isInside(part: Part, pictureHeight: number): boolean {
  return PARTS[part].y < pictureHeight;
}
