import { InvalidImageError, MAX_SKIN_BYTES, type Picture } from '../picture.ts';
import { readHeader } from '../png/decode.ts';
import { encodePng } from '../png/encode.ts';
import type { Variant } from '../regions.ts';
import type { DetectedVariant } from '../variant.ts';
import { type ReadSkin, readSkinAhead } from './read-skin.ts';
import { listWarnings, type SkinWarning } from './warnings.ts';

export type { SkinWarning, SkinWarningCode } from './warnings.ts';

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

/**
 * Checks a skin file locally. A bad picture is a result (`valid: false` with `error`), not an exception. A file
 * above 20,000 bytes is invalid; if its pixels are fine, the hint says so. `wanted`: the variant to use, if
 * already decided.
 */
export function checkSkin(bytes: Uint8Array, wanted?: Variant): SkinReport {
  try {
    // Beyond the decoding limit, the message still names the real limit.
    const maxBytes = bytes.length <= MAX_CHECKED_BYTES ? MAX_CHECKED_BYTES : MAX_SKIN_BYTES;
    const skin = readSkinAhead(bytes, { maxBytes });
    const report = reportOn(skin, { size: bytes.length, wanted });
    return bytes.length <= MAX_SKIN_BYTES ? report : asTooLarge(report, skin.picture, bytes.length);
  } catch (error) {
    if (!(error instanceof InvalidImageError)) throw error;
    return { valid: false, ...readSize(bytes), warnings: [], error: viewError(error) };
  }
}

function reportOn(
  { picture, animated, pixels, detected }: ReadSkin,
  { size, wanted }: { size: number; wanted: Variant | undefined },
): SkinReport {
  const { width, height } = picture;
  return {
    valid: true,
    width,
    height,
    variant: detected.variant,
    confidence: detected.confidence,
    pixels,
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
