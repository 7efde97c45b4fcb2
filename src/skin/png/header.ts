import { crc32 } from 'node:zlib';
import { InvalidImageError, isHdSkinSize, isSkinSize } from '../picture.ts';

/** The picture header (IHDR) of a PNG. `bitDepth` counts bits per sample, `colourType` is the PNG number. */
export interface PngHeader {
  width: number;
  height: number;
  bitDepth: number;
  colourType: number;
  interlaced: boolean;
}

interface RawHeader extends Omit<PngHeader, 'interlaced'> {
  compression: number;
  filter: number;
  interlace: number;
}

/** Bytes before the first chunk after the header: signature 8, then length 4, type 4, data 13 and CRC 4. */
export const HEADER_BYTES = 33;
export const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** Legal bit depths for each colour type, PNG specification section 11.2.1 (table 12). */
const LEGAL_BIT_DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

/**
 * Reads the header from the first 33 bytes of a PNG of any size, ignoring the rest of the file.
 * Throws `InvalidImageError` when the data is not a PNG or its header is broken.
 */
export function readHeader(bytes: Uint8Array): PngHeader {
  const raw = readRawHeader(bytes);
  verifyFormat(raw);
  return toHeader(raw);
}

/** Like `readHeader`, but throws unless the picture has the size of a skin. */
export function readSkinHeader(bytes: Uint8Array): PngHeader {
  const raw = readRawHeader(bytes);
  verifySkinSize(raw.width, raw.height);
  verifyFormat(raw);
  return toHeader(raw);
}

function toHeader({ width, height, bitDepth, colourType, interlace }: RawHeader): PngHeader {
  return { width, height, bitDepth, colourType, interlaced: interlace === 1 };
}

function readRawHeader(bytes: Uint8Array): RawHeader {
  verifySignature(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER_BYTES) {
    throw new InvalidImageError('truncated', `The PNG ends after ${bytes.length} bytes, inside its header.`);
  }
  if (view.getUint32(12) !== 0x49484452) {
    throw new InvalidImageError('header', 'The PNG does not begin with its header chunk (IHDR).');
  }
  if (view.getUint32(8) !== 13) {
    throw new InvalidImageError('header', `The PNG header is ${view.getUint32(8)} bytes long instead of 13.`);
  }
  if (crc32(bytes.subarray(12, 29)) !== view.getUint32(29)) {
    throw new InvalidImageError('crc', 'The PNG header (IHDR) is damaged: its checksum does not match.');
  }
  return {
    width: view.getUint32(16),
    height: view.getUint32(20),
    bitDepth: view.getUint8(24),
    colourType: view.getUint8(25),
    compression: view.getUint8(26),
    filter: view.getUint8(27),
    interlace: view.getUint8(28),
  };
}

function verifySignature(bytes: Uint8Array): void {
  if (bytes.length === 0) throw new InvalidImageError('not_png', 'The file is empty.');
  const signed = SIGNATURE.subarray(0, bytes.length).every((byte, at) => byte === bytes[at]);
  if (signed && bytes.length < SIGNATURE.length) {
    throw new InvalidImageError('truncated', `The PNG ends after ${byteCount(bytes.length)}.`);
  }
  if (signed) return;
  const kind = sniffKind(bytes);
  throw new InvalidImageError(
    'not_png',
    kind === undefined ? 'The file is not a PNG picture.' : `The file is not a PNG picture but ${kind}.`,
    { hint: 'It must be a PNG file; renaming a file does not change its format.' },
  );
}

function verifySkinSize(width: number, height: number): void {
  if (isSkinSize(width, height)) return;
  const message = `The picture is ${width}×${height} pixels; a skin is 64×64 or 64×32.`;
  throw new InvalidImageError('dimensions', message, { hint: sizeHint(width, height) });
}

function sizeHint(width: number, height: number): string {
  if (width === 22 && height === 17)
    return 'This is the size of a cape without its margin; capes go with a skin: --cape.';
  if (!isHdSkinSize(width, height)) {
    return 'Give the skin texture itself (the unfolded figure), not a render or a screenshot of it.';
  }
  const target = height === width ? '64×64' : '64×32';
  return `Scale it down to ${target} with nearest neighbour (skinsmith generate --fit does so): Minecraft does not accept HD skins; they work only with mods.`;
}

function verifyFormat(raw: RawHeader): void {
  if (raw.width === 0 || raw.height === 0) {
    const message = `The picture is ${raw.width}×${raw.height} pixels, so it is empty.`;
    throw new InvalidImageError('dimensions', message);
  }
  const depths = LEGAL_BIT_DEPTHS[raw.colourType];
  if (depths === undefined) throw badHeader(`colour type ${raw.colourType}, which does not exist`);
  if (!depths.includes(raw.bitDepth))
    throw badHeader(`${raw.bitDepth} bits per sample, which colour type ${raw.colourType} does not allow`);
  verifyMethod('compression method', raw.compression, 0);
  verifyMethod('filter method', raw.filter, 0);
  verifyMethod('interlace method', raw.interlace, 1);
}

function verifyMethod(name: string, value: number, highest: number): void {
  if (value > highest) throw badHeader(`${name} ${value}, which does not exist`);
}

function badHeader(what: string): InvalidImageError {
  return new InvalidImageError('header', `The PNG header names ${what}.`);
}

const kinds: readonly { kind: string; starts: string; at?: number }[] = [
  { kind: 'a JPEG picture', starts: '\xff\xd8\xff' },
  { kind: 'a GIF picture', starts: 'GIF8' },
  { kind: 'a WebP picture', starts: 'WEBP', at: 8 },
  { kind: 'an AVIF picture', starts: 'ftypavif', at: 4 },
  { kind: 'a HEIC picture', starts: 'ftyphei', at: 4 },
  { kind: 'a BMP picture', starts: 'BM' },
  { kind: 'a Photoshop document', starts: '8BPS' },
  { kind: 'a GIMP document', starts: 'gimp xcf' },
  { kind: 'a ZIP archive', starts: 'PK\x03\x04' },
  { kind: 'a Git LFS pointer instead of the file itself', starts: 'version https://git-lfs' },
  { kind: 'a PNG as base64 text', starts: 'iVBORw0KGgo' },
  { kind: 'a PNG inside a data: URL', starts: 'data:image/png' },
  { kind: 'a PNG damaged by a transfer in text mode', starts: '\x89PNG' },
  { kind: 'a PNG damaged by a conversion to text', starts: '\xef\xbf\xbdPNG' },
];

const textKinds: readonly { kind: string; pattern: RegExp }[] = [
  { kind: 'an SVG drawing', pattern: /^<svg|^<\?xml.*<svg/s },
  { kind: 'a web page (HTML)', pattern: /^<!doctype|^<html|^<head|^<body/ },
  { kind: 'an XML document', pattern: /^<\?xml/ },
  { kind: 'JSON text', pattern: /^[{[]\s*["{[]/ },
];

/** The apparent format of data that is not a PNG, from its first 256 bytes; undefined if unknown. */
export function sniffKind(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 256)).toString('latin1');
  const magic = kinds.find(({ starts, at = 0 }) => start.startsWith(starts, at));
  if (magic !== undefined) return magic.kind;
  const text = start
    .replace('\xef\xbb\xbf', '')
    .replace(/^\s*(?:<!--.*?-->\s*)*/s, '')
    .toLowerCase();
  return textKinds.find(({ pattern }) => pattern.test(text))?.kind;
}

/** A number of bytes in a message: `1 byte`, `2 bytes`. */
export function byteCount(count: number): string {
  return count === 1 ? '1 byte' : `${count} bytes`;
}
