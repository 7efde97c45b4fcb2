import { isHdSkinSize, isSkinSize, MAX_SKIN_BYTES } from '../../skin/picture.ts';

/** Why a file cannot become a skin. Sizes are in bytes and pixels. */
export type PictureFault =
  | { readonly kind: 'not-png' }
  | { readonly kind: 'large'; readonly bytes: number }
  | { readonly kind: 'hd' | 'other-size'; readonly width: number; readonly height: number };

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Bytes from the start of a PNG to its width, and to the end of its height. */
const WIDTH_AT = 16;
const SIZE_END = 24;

/** Undefined if the picture's first bytes show no fault. */
export function faultOf(bytes: Uint8Array): PictureFault | undefined {
  if (!PNG.every((byte, index) => bytes[index] === byte) || bytes.length < SIZE_END)
    return { kind: 'not-png' };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [width, height] = [view.getUint32(WIDTH_AT), view.getUint32(WIDTH_AT + 4)];
  if (!isSkinSize(width, height))
    return { kind: isHdSkinSize(width, height) ? 'hd' : 'other-size', width, height };
  return bytes.length <= MAX_SKIN_BYTES ? undefined : { kind: 'large', bytes: bytes.length };
}
