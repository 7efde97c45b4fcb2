import { safeParse } from '../../protocol/parsing.ts';
import { CONTENT_DIGITS, WORK_KEY_LENGTH } from '../model/work-key.ts';
import { isFetched, type LockEntry, lockEntrySchema, problemOf, workOf } from './entry.ts';
import { readLine } from './entry-line.ts';
import { EntryTable } from './entry-table.ts';
import { type Head, readHead } from './head.ts';
import { forEachLine, type Line } from './lines.ts';
import { LockfileError } from './lockfile-error.ts';

/** The result of one pass over a lockfile. */
export interface Scan {
  readonly table: EntryTable;
  /** The line ending of its first line: a checkout on Windows may have changed them all. */
  readonly lineEnd: '\n' | '\r\n';
  /** Whether its last line has a line break. */
  readonly isEnded: boolean;
}

/** Bytes; nearly all lines have more. */
const USUAL_LINE = 1500;
/** Prefix of a source: enough for `isFetched`. */
const FETCHED_LENGTH = 6;
const CLOSING_BRACE = 0x7d;
const COLON = 0x3a;
/** Git's conflict markers. */
const CONFLICT = /^(?:<{7}|\|{7}|={7}|>{7})/;

/**
 * @param size bytes of the file
 * @throws LockfileError at the first line that is not an entry
 */
export function scanEntries(fd: number, size: number, path: string): Scan {
  const table = new EntryTable(Math.ceil(size / USUAL_LINE));
  const work = Buffer.alloc(WORK_KEY_LENGTH);
  let lineEnd: Scan['lineEnd'] = '\n';
  let isEnded = true;
  forEachLine(fd, path, (line) => {
    isEnded = line.lineEnd !== '';
    if (line.number === 1 && line.lineEnd === '\r\n') lineEnd = '\r\n';
    if (line.start === line.end || addQuickly(line, work, table)) return;
    addWhole(line, work, table, path);
  });
  return { table: table.sorted(), lineEnd, isEnded };
}

/** Adds the entry of a line in our own form; false for any other line. */
function addQuickly(line: Line, work: Buffer, table: EntryTable): boolean {
  const { bytes, start, end, lineEnd } = line;
  // Renames are atomic: if the last line break is missing, someone else truncated the file, maybe mid-line.
  if (lineEnd === '' || bytes[end - 1] !== CLOSING_BRACE) return false;
  const head = readHead(bytes, start);
  if (!head || !workInto(work, bytes, head)) return false;
  table.add(bytes, head, work, line);
  return true;
}

/** False if the head does not contain the work key. */
function workInto(work: Buffer, bytes: Buffer, head: Head): boolean {
  const { sourceStart, sourceEnd, pixelsStart, options } = head;
  if (isFetchedAt(bytes, sourceStart)) {
    const source = bytes.toString('utf8', sourceStart, sourceEnd);
    return work.write(workOf({ source, options }), 'latin1') > 0;
  }
  if (pixelsStart === undefined) return false;
  bytes.copy(work, 0, pixelsStart, pixelsStart + CONTENT_DIGITS);
  work.set(head.letters, CONTENT_DIGITS);
  return true;
}

/** Most sources are files, and the place of the colon tells them from all others without a string. */
function isFetchedAt(bytes: Buffer, at: number): boolean {
  if (bytes[at + 4] !== COLON && bytes[at + 5] !== COLON) return false;
  return isFetched(bytes.toString('latin1', at, at + FETCHED_LENGTH));
}

function addWhole(line: Line, work: Buffer, table: EntryTable, path: string): void {
  const entry = parseEntry(line.bytes.toString('utf8', line.start, line.end), {
    path,
    line: () => line.number,
  });
  const source = Buffer.from(entry.source);
  const bytes = Buffer.concat([source, Buffer.from(entry.record ? JSON.stringify(entry.record) : '')]);
  work.write(workOf(entry), 'latin1');
  const ranges = { sourceStart: 0, sourceEnd: source.length, uuidStart: undefined };
  table.add(bytes, { ...ranges, recordStart: source.length, recordEnd: bytes.length }, work, line);
}

/** Where a text comes from; its line number is computed only for errors. */
interface TextPlace {
  readonly path: string;
  readonly line: () => number;
}

/** @throws LockfileError when the text is not an entry */
export function parseEntry(text: string, place: TextPlace): LockEntry {
  return readLine(text) ?? parseForeignLine(text, place);
}

/** A line in another form than ours. */
function parseForeignLine(text: string, place: TextPlace): LockEntry {
  const { success, data, error } = safeParse(lockEntrySchema, parseJson(text, place));
  if (success) return data;
  throw invalid(place, `The line is not an entry: ${problemOf(error)}.`);
}

function parseJson(text: string, place: TextPlace): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (!CONFLICT.test(text)) throw invalid(place, 'The line is not JSON.', cause);
    const reason = 'The line is a conflict marker of a merge.';
    throw new LockfileError('lockfile_conflict', { path: place.path, line: place.line(), reason, cause });
  }
}

function invalid({ path, line }: TextPlace, reason: string, cause?: unknown): LockfileError {
  return new LockfileError('lockfile_invalid', { path, line: line(), reason, cause });
}
