import { isHdSkinSize, isSkinSize, MAX_SKIN_BYTES } from '../../../skin/picture.ts';

/** Why a picture cannot become a skin. */
export interface PictureProblem {
  /** What is wrong, and how to mend it. */
  readonly message: string;
  /** What the page can do about it; undefined: only an editor can. */
  readonly mending?: 'Scale it down' | 'Save it smaller';
}

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Bytes from the start of a PNG to its width, and to the end of its height. */
const WIDTH_AT = 16;
const SIZE_END = 24;

/** Undefined if nothing is wrong, as far as the picture's first bytes tell. */
export function problemOf(bytes: Uint8Array): PictureProblem | undefined {
  if (!PNG.every((byte, index) => bytes[index] === byte) || bytes.length < SIZE_END) {
    return { message: 'This is not a PNG. Save the skin as PNG in your editor.' };
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [width, height] = [view.getUint32(WIDTH_AT), view.getUint32(WIDTH_AT + 4)];
  if (!isSkinSize(width, height)) return sizeProblem(width, height);
  if (bytes.length <= MAX_SKIN_BYTES) return undefined;
  const size = bytes.length.toLocaleString('en');
  const message = `This file has ${size} bytes; 20,000 are the most. Save it without metadata, or with stronger compression.`;
  return { message, mending: 'Save it smaller' };
}

function sizeProblem(width: number, height: number): PictureProblem {
  const size = `This picture is ${width}×${height} pixels`;
  if (isHdSkinSize(width, height)) {
    return {
      message: `${size}, an HD skin. The game shows none: scale it to 64 pixels, without smoothing.`,
      mending: 'Scale it down',
    };
  }
  return { message: `${size}. Skins are 64×64, or 64×32 in the old format.` };
}
