import { InvalidImageError } from '../picture.ts';
import { type Chunk, readChunks } from './chunks.ts';
import type { PngHeader } from './header.ts';

/** The parts of a PNG needed for its pixels, all validated. */
export interface PngLayout {
  /** Palette as RGB, 3 bytes an entry; for other colour types only a suggestion, and then unused. */
  palette?: Uint8Array;
  /** Body of tRNS: alphas of palette entries, or one grey or RGB colour key in 16-bit samples. */
  transparency?: Uint8Array;
  /** The IDAT bodies in file order: together one zlib stream. */
  data: Uint8Array[];
  /** True for an animated PNG. IDAT is then its still picture, and the frames are ignored. */
  animated: boolean;
}

const critical = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND']);

/** Reads all chunks after a validated header; throws `InvalidImageError` at the first invalid one. */
export function readLayout(bytes: Uint8Array, header: PngHeader): PngLayout {
  const chunks = readChunks(bytes);
  verifyCritical(chunks);
  const data = collectData(chunks);
  const firstData = chunks.findIndex(({ type }) => type === 'IDAT');
  const palette = findOnce(chunks, 'PLTE', firstData);
  const transparency = findOnce(chunks, 'tRNS', firstData);
  verifyPalette(palette?.chunk, header);
  if (transparency !== undefined && palette !== undefined && transparency.at < palette.at) {
    throw new InvalidImageError(
      'chunk_order',
      'The PNG has its transparency (tRNS) before its palette (PLTE).',
    );
  }
  verifyTransparency(transparency?.chunk, palette?.chunk, header);
  return {
    data,
    animated: chunks.some(({ type }) => type === 'acTL'),
    ...(palette && { palette: palette.chunk.data }),
    ...(transparency && { transparency: transparency.chunk.data }),
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

function findOnce(
  chunks: readonly Chunk[],
  type: string,
  firstData: number,
): { chunk: Chunk; at: number } | undefined {
  const at = chunks.findIndex((chunk) => chunk.type === type);
  if (at < 0) return undefined;
  if (chunks.findLastIndex((chunk) => chunk.type === type) !== at) {
    throw new InvalidImageError('chunk_order', `The PNG has more than one ${type} chunk.`);
  }
  if (at > firstData) {
    throw new InvalidImageError('chunk_order', `The PNG has its ${type} chunk after its pixel data (IDAT).`);
  }
  return { chunk: chunks[at]!, at };
}

function verifyPalette(palette: Chunk | undefined, { colourType, bitDepth }: PngHeader): void {
  if (palette === undefined) {
    if (colourType !== 3) return;
    throw new InvalidImageError('palette', 'The PNG uses a palette but has none (no PLTE chunk).');
  }
  const { length } = palette.data;
  if (colourType === 0 || colourType === 4) {
    throw new InvalidImageError('palette', 'The PNG is grey but has a palette (PLTE chunk).');
  }
  if (length === 0 || length % 3 !== 0) {
    throw new InvalidImageError(
      'palette',
      `The palette is ${length} bytes long, which is not 3 for each colour.`,
    );
  }
  const most = colourType === 3 ? 2 ** bitDepth : 256;
  if (length / 3 > most) {
    throw new InvalidImageError(
      'palette',
      `The palette has ${length / 3} colours; with ${bitDepth} bits per pixel it can have ${most}.`,
    );
  }
}

function verifyTransparency(
  transparency: Chunk | undefined,
  palette: Chunk | undefined,
  { colourType }: PngHeader,
): void {
  // With an alpha channel tRNS has no meaning, and readers ignore it.
  if (transparency === undefined || colourType === 4 || colourType === 6) return;
  const { length } = transparency.data;
  if (colourType === 3) {
    const colours = palette!.data.length / 3;
    if (length <= colours) return;
    throw new InvalidImageError(
      'transparency',
      `The transparency chunk (tRNS) covers ${length} colours, but the palette has only ${colours}.`,
    );
  }
  const expected = colourType === 0 ? 2 : 6;
  if (length === expected) return;
  throw new InvalidImageError(
    'transparency',
    `The transparency chunk (tRNS) is ${length} bytes long instead of ${expected}.`,
  );
}
