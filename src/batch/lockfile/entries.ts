import { closeSync, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import type { z } from 'zod';
import { fileLines } from '../../base/streams.ts';
import {
  digestOf,
  isFetched,
  type LockEntry,
  type LockIdentity,
  lineOf,
  lockEntrySchema,
  lockIdentitySchema,
  type SourceRecord,
} from '../../protocol/lock-line.ts';
import { type SignedBy, type WorkContent, workKey } from '../model.ts';

/** Reads a lockfile: its lines, the entries in them, and what a merge has left. */

export type { LockEntry };

/** Maximum bytes of a line, without its line break. */
export const LONGEST_LINE = 64 * 1024;

const USER = 'user:';
/** Skin data, as `SourceIds` names it. */
const GIVEN = /^(?:value|skin|bedrock):/i;
/** Git's conflict markers. */
const MARKER = /^(?:<{7}|\|{7}|={7}|>{7})/;

/** The work key of an entry that passed the schema. */
export function workOf({ source, pixels = '', options }: LockIdentity): string {
  return workKey({ content: isFetched(source) ? fetchedContent(source) : { pixels }, ...options });
}

function fetchedContent(source: string): WorkContent {
  if (GIVEN.test(source)) return { given: source };
  return source.startsWith(USER) ? { user: source.slice(USER.length) } : { url: source };
}

/** The path of a lockfile and the number of a line in it, for errors. */
interface LinePlace {
  readonly path: string;
  readonly line: number;
}

/** @throws LockfileError when the line is not an entry */
export function parseEntry(text: string, place: LinePlace): LockEntry {
  return entryIn(parseLine(text, place), lockEntrySchema, place);
}

/**
 * The same, but accepts an entry with faults elsewhere and returns only its identity: those faults affect only this
 * entry, and `parseEntry` reports them.
 * @throws LockfileError when the line does not identify an entry
 */
export function parseIdentity(text: string, place: LinePlace): LockEntry | LockIdentity {
  const line = parseLine(text, place);
  return lockEntrySchema.safeParse(line).data ?? entryIn(line, lockIdentitySchema, place);
}

function parseLine(text: string, place: LinePlace): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (!MARKER.test(text))
      throw new LockfileError('lockfile_invalid', { ...place, reason: 'The line is not JSON.', cause });
    const reason = 'The line is a conflict marker of a merge.';
    throw new LockfileError('lockfile_conflict', { ...place, reason, cause });
  }
}

function entryIn<S extends z.ZodType>(line: unknown, schema: S, place: LinePlace): z.output<S> {
  const { success, data, error } = schema.safeParse(line);
  if (success) return data;
  const reason = `The line is not an entry: ${problemOf(error)}.`;
  throw new LockfileError('lockfile_invalid', { ...place, reason });
}

/** The line of an entry to write. @throws LockfileError for an entry that could not be read back */
export function writableLine(entry: LockEntry, path: string): string {
  const { error, data } = lockEntrySchema.safeParse(entry);
  if (!data) throw unwritable(entry, problemOf(error), path);
  const line = lineOf(data);
  if (Buffer.byteLength(line) > LONGEST_LINE) throw unwritable(entry, 'it is too long', path);
  return line;
}

function unwritable({ source }: LockEntry, problem: string, path: string): LockfileError {
  const reason = `The entry of ${source} cannot be written: ${problem}.`;
  return new LockfileError('lockfile_invalid', { path, reason });
}

function problemOf(error: z.ZodError): string {
  const [issue] = error.issues;
  const place = issue?.path.join('.');
  return place ? `${place}: ${issue?.message}` : `${issue?.message}`;
}

type LockfileTrouble =
  /** A line, or the whole file, is not in the lockfile format. */
  | 'lockfile_invalid'
  /** An entry was changed after it was written. */
  | 'lockfile_damaged'
  /** The file has conflict markers of a merge. */
  | 'lockfile_conflict'
  /** A line or the file is larger than any real one. */
  | 'lockfile_too_large'
  /** Another program has written to the file since it was opened. */
  | 'lockfile_changed';

/** A lockfile that cannot be used. `message` names the file and, if known, the line (from 1). */
export class LockfileError extends Error {
  override readonly name = 'LockfileError';
  readonly code: LockfileTrouble;
  readonly hint: string;
  readonly line: number | undefined;

  constructor(
    code: LockfileTrouble,
    { path, line, reason, cause }: { path: string; line?: number; reason: string; cause?: unknown },
  ) {
    super(`${path}${line === undefined ? '' : `, line ${line}`}: ${reason}`, { cause });
    this.code = code;
    this.hint = HINTS[code];
    this.line = line;
  }
}

export function changedInUse(path: string): LockfileError {
  return new LockfileError('lockfile_changed', {
    path,
    reason: 'Another program changed the file while it was in use.',
  });
}

