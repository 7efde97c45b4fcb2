import { readFileSync } from 'node:fs';
import openEncoder from '@jsquash/webp/codec/enc/webp_enc.js';
import { defaultOptions } from '@jsquash/webp/meta.js';
import type { Picture } from '../../skin/picture.ts';

/** Google's own encoder. The build replaces this by its bytes: a single executable has no file to read. */
const ENCODER = readFileSync(new URL(import.meta.resolve('@jsquash/webp/codec/enc/webp_enc.wasm')));

/** Lossless. A slower method saves an eighth of the bytes in twice the time. */
const OPTIONS = { ...defaultOptions, lossless: 1, method: 2, quality: 50 };

/** The part of the encoder that is used; its own types name a namespace that it does not export. */
interface Encoder {
  encode(pixels: Uint8Array, width: number, height: number, options: typeof OPTIONS): Uint8Array | null;
}

/** Writes animated WebP files, which repeat forever. */
export class AnimationEncoder {
  readonly #encoder: Encoder;

  private constructor(encoder: Encoder) {
    this.#encoder = encoder;
  }

  static async open(): Promise<AnimationEncoder> {
    return new AnimationEncoder(
      await openEncoder({ wasmBinary: ENCODER, locateFile: (name: string) => name }),
    );
  }

  /** `duration`: of each frame, in milliseconds. All frames have the same size. @throws Error for a bug */
  encode(frames: readonly Picture[], duration: number): Buffer {
    const [{ width, height } = { width: 0, height: 0 }] = frames;
    return riff([
      chunk('VP8X', Buffer.concat([Buffer.from([ANIMATED | TRANSPARENT, 0, 0, 0]), size(width, height)])),
      chunk('ANIM', Buffer.from([0, 0, 0, 0, FOREVER, 0])),
      ...frames.map((frame) => chunk('ANMF', this.#encodeFrame(frame, duration))),
    ]);
  }

  /** At the upper left corner, in place of the frame before. */
  #encodeFrame({ width, height, pixels }: Picture, duration: number): Buffer {
    const whole = this.#encoder.encode(pixels, width, height, OPTIONS);
    if (!whole) throw new Error('The WebP encoder has failed.');
    const head = Buffer.concat([
      Buffer.alloc(6),
      size(width, height),
      uint24(duration),
      Buffer.from([REPLACED]),
    ]);
    return Buffer.concat([head, whole.subarray(RIFF_BYTES)]);
  }
}

/** The format of animated files: https://developers.google.com/speed/webp/docs/riff_container */
const ANIMATED = 0x02;
const TRANSPARENT = 0x10;
/** The number of repetitions. */
const FOREVER = 0;
/** Do not blend with the frame before. */
const REPLACED = 0x02;
/** `RIFF`, the length, and `WEBP`, before the chunks of a file. */
const RIFF_BYTES = 12;

function riff(chunks: readonly Buffer[]): Buffer {
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));
}

/** Chunks have even lengths. */
function chunk(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

function size(width: number, height: number): Buffer {
  return Buffer.concat([uint24(width - 1), uint24(height - 1)]);
}

function uint24(value: number): Buffer {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntLE(value, 0, 3);
  return bytes;
}
