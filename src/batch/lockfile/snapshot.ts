import { closeSync, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { Replacement } from '../../base/files.ts';
import { fileLines } from '../../base/streams.ts';
import { digestOf, type LockEntry, type LockIdentity, type SourceRecord } from '../../protocol/lock-line.ts';
import type { SignedBy } from '../model.ts';
import {
  changedInUse,
  LONGEST_LINE,
  LockfileError,
  parseEntry,
  parseIdentity,
  workOf,
  writableLine,
} from './entries.ts';

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
const MARKER = /^(?:<{7}|\|{7}|={7}|>{7})/;

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

/** Bytes written at once. */
const CHUNK = 256 * 1024;

/**
 * Builds `target` from the old entries and the changes, which must be sorted by source.
 * @returns how many old entries are dropped: their source is neither changed nor kept
 */
export function merge(
  old: Snapshot,
  changes: Iterable<LockEntry>,
  keep: (source: string) => boolean,
  target: MergedFile,
): number {
  let [at, dropped] = [0, 0];
  const passUntil = (isEnd: (source: string) => boolean) => {
    for (let next = old.entries[at]; next && !isEnd(next.source); next = old.entries[++at]) {
      if (keep(next.source)) target.keep(next);
      else dropped++;
    }
  };
  for (const { source, lines } of bySource(changes, old.path)) {
    passUntil((other) => other >= source);
    while (old.entries[at]?.source === source) at++;
    for (const line of lines) target.add(Buffer.from(line + old.lineEnd));
  }
  passUntil(() => false);
  return dropped;
}

/** A source's new lines, by work key. */
interface Replaced {
  readonly source: string;
  readonly lines: readonly string[];
}

/** @throws Error when the changes are not sorted, LockfileError when one cannot be written */
function* bySource(changes: Iterable<LockEntry>, path: string): Generator<Replaced, void, void> {
  let source: string | undefined;
  let lines = new Map<string, string>();
  for (const change of changes) {
    if (source !== undefined && change.source !== source) {
      if (change.source < source) throw new Error(`Changes of a lockfile come sorted: ${change.source}`);
      yield { source, lines: inOrder(lines) };
      lines = new Map();
    }
    source = change.source;
    const line = writableLine(change, path);
    lines.set(workOf(change), line);
  }
  if (source !== undefined) yield { source, lines: inOrder(lines) };
}

function inOrder(lines: ReadonlyMap<string, string>): readonly string[] {
  return [...lines].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
}

/**
 * The lockfile that replaces the old one: lines of the old one as they are, and new ones. Nothing is written while the
 * result is identical to the start of the old file.
 */
export class MergedFile {
  readonly #old: Snapshot;
  #file: Replacement | undefined;
  /** Bytes of the old file that the result starts with, while nothing is written. */
  #same = 0;
  /** Bytes to write together, and how many they are. */
  #waiting: Buffer[] = [];
  #waitingSize = 0;

  constructor(old: Snapshot) {
    this.#old = old;
  }

  /** Appends an entry of the old file as it is. @throws LockfileError when it is gone */
  keep({ offset, length }: IndexedEntry): void {
    const { isEnded, lineEnd, size } = this.#old;
    if (!this.#file && offset === this.#same) this.#same += length;
    else this.#write(this.#bytesOfOld(offset, length));
    if (!isEnded && offset + length === size) this.add(Buffer.from(lineEnd));
  }

  /** Appends new bytes, which may turn out to equal the old ones. */
  add(bytes: Buffer): void {
    if (!this.#file && this.#old.bytesAt(this.#same, bytes.length).equals(bytes)) this.#same += bytes.length;
    else this.#write(bytes);
  }

  /** Flushes everything to disk; false if the result equals the old file and nothing was written. */
  finish(): boolean {
    if (!this.#file && this.#same === this.#old.size) return false;
    const file = this.#begun();
    this.#flush(file);
    file.close(true);
    return true;
  }

  /** Replaces the old file. Call `finish` first. */
  replace(): void {
    this.#file?.replace(true);
  }

  discard(): void {
    this.#file?.discard();
  }

  #write(bytes: Buffer): void {
    const file = this.#begun();
    this.#waiting.push(bytes);
    this.#waitingSize += bytes.length;
    if (this.#waitingSize >= CHUNK) this.#flush(file);
  }

  /** The new file, with all that it has in common with the old one. */
  #begun(): Replacement {
    if (this.#file) return this.#file;
    this.#file = new Replacement(this.#old.path);
    for (let at = 0; at < this.#same; at += CHUNK)
      this.#file.write(this.#bytesOfOld(at, Math.min(CHUNK, this.#same - at)));
    return this.#file;
  }

  #flush(file: Replacement): void {
    file.write(Buffer.concat(this.#waiting));
    this.#waiting = [];
    this.#waitingSize = 0;
  }

  #bytesOfOld(offset: number, length: number): Buffer {
    const bytes = this.#old.bytesAt(offset, length);
    if (bytes.length < length) throw changedInUse(this.#old.path);
    return bytes;
  }
}
