import { inflateSync } from 'node:zlib';
import { InvalidImageError } from '../picture.ts';

/** Bytes; zlib takes no less. */
const SMALLEST_PIECE = 64;

/**
 * Inflates pixel data that must be exactly `size` bytes. Never produces more than `size` bytes (and one zlib
 * buffer), whatever the stream claims, so a small file cannot fill the memory.
 */
export function inflateExactly(data: readonly Uint8Array[], size: number): Uint8Array {
  const packed = Buffer.concat(data);
  const { pixels, used } = inflate(packed, size);
  if (pixels.length < size) {
    throw new InvalidImageError(
      'pixel_data',
      `The pixel data ends early: it is ${pixels.length} bytes long instead of ${size}.`,
    );
  }
  if (used < packed.length) {
    throw new InvalidImageError(
      'pixel_data',
      `The pixel data is followed by ${packed.length - used} bytes that are not part of it.`,
    );
  }
  return pixels;
}

function inflate(packed: Uint8Array, size: number): { pixels: Uint8Array; used: number } {
  try {
    // In one piece; at its end there must be room, or zlib makes another one. `info` is the only way to learn where the
    // stream ended; the types do not declare it.
    const options = { maxOutputLength: size, chunkSize: Math.max(SMALLEST_PIECE, size + 1), info: true };
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
