import { hash } from 'node:crypto';
import { InvalidImageError, isHdSkinSize, isSkinSize, MAX_SKIN_BYTES, type Picture } from './picture.ts';
import { type DecodedPng, type DecodeLimits, readPixels, readPng, verifyFileSize } from './png/decode.ts';
import { encodePng } from './png/encode.ts';
import { type PngHeader, readHeader } from './png/header.ts';
import { isLegacyOnSquare, scaleRect } from './regions.ts';
import { type DetectedVariant, detectVariant } from './variant.ts';

/** A decoded skin file, and what follows from its pixels. */
export interface ReadSkin extends DecodedPng {
  /** Pixel hash. */
  readonly pixels: string;
  readonly detected: DetectedVariant;
}

/** Decodes a skin as `readPng` does, with what follows from its pixels. @throws InvalidImageError */
export function readSkin(bytes: Uint8Array, limits: DecodeLimits = {}): ReadSkin {
  const decoded = readPng(bytes, limits);
  return { ...decoded, pixels: pixelHash(decoded.picture), detected: detectVariant(decoded.picture) };
}

/**
 * The identity of a picture, regardless of its file format: SHA-256 over width and height as big-endian int32, then
 * alpha, red, green, blue of each pixel, column by column, with the colour zeroed where alpha is 0.
 * 64 lower-case hex digits. Same hash as the authlib-injector reference server (yggdrasil-mock, Texture.java).
 */
export function pixelHash({ width, height, pixels }: Picture): string {
  const input = Buffer.alloc(8 + width * height * 4);
  input.writeInt32BE(width, 0);
  input.writeInt32BE(height, 4);
  const from = new DataView(pixels.buffer, pixels.byteOffset, pixels.byteLength);
  const to = new DataView(input.buffer, input.byteOffset + 8);
  let at = 0;
  for (let x = 0; x < width; x++) {
    for (let y = 0; y < height; y++, at += 4) {
      const colour = from.getUint32((y * width + x) * 4);
      const alpha = colour & 0xff;
      if (alpha !== 0) to.setUint32(at, (colour >>> 8) | (alpha << 24));
    }
  }
  return hash('sha256', input);
}

/** A scaled-down HD skin. */
interface FittedSkin {
  /** The PNG of 64×64 or 64×32 pixels. */
  readonly bytes: Buffer;
  readonly picture: Picture;
  /** Size of the original. */
  readonly from: { readonly width: number; readonly height: number };
}

/** Far more bytes than the largest such picture needs. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Scales an HD skin (128×128, 512×256, … up to 1024 pixels wide) down to the game's size by nearest neighbour.
 * Undefined if the picture is not one. @throws InvalidImageError for an HD skin that cannot be decoded
 */
export function fitSkin(bytes: Uint8Array): FittedSkin | undefined {
  const header = headerOf(bytes);
  if (!header || !isHdSkinSize(header.width, header.height)) return undefined;
  verifyFileSize('picture', bytes.length, MAX_BYTES);
  const { width, height } = header;
  const original = readPixels(bytes, header).picture;
  const picture = scaleRect(original, { x: 0, y: 0, width, height }, 64, (64 * height) / width);
  return { bytes: encodePng(picture), picture, from: { width, height } };
}

/** A skin that was changed so that the game and services take it. */
export interface MendedSkin {
  readonly bytes: Buffer;
  /** What was changed. */
  readonly notes: readonly { readonly code: MendCode; readonly message: string }[];
}
type MendCode = 'scaled_down' | 'cut_out' | 'metadata_left_out';

/** Bytes of a file whose metadata is left out: more than that is no skin. */
const MAX_FAT_BYTES = 8 * 1024 * 1024;

/**
 * Scales an HD skin down, cuts an old skin out of a canvas of 64×64, and leaves out metadata that makes a file too large to be read
 * otherwise. Undefined if nothing has to be changed. @throws InvalidImageError for a skin that cannot be decoded
 */
export function mendSkin(bytes: Uint8Array): MendedSkin | undefined {
  const notes: MendedSkin['notes'][number][] = [];
  const fitted = fitSkin(bytes);
  if (fitted) {
    const size = `${fitted.from.width}×${fitted.from.height} to ${fitted.picture.width}×${fitted.picture.height}`;
    notes.push({ code: 'scaled_down', message: `The picture was scaled down from ${size} pixels.` });
  }
  const picture = fitted?.picture ?? skinIn(bytes);
  if (!picture) return undefined;
  if (!fitted && bytes.length > MAX_SKIN_BYTES)
    notes.push({
      code: 'metadata_left_out',
      message: `Of the file's ${bytes.length} bytes, only the pixels were kept.`,
    });
  const isOld = isLegacyOnSquare(picture);
  if (isOld)
    notes.push({ code: 'cut_out', message: 'The old skin was cut out of its canvas, to 64×32 pixels.' });
  if (notes.length === 0) return undefined;
  const kept = isOld
    ? { ...picture, height: 32, pixels: picture.pixels.subarray(0, picture.width * 32 * 4) }
    : picture;
  return { bytes: encodePng(kept), notes };
}

/** The picture of a file with a skin's size; undefined for another file. */
function skinIn(bytes: Uint8Array): Picture | undefined {
  const header = headerOf(bytes);
  if (!header || !isSkinSize(header.width, header.height)) return undefined;
  verifyFileSize('picture', bytes.length, MAX_FAT_BYTES);
  return readPixels(bytes, header).picture;
}

/** Undefined for a file that is not a PNG, which is left to the decoder to report. */
export function headerOf(bytes: Uint8Array): PngHeader | undefined {
  try {
    return readHeader(bytes);
  } catch (error) {
    if (error instanceof InvalidImageError) return undefined;
    throw error;
  }
}

/** The only size of a cape's picture that the unmodified game shows. */
const WIDTH = 64;
const HEIGHT = 32;

/**
 * Decodes a cape: a PNG of 64×32 pixels, of any colour type, bit depth and interlacing, within the limits that
 * apply to skins. Throws only `InvalidImageError`, for a bad file.
 */
export function decodeCape(bytes: Uint8Array): Picture {
  const header = readHeader(bytes);
  verifyCapeSize(header.width, header.height);
  verifyFileSize('cape', bytes.length, MAX_SKIN_BYTES);
  return readPixels(bytes, header).picture;
}

function verifyCapeSize(width: number, height: number): void {
  if (width === WIDTH && height === HEIGHT) return;
  throw new InvalidImageError(
    'dimensions',
    `The picture is ${width}×${height} pixels; a cape is ${WIDTH}×${HEIGHT}.`,
    { hint: hintFor(width, height) },
  );
}

/** Hints for common mistakes. */
function hintFor(width: number, height: number): string {
  if (width === 22 && height === 17) return 'Put it into the upper left corner of an empty 64×32 picture.';
  if (width === height * 2) return 'Scale it to 64×32 with nearest neighbour: Minecraft shows no HD capes.';
  return 'Give the cape texture itself, not a render or a screenshot of it.';
}