const HINTS: Readonly<Record<LockfileTrouble, string>> = {
  lockfile_invalid:
    'Restore the file from version control, or delete the line. The next run makes missing skins again.',
  lockfile_damaged:
    'Restore the line from version control, or delete it. The next run makes missing skins again. Nothing was written from this entry.',
  lockfile_conflict:
    'Run generate, without --frozen: it keeps the lines of both sides. If a side is not whole lines, take one side: the next run makes missing skins.',
  lockfile_too_large: 'Check that this file is the lockfile.',
  lockfile_changed: 'Run the same command again: nothing is lost.',
};

const LARGEST_FILE = 2 ** 32 - 1;
const CARRIAGE_RETURN = 0x0d;
const LONGEST_LINE_END = 2;
/** Windows' editors write it at the start of a file; it is part of no line. */
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** Git's conflict markers, by what comes before each. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  '': ['<<<<<<<'],
  '<<<<<<<': ['|||||||', '======='],
  '|||||||': ['======='],
  '=======': ['>>>>>>>'],
  '>>>>>>>': ['<<<<<<<'],
};

/**
 * Reads a file that a merge has left with conflict markers: the lines of both sides count, those of their common ancestor
 * (`merge.conflictStyle` diff3) do not.
 */
class MergeSides {
  #last = '';

  /** Whether there was a marker. */
  get isMerged(): boolean {
    return this.#last !== '';
  }

  /** Whether no conflict is open, so that every side was whole. */
  get isWhole(): boolean {
    return this.#last === '' || this.#last === '>>>>>>>';
  }

