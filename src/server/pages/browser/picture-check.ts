import { isHdSkinSize, isSkinSize, MAX_SKIN_BYTES } from '../../../skin/picture.ts';

/** Why a picture cannot become a skin. */
export interface PictureProblem {
  /** What is wrong, and how to repair it. */
  readonly message: string;
  /** The repair that the page offers; undefined: only an editor can repair it. */
  readonly repair?: 'Scale it down' | 'Compress it';
}

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Bytes from the start of a PNG to its width, and to the end of its height. */
const WIDTH_AT = 16;
const SIZE_END = 24;

/** Undefined if the picture's first bytes show no problem. */
export function problemOf(bytes: Uint8Array): PictureProblem | undefined {
  if (!PNG.every((byte, index) => bytes[index] === byte) || bytes.length < SIZE_END) {
    return { message: 'This is not a PNG. Save the skin as PNG in your editor.' };
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [width, height] = [view.getUint32(WIDTH_AT), view.getUint32(WIDTH_AT + 4)];
  if (!isSkinSize(width, height)) return sizeProblem(width, height);
  if (bytes.length <= MAX_SKIN_BYTES) return undefined;
  const size = bytes.length.toLocaleString('en');
  const message = `This file has ${size} bytes; the maximum is 20,000. Save it without metadata or with stronger compression.`;
  return { message, repair: 'Compress it' };
}

function sizeProblem(width: number, height: number): PictureProblem {
  const size = `This picture is ${width}×${height} pixels`;
  if (isHdSkinSize(width, height)) {
    return {
      message: `${size}, an HD skin, which the game does not show. Scale it to 64 pixels without smoothing.`,
      repair: 'Scale it down',
    };
  }
  return { message: `${size}. Skins are 64×64, or 64×32 in the old format.` };
}
