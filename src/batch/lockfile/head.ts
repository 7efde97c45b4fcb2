import type { SkinVisibility } from '../../protocol/skin.ts';
import type { VariantWish } from '../model/source.ts';
import { optionLetters } from '../model/work-key.ts';
import type { EntryHead } from './entry.ts';

/** Offsets in a buffer of the fields at the start of a line that identify the entry. */
export interface Head {
  readonly sourceStart: number;
  readonly sourceEnd: number;
  /** Where the pixel hash begins. */
  readonly pixelsStart: number | undefined;
  /** Where the UUID begins; undefined if it has not 32 characters. */
  readonly uuidStart: number | undefined;
  /** Where the text of what was recorded about the source begins and ends; both equal if nothing was. */
  readonly recordStart: number;
  readonly recordEnd: number;
  readonly options: EntryHead['options'];
  /** The options' two letters in a work key. */
  readonly letters: Uint8Array;
}

const SOURCE = Buffer.from('{"source":"');
const PIXELS = Buffer.from('","pixels":"');
const PIXELS_LENGTH = 64;
const UUID_DIGITS = 32;

const RECORD = Buffer.from('","record":');
/** What follows the record: only one of them if the skin has no name. */
const AFTER_RECORD = [Buffer.from('},"name":"'), Buffer.from('},"variant":"')];

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;

const VARIANTS: readonly VariantWish[] = ['auto', 'classic', 'slim'];
const VISIBILITIES: readonly SkinVisibility[] = ['public', 'unlisted', 'private'];

/** What follows the content for each choice of options; the most common first. */
const CHOICES = VARIANTS.flatMap((variant) =>
  VISIBILITIES.map((visibility) => ({
    options: { variant, visibility },
    letters: Buffer.from(optionLetters(variant, visibility)),
    bytes: Buffer.from(`","options":${JSON.stringify({ variant, visibility })},"uuid":"`),
  })),
);

/**
 * Reads the start of a line in the form that `lineOf` writes; undefined for any other form. Works on bytes,
 * because opening a lockfile does this for each entry: a text pattern takes twice the time, and a JSON parser,
 * which also reads the rest of the line, ten times.
 * @param start offset in `bytes` where the line begins; a line break or the buffer's end ends it
 */
export function readHead(bytes: Buffer, start: number): Head | undefined {
  if (!isAt(bytes, start, SOURCE)) return undefined;
  const sourceStart = start + SOURCE.length;
  const sourceEnd = plainTextEnd(bytes, sourceStart);
  if (sourceEnd === sourceStart) return undefined;
  const pixelsStart = isAt(bytes, sourceEnd, PIXELS) ? sourceEnd + PIXELS.length : undefined;
  const contentEnd = pixelsStart === undefined ? sourceEnd : pixelsStart + PIXELS_LENGTH;
  const choice = CHOICES.find((one) => isAt(bytes, contentEnd, one.bytes));
  if (!choice) return undefined;
  const { options, letters } = choice;
  const uuidAt = contentEnd + choice.bytes.length;
  const uuidEnd = plainTextEnd(bytes, uuidAt);
  const isUsual = uuidEnd - uuidAt === UUID_DIGITS && bytes[uuidEnd] === QUOTE;
  const uuidStart = isUsual ? uuidAt : undefined;
  const [recordStart, recordEnd] = recordRange(bytes, uuidEnd);
  return { sourceStart, sourceEnd, pixelsStart, uuidStart, recordStart, recordEnd, options, letters };
}

/** Quotes inside a text are escaped, so what follows the record does not occur in it. */
function recordRange(bytes: Buffer, from: number): readonly [start: number, end: number] {
  if (!isAt(bytes, from, RECORD)) return [from, from];
  const start = from + RECORD.length;
  const ends = AFTER_RECORD.map((after) => bytes.indexOf(after, start)).filter((at) => at !== -1);
  return [start, Math.min(...ends, bytes.length - 1) + 1];
}

/** Whether the buffer has the expected bytes at an offset. */
export function isAt(bytes: Buffer, at: number, expected: Buffer): boolean {
  for (let i = 0; i < expected.length; i++) if (bytes[at + i] !== expected[i]) return false;
  return true;
}

/** Where the string ends, or its first escape, after which nothing matches. */
function plainTextEnd(bytes: Buffer, from: number): number {
  let at = from;
  for (let byte = bytes[at]!; byte !== QUOTE && byte !== BACKSLASH && byte >= FIRST_PRINTABLE; ) {
    byte = bytes[++at] ?? 0;
  }
  return at;
}
