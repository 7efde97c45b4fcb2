import { InvalidImageError } from '../picture.ts';
import { byteCount } from './byte-count.ts';
import { type Chunk, readChunks } from './chunks.ts';
import type { PngHeader } from './header.ts';

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