  /** Whether a line is to be read. Undefined: it is a marker where none can be. */
  has(line: string): boolean | undefined {
    const [marker] = MARKER.exec(line) ?? [];
    if (marker === undefined) return this.#last !== '|||||||';
    if (!NEXT[this.#last]?.includes(marker)) return undefined;
    this.#last = marker;
    return false;
  }
}

/** A line and its position in the file. */
interface Line {
  /** Without the line break. */
  readonly text: string;
  /** From 1. */
  readonly number: number;
  /** Where it begins, and its length with the line break; bytes. */
  readonly offset: number;
  readonly length: number;
  readonly lineEnd: '\n' | '\r\n' | '';
}

/** The part of an entry that is kept in memory; the rest is read from the file when it is needed. */
export interface IndexedEntry extends Pick<Line, 'number' | 'offset' | 'length'> {
  readonly source: string;
  /** Work key. */
  readonly work: string;
  /** Undefined, as all that follows, for an entry with faults. */
  readonly uuid: string | undefined;
  readonly record: SourceRecord | undefined;
  /** Undefined also if its digest is missing or wrong. */
  readonly signedBy: SignedBy | undefined;
}

export interface ReadingOptions {
  /** Whether conflict markers are read over, and the lines of both sides count; otherwise they are an error. */
  readonly merges?: boolean;
}

/** A lockfile as it was when it was opened, even if it has been replaced since. */
export class Snapshot {
  readonly path: string;
  /** Sorted by source, then by work. */
  readonly entries: readonly IndexedEntry[];
  /** The line ending of its first line: a checkout on Windows may have changed them all. */
  readonly lineEnd: '\n' | '\r\n';
  /** Whether its last line has a line break. */
  readonly isEnded: boolean;
  /** Whether a merge has left conflict markers. */
  readonly isMerged: boolean;
  /** Whether it is as we write it: sorted, each source and work once, without conflict markers. */
  readonly isTidy: boolean;
  #fd: number | undefined;
  readonly #stats: Stats | undefined;

  private constructor(path: string, fd: number | undefined, { merges }: ReadingOptions) {
    this.path = path;
    this.#fd = fd;
    this.#stats = fd === undefined ? undefined : statsOf(fd, path);
    const entries: IndexedEntry[] = [];
    const sides = new MergeSides();
    let [lineEnd, isEnded]: [Snapshot['lineEnd'], boolean] = ['\n', true];
    for (const line of fd === undefined ? [] : linesOf(fd, path)) {
      isEnded = line.lineEnd !== '';
      if (line.number === 1 && line.lineEnd === '\r\n') lineEnd = '\r\n';
      if (line.text !== '' && (!merges || hasLine(sides, line, path))) entries.push(indexed(line, path));
    }
    if (!sides.isWhole)
      throw new LockfileError('lockfile_conflict', { path, reason: 'A merge conflict has no end.' });
    this.isMerged = sides.isMerged;
    this.isTidy = !sides.isMerged && isSorted(entries);
    this.entries = sorted(entries);
    this.lineEnd = lineEnd;
    this.isEnded = isEnded;
  }

  /** A missing file counts as empty. @throws LockfileError, or Error of the file system */
  static open(path: string, options: ReadingOptions = {}): Snapshot {
    const fd = openIfThere(path);
    try {
      return new Snapshot(path, fd, options);
    } catch (error) {
      if (fd !== undefined) closeSync(fd);
      throw error;
    }
  }

  /** Bytes. */
  get size(): number {
    return this.#stats?.size ?? 0;
  }

  /** @throws LockfileError when the entry has faults */
  read({ source, work, number, offset, length }: IndexedEntry): LockEntry {
    const text = this.bytesAt(offset, length).toString();
    try {
      const entry = parseEntry(text, { path: this.path, line: number });
      if (entry.source === source && workOf(entry) === work) return entry;
    } catch (error) {
      if (!this.#isWrittenInto()) throw error;
    }
    throw changedInUse(this.path);
  }

  /** What identifies an entry. */
  identityOf({ number, offset, length }: IndexedEntry): LockIdentity {
    return parseIdentity(this.bytesAt(offset, length).toString(), { path: this.path, line: number });
  }

  /** Bytes of the file; fewer at its end. */
  bytesAt(offset: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    return bytes.subarray(0, this.#fd === undefined ? 0 : readSync(this.#fd, bytes, 0, length, offset));
  }

  /** Whether this path still leads to the opened file, unchanged. */
  isCurrent(): boolean {
    return isSame(this.#stats, statSync(this.path, { throwIfNoEntry: false }));
  }

  close(): void {
    const fd = this.#fd;
    this.#fd = undefined;
    if (fd !== undefined) closeSync(fd);
  }

  #isWrittenInto(): boolean {
    return this.#fd === undefined || !isSame(this.#stats, fstatSync(this.#fd));
  }
}

/** @throws LockfileError when a conflict marker is out of place */
function hasLine(sides: MergeSides, { text, number }: Line, path: string): boolean {
  const has = sides.has(text);
  if (has !== undefined) return has;
  const reason = 'The conflict marker is out of place.';
  throw new LockfileError('lockfile_conflict', { path, line: number, reason });
}

function indexed({ text, number, offset, length }: Line, path: string): IndexedEntry {
  const entry = parseIdentity(text, { path, line: number });
  const { uuid, record } = 'uuid' in entry ? entry : {};
  const signedBy = 'uuid' in entry ? signerOf(entry) : undefined;
  return { source: entry.source, work: workOf(entry), uuid, record, signedBy, number, offset, length };
}

/** Who signed an entry, as it says; undefined unless its digest is intact. */
function signerOf(entry: LockEntry): SignedBy | undefined {
  const { signer, key } = entry;
  return signer !== undefined && entry.digest === digestOf(entry) ? { signer, key } : undefined;
}

/** In the lockfile's order; of several entries with the same source and work, only the last. */
function sorted(entries: IndexedEntry[]): IndexedEntry[] {
  entries.sort(compare); // stable, so that the last stays the last
  return entries.filter((entry, at) => {
    const next = entries[at + 1];
    return next === undefined || compare(entry, next) !== 0;
  });
}

function isSorted(entries: readonly IndexedEntry[]): boolean {
  return entries.every((entry, at) => {
    const next = entries[at + 1];
    return next === undefined || compare(entry, next) < 0;
  });
}

/** By code units. */
function compare(one: IndexedEntry, other: IndexedEntry): number {
  if (one.source !== other.source) return one.source < other.source ? -1 : 1;
  if (one.work === other.work) return 0;
  return one.work < other.work ? -1 : 1;
}

/** The lines of a lockfile. @throws LockfileError when a line is too long to be an entry */
export function* linesOf(fd: number, path: string): Generator<Line, void, void> {
  for (const line of fileLines(fd, LONGEST_LINE + LONGEST_LINE_END)) {
    const { number, offset, length, bytes, isEnded } = line;
    const mark = offset === 0 && bytes?.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0;
    const lineEnd = !isEnded ? '' : bytes?.at(-2) === CARRIAGE_RETURN ? '\r\n' : '\n';
    const end = length - lineEnd.length;
    if (!bytes || end > LONGEST_LINE) throw tooLong({ path, line: number });
    const text = bytes.toString('utf8', mark, end);
    yield { text, number, offset: offset + mark, length: length - mark, lineEnd };
  }
}

function tooLong(place: { path: string; line: number }): LockfileError {
  const reason = `The line is longer than ${LONGEST_LINE} bytes.`;
  return new LockfileError('lockfile_too_large', { ...place, reason });
}

/** An existing regular file; opening a pipe would block. */
function openIfThere(path: string): number | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  if (stats.isFile()) return openSync(path, 'r');
  throw new LockfileError('lockfile_invalid', { path, reason: 'It is not a regular file.' });
}

function statsOf(fd: number, path: string): Stats {
  const stats = fstatSync(fd);
  if (stats.size <= LARGEST_FILE) return stats;
  throw new LockfileError('lockfile_too_large', { path, reason: 'The file is larger than 4 GiB.' });
}

function isSame(one: Stats | undefined, other: Stats | undefined): boolean {
  if (!one || !other) return one === other;
  return one.ino === other.ino && one.size === other.size && one.mtimeMs === other.mtimeMs;
}
