import { hash } from 'node:crypto';
import { MAX_SKIN_BYTES, type Picture } from '../picture.ts';
import { pixelHash } from '../pixel-hash.ts';
import { type DecodedPng, type DecodeLimits, readPng } from '../png/decode.ts';
import { type DetectedVariant, detectVariant } from '../variant.ts';

/** What follows from the pixels of a skin. */
export interface SkinFacts {
  /** Pixel hash. */
  readonly pixels: string;
  readonly detected: DetectedVariant;
}

/** A decoded skin file, and what follows from its pixels. */
export interface ReadSkin extends DecodedPng, SkinFacts {}

/** Files whose facts are kept, some 500 bytes each. */
const KEPT = 4096;

/** By the SHA-256 of the file; the one that was added first goes first. */
const kept = new Map<string, SkinFacts>();

/** Pictures that are kept decoded, 16 KB each. */
const KEPT_PICTURES = 512;

/**
 * The pictures that were read ahead first, by the SHA-256 of the file, until they are recalled: a batch reads far ahead, and
 * sends its files in the same order.
 */
const pictures = new Map<string, Picture>();

/**
 * Decodes a skin as `readPng` does. What follows from its pixels is kept by the content of the file: a batch checks each
 * file and sends it to the embedded service in the same process, and servers get some files again and again.
 * @throws InvalidImageError
 */
export function readSkin(bytes: Uint8Array, limits: DecodeLimits = {}): ReadSkin {
  return read(bytes, limits, keyOf(bytes));
}

/**
 * Like `readSkin`, for a file that will be read again soon: its picture is kept for that, if there is room, so the caller
 * must not change it. @throws InvalidImageError
 */
export function readSkinAhead(bytes: Uint8Array, limits: DecodeLimits = {}): ReadSkin {
  const key = keyOf(bytes);
  const skin = read(bytes, limits, key);
  if (key !== undefined && pictures.size < KEPT_PICTURES) pictures.set(key, skin.picture);
  return skin;
}

/** What is known of a valid skin file that was read before. */
export interface RecalledSkin extends SkinFacts {
  /** Present if it is still kept from reading ahead; only once. */
  readonly picture: Picture | undefined;
}

/** The facts of a valid skin file that was read before, if they are still kept: without decoding it. */
export function recallSkin(bytes: Uint8Array): RecalledSkin | undefined {
  const key = keyOf(bytes);
  const facts = recall(key);
  if (key === undefined || !facts) return undefined;
  const picture = pictures.get(key);
  pictures.delete(key);
  return { ...facts, picture };
}

/** Drops the pictures that were read ahead: nobody will recall the others. */
export function forgetPictures(): void {
  pictures.clear();
}

function read(bytes: Uint8Array, limits: DecodeLimits, key: string | undefined): ReadSkin {
  const decoded = readPng(bytes, limits);
  const facts = recall(key) ?? {
    pixels: pixelHash(decoded.picture),
    detected: detectVariant(decoded.picture),
  };
  if (key !== undefined) keep(key, facts);
  return { ...decoded, ...facts };
}

/** Undefined for files that are too large for a skin. */
function keyOf(bytes: Uint8Array): string | undefined {
  return bytes.length > MAX_SKIN_BYTES ? undefined : hash('sha256', bytes, 'base64');
}

function recall(key: string | undefined): SkinFacts | undefined {
  return key === undefined ? undefined : kept.get(key);
}

function keep(key: string, facts: SkinFacts): void {
  kept.set(key, facts);
  if (kept.size > KEPT) kept.delete(kept.keys().next().value ?? '');
}
