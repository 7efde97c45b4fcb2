import { crc32 } from 'node:zlib';
import { InvalidImageError } from '../picture.ts';
import { byteCount, type PngHeader, SIGNATURE } from './header.ts';

/** The parts of a PNG needed for its pixels, all validated. */
export interface PngLayout {
  /** Palette as RGB, 3 bytes an entry, of a picture that uses one. */
  palette?: Uint8Array;
  /** Body of tRNS: alphas of palette entries, or one grey or RGB colour key in 16-bit samples. */
  transparency?: Uint8Array;
  /** The IDAT bodies in file order: together one zlib stream. */
  data: Uint8Array[];
  /** True for an animated PNG. IDAT is then its still picture, and the frames are ignored. */
  animated: boolean;
  /** What is wrong with the file without changing its pixels, as phrases. */
  faults: readonly string[];
}

const critical = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND']);

/** PNG's number for pixels that are numbers of palette entries. */
const INDEXED = 3;
/** A pixel cannot name more, whatever its bits. */
const MAX_COLOURS = 256;

/** Reads all chunks after a validated header; throws `InvalidImageError` at the first that leaves the pixels in doubt. */
export function readLayout(bytes: Uint8Array, header: PngHeader): PngLayout {
  const { chunks, faults } = readChunks(bytes);
  verifyCritical(chunks);
  const data = collectData(chunks);
  const palette = readPalette(chunks, header);
  const transparency = readTransparency(chunks, header, palette.data);
  return {
    data,
    animated: chunks.some(({ type }) => type === 'acTL'),
    faults: [...faults, ...palette.faults, ...transparency.faults],
    ...(palette.data && { palette: palette.data }),
    ...(transparency.data && { transparency: transparency.data }),
  };
}

function verifyCritical(chunks: readonly Chunk[]): void {
  for (const [at, { type }] of chunks.entries()) {
    // An upper-case first letter marks a chunk no reader may skip (PNG specification section 5.4).
    const isCritical = type.charAt(0) < 'a';
    if (isCritical && !critical.has(type)) {
      throw new InvalidImageError('chunk', `The PNG needs the unknown chunk ${type} to be understood.`);
    }
    if (type === 'IHDR' && at > 0) {
      throw new InvalidImageError('chunk_order', 'The PNG has a second header (IHDR chunk).');
    }
  }
}

function collectData(chunks: readonly Chunk[]): Uint8Array[] {
  const first = chunks.findIndex(({ type }) => type === 'IDAT');
  const last = chunks.findLastIndex(({ type }) => type === 'IDAT');
  if (first < 0) throw new InvalidImageError('missing_data', 'The PNG holds no pixels (no IDAT chunk).');
  const run = chunks.slice(first, last + 1);
  const stranger = run.find(({ type }) => type !== 'IDAT');
  if (stranger !== undefined) {
    throw new InvalidImageError(
      'chunk_order',
      `The PNG has a ${stranger.type} chunk between its pixel data (IDAT) chunks.`,
    );
  }
  return run.map(({ data }) => data);
}

/** The body of a chunk, if it is used, and what is wrong with it. */
interface Side {
  readonly data?: Uint8Array;
  readonly faults: readonly string[];
}

/** The palette of a picture that uses one; in any other it is only a suggestion. */
function readPalette(chunks: readonly Chunk[], { colourType, bitDepth }: PngHeader): Side {
  const palettes = chunks.filter(({ type }) => type === 'PLTE');
  const data = palettes[0]?.data;
  if (colourType !== INDEXED) return { faults: suggestionFaults(data, colourType) };
  if (data === undefined) {
    throw new InvalidImageError('palette', 'The PNG uses a palette but has none (no PLTE chunk).');
  }
  if (palettes.length > 1) {
    throw new InvalidImageError('chunk_order', 'The PNG has more than one PLTE chunk.');
  }
  if (indexOf(chunks, 'PLTE') > indexOf(chunks, 'IDAT')) {
    throw new InvalidImageError('chunk_order', 'The PNG has its PLTE chunk after its pixel data (IDAT).');
  }
  const colours = data.length / 3;
  if (colours === 0 || !Number.isInteger(colours)) {
    const message = `The palette is ${data.length} bytes long, which is not 3 for each colour.`;
    throw new InvalidImageError('palette', message);
  }
  if (colours > MAX_COLOURS) {
    throw new InvalidImageError('palette', `The palette has ${colours} colours; it can have ${MAX_COLOURS}.`);
  }
  const most = 2 ** bitDepth;
  const fault = `its palette has ${colours} colours, of which ${bitDepth} bits per pixel reach only ${most}`;
  return { data, faults: colours > most ? [fault] : [] };
}

function suggestionFaults(palette: Uint8Array | undefined, colourType: number): string[] {
  if (palette === undefined) return [];
  if (colourType === 0 || colourType === 4) return ['it is grey but has a palette (PLTE chunk)'];
  const { length } = palette;
  const isSound = length > 0 && length % 3 === 0 && length / 3 <= MAX_COLOURS;
  return isSound ? [] : [`its suggested palette (PLTE chunk) has a wrong length of ${byteCount(length)}`];
}

/** Alphas or colour key of a picture without an alpha channel. */
function readTransparency(
  chunks: readonly Chunk[],
  { colourType }: PngHeader,
  palette: Uint8Array | undefined,
): Side {
  // With an alpha channel tRNS has no meaning, and readers ignore it.
  if (colourType === 4 || colourType === 6) return { faults: [] };
  const all = chunks.filter(({ type }) => type === 'tRNS');
  const data = all[0]?.data;
  if (data === undefined) return { faults: [] };
  const at = indexOf(chunks, 'tRNS');
  if (at > indexOf(chunks, 'IDAT')) return { faults: [`${TRNS} follows its pixel data, and is not used`] };
  const several =
    all.length > 1 ? [`it has ${all.length} transparency chunks (tRNS); the first one is used`] : [];
  if (palette === undefined) {
    const expected = colourType === 0 ? 2 : 6;
    if (data.length === expected) return { data, faults: several };
    const fault = `${TRNS} is ${byteCount(data.length)} long instead of ${expected}, and is not used`;
    return { faults: [...several, fault] };
  }
  const early = at < indexOf(chunks, 'PLTE') ? [`${TRNS} comes before its palette`] : [];
  const colours = palette.length / 3;
  const fault = `${TRNS} covers ${data.length} colours, but its palette has only ${colours}`;
  const long = data.length > colours ? [fault] : [];
  return { data: data.subarray(0, colours), faults: [...several, ...early, ...long] };
}

const TRNS = 'its transparency chunk (tRNS)';

function indexOf(chunks: readonly Chunk[], type: string): number {
  return chunks.findIndex((chunk) => chunk.type === type);
}

/** One chunk; `data` is a window into the file, not a copy. */
interface Chunk {
  type: string;
  data: Uint8Array;
}

/** What a file is made of, and what is wrong with it that other decoders ignore as well: phrases for its owner. */
interface ChunkList {
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
function readChunks(bytes: Uint8Array): ChunkList {
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
    const message = `The PNG was cut off: it ends after ${bytes.length} bytes, inside a chunk.`;
    throw new InvalidImageError('truncated', message);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, left);
  const length = view.getUint32(0);
  const type = readType(bytes, at + 4);
  if (length > MAX_CHUNK_BYTES) {
    const message = `The ${type} chunk at byte ${at} claims an impossible length of ${length} bytes.`;
    throw new InvalidImageError('chunk', message);
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
    const message = `The ${type} chunk at byte ${at} is damaged: its checksum does not match.`;
    throw new InvalidImageError('crc', message);
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
