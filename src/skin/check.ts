import { InvalidImageError, MAX_SKIN_BYTES } from './picture.ts';
import { encodePng } from './png/encode.ts';
import { readHeader } from './png/header.ts';
import { type ReadSkin, readSkin } from './read-skin.ts';
import type { Variant } from './regions.ts';
import type { DetectedVariant } from './variant.ts';
import { listWarnings, type SkinWarning } from './warnings.ts';

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
  /** The same pixels in a sound file, if this one is too large for a service or has faults: send that instead. */
  resaved?: Uint8Array;
  error?: { code: 'invalid_image'; message: string; hint?: string };
}

/** Maximum size of a file that is still decoded: its pixels may fit where the file does not. */
export const MAX_CHECKED_BYTES = 2_000_000;

/**
 * Checks a skin file locally. A bad picture is a result (`valid: false` with `error`), not an exception. `wanted`: the
 * variant to use, if already decided.
 */
export function checkSkin(bytes: Uint8Array, wanted?: Variant): SkinReport {
  try {
    // Beyond the decoding limit, the message still names the real limit.
    const maxBytes = bytes.length <= MAX_CHECKED_BYTES ? MAX_CHECKED_BYTES : MAX_SKIN_BYTES;
    return reportOn(readSkin(bytes, { maxBytes }), { size: bytes.length, wanted });
  } catch (error) {
    if (!(error instanceof InvalidImageError)) throw error;
    const { code, message, hint } = error;
    return {
      valid: false,
      ...readSize(bytes),
      warnings: [],
      error: { code, message, ...(hint && { hint }) },
    };
  }
}

function reportOn(
  { picture, animated, faults, pixels, detected }: ReadSkin,
  { size, wanted }: { size: number; wanted: Variant | undefined },
): SkinReport {
  const { width, height } = picture;
  const isSound = size <= MAX_SKIN_BYTES && faults.length === 0;
  return {
    valid: true,
    width,
    height,
    variant: detected.variant,
    confidence: detected.confidence,
    pixels,
    legacy: height === 32,
    warnings: listWarnings({ picture, detected, animated, faults, size, wanted }),
    ...(!isSound && { resaved: encodePng(picture) }),
  };
}

function readSize(bytes: Uint8Array): { width?: number; height?: number } {
  try {
    const { width, height } = readHeader(bytes);
    return { width, height };
  } catch {
    return {}; // the caller already has the error
  }
}
