import { crc32 } from 'node:zlib';
import { InvalidImageError } from '../picture.ts';
import { byteCount } from './byte-count.ts';
import { SIGNATURE } from './header.ts';

/** One chunk; `data` is a window into the file, not a copy. */
export interface Chunk {
  type: string;
  data: Uint8Array;
}

/** What a file is made of, and what is wrong with it that other decoders ignore as well: phrases for its owner. */
export interface ChunkList {
  readonly chunks: readonly Chunk[];
  readonly faults: readonly string[];
}

/** Far more than any encoder produces for a skin; bounds the list for files full of empty chunks. */
const MAX_CHUNKS = 512;

const FRAME_BYTES = 12; // length 4, type 4, CRC 4
const MAX_CHUNK_BYTES = 0x7fffffff; // PNG specification section 5.3

/**
 * Chunks of the specification that never change a pixel. One of them may be damaged; a damaged chunk of another name may
 * be one that decides about pixels.
 */
const SIDE_CHUNKS: ReadonlySet<string> = new Set(
  'acTL bKGD cHRM cICP cLLI eXIf fcTL fdAT gAMA hIST iCCP iTXt mDCV pHYs sBIT sPLT sRGB tEXt tIME zTXt'.split(
    ' ',
  ),
);

/**
 * Lists all chunks from the header to IEND, checking each length, name and CRC-32.
 * Throws `InvalidImageError` when the file ends too soon. What follows IEND is a fault.
 */
export function readChunks(bytes: Uint8Array): ChunkList {
  const chunks: Chunk[] = [];
  const faults: string[] = [];
  let at = SIGNATURE.length;
  while (at < bytes.length) {
    if (chunks.length === MAX_CHUNKS) {
      throw new InvalidImageError('chunk', `The PNG has more than ${MAX_CHUNKS} chunks.`);
    }
    const { isDamaged, ...chunk } = readChunk(bytes, at);
    if (isDamaged) faults.push(`the checksum of its ${chunk.type} chunk does not match`);
    else chunks.push(chunk);
    at += FRAME_BYTES + chunk.data.length;
    if (chunk.type === 'IEND') return { chunks, faults: [...faults, ...endFaults(chunk, bytes.length - at)] };
  }
  throw new InvalidImageError('missing_end', 'The PNG has no end (IEND chunk): the file was cut off.');
}

function readChunk(bytes: Uint8Array, at: number): Chunk & { readonly isDamaged: boolean } {
  const left = bytes.length - at;
  if (left < FRAME_BYTES) {
    throw new InvalidImageError(
      'truncated',
      `The PNG was cut off: it ends after ${bytes.length} bytes, inside a chunk.`,
    );
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, left);
  const length = view.getUint32(0);
  const type = readType(bytes, at + 4);
  if (length > MAX_CHUNK_BYTES) {
    throw new InvalidImageError(
      'chunk',
      `The ${type} chunk at byte ${at} claims an impossible length of ${length} bytes.`,
    );
  }
  if (length > left - FRAME_BYTES) {
    throw new InvalidImageError(
      'truncated',
      `The PNG was cut off: its ${type} chunk needs ${length} bytes, but only ${left - FRAME_BYTES} are left.`,
    );
  }
  const end = at + 8 + length;
  const isDamaged = crc32(bytes.subarray(at + 4, end)) !== view.getUint32(8 + length);
  if (isDamaged && !SIDE_CHUNKS.has(type)) {
    throw new InvalidImageError(
      'crc',
      `The ${type} chunk at byte ${at} is damaged: its checksum does not match.`,
    );
  }
  return { type, data: bytes.subarray(at + 8, end), isDamaged };
}

function readType(bytes: Uint8Array, at: number): string {
  const type = String.fromCharCode(...bytes.subarray(at, at + 4));
  if (/^[A-Za-z]{4}$/.test(type)) return type;
  throw new InvalidImageError('chunk', `The PNG is damaged: there is no chunk name at byte ${at}.`);
}

function endFaults(end: Chunk, bytesAfter: number): string[] {
  return [
    ...(end.data.length > 0 ? [`its end (IEND chunk) holds ${byteCount(end.data.length)}`] : []),
    ...(bytesAfter > 0 ? [`the file goes on for ${byteCount(bytesAfter)} after the end of the PNG`] : []),
  ];
}
