import { inflateSync } from 'node:zlib';
import { InvalidImageError } from '../picture.ts';

/** Bytes; zlib takes no less. */
const SMALLEST_PIECE = 64;

/** Bytes of pixel data beyond the picture that are ignored, as a careless encoder writes them. */
const MAX_SURPLUS = 4096;

/** Pixel data, and the bytes left over: in the stream behind the pixels, and in the chunks behind the stream. */
export interface Inflated {
  readonly pixels: Uint8Array;
  readonly surplus: number;
  readonly rest: number;
}

/**
 * Inflates pixel data of `size` bytes. Never produces much more than `size` bytes, whatever the stream claims, so a small
 * file cannot fill the memory.
 */
export function inflateBounded(data: readonly Uint8Array[], size: number): Inflated {
  const packed = Buffer.concat(data);
  const { pixels, used } = inflate(packed, size);
  if (pixels.length < size) {
    throw new InvalidImageError(
      'pixel_data',
      `The pixel data ends early: it is ${pixels.length} bytes long instead of ${size}.`,
    );
  }
  return {
    pixels: pixels.subarray(0, size),
    surplus: pixels.length - size,
    rest: packed.length - used,
  };
}

function inflate(packed: Uint8Array, size: number): { pixels: Uint8Array; used: number } {
  try {
    // In one piece; at its end there must be room, or zlib makes another one. `info` is the only way to learn where the
    // stream ended; the types do not declare it.
    const options = {
      maxOutputLength: size + MAX_SURPLUS,
      chunkSize: Math.max(SMALLEST_PIECE, size + 1),
      info: true,
    };
    const { buffer, engine } = inflateSync(packed, options) as unknown as {
      buffer: Uint8Array;
      engine: { bytesWritten: number };
    };
    return { pixels: buffer, used: engine.bytesWritten };
  } catch (error) {
    throw coerceInflateError(error, size);
  }
}

function coerceInflateError(error: unknown, size: number): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const asProblem = (message: string) => new InvalidImageError('pixel_data', message, { cause: error });
  if (code === 'ERR_BUFFER_TOO_LARGE') {
    return asProblem(`The pixel data holds more than the picture, which is ${size} bytes.`);
  }
  if (code === 'Z_BUF_ERROR')
    return asProblem('The pixel data ends early: its compressed stream is cut off.');
  if (code.startsWith('Z_')) return asProblem('The pixel data is damaged: it cannot be decompressed.');
  return error;
}
