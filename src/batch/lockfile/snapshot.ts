import { closeSync, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import type { LockEntry } from './entry.ts';
import { type EntrySigner, EntrySignerReader } from './entry-signer.ts';
import { EntryTable } from './entry-table.ts';
import { changedInUse, LockfileError } from './lockfile-error.ts';
import { parseEntry, type Scan, scanEntries } from './scan.ts';
import type { ScanCache, ScannedEntries } from './scan-cache.ts';
import { SignerColumn } from './signer-column.ts';

const LARGEST_FILE = 2 ** 32 - 1;
/** Bytes of read-ahead when entries are read in sequence. */
const WINDOW = 256 * 1024;
const NEWLINE = 0x0a;
/** Reads this close to the last one count as sequential. */
const NEAR = 4096;

/** A lockfile as it was when it was opened, even if it has been replaced since. */
export class Snapshot {
  readonly path: string;
  readonly scan: Scan;
  #fd: number | undefined;
  readonly #stats: Stats | undefined;
  /** The bytes read last, and their position in the file. */
  #window = Buffer.alloc(0);
  #from = 0;
  #to = 0;
  readonly #reader = new EntrySignerReader();
  readonly #signers: SignerColumn;
  readonly #cache: ScanCache | undefined;
  /** Whether the file itself was scanned: what an earlier run has found is good for reading only. */
  readonly isScanned: boolean;

  private constructor(path: string, fd: number | undefined, cache: ScanCache | undefined) {
    this.path = path;
    this.#fd = fd;
    this.#cache = cache;
    this.#stats = fd === undefined ? undefined : statsOf(fd, path);
    const known = this.#stats && cache?.get(this.#stats);
    this.isScanned = !known;
    this.scan = known?.scan ?? (fd === undefined ? emptyScan() : scanEntries(fd, this.size, path));
    this.#signers = known?.signers ?? new SignerColumn(new Uint8Array(this.scan.table.size), []);
  }

  /**
   * A missing file counts as empty. `cache`: of an earlier scan, for an unchanged file.
   * @throws LockfileError, or Error of the file system
   */
  static open(path: string, cache?: ScanCache): Snapshot {
    const fd = openIfThere(path);
    try {
      return new Snapshot(path, fd, cache);
    } catch (error) {
      if (fd !== undefined) closeSync(fd);
      throw error;
    }
  }

  /** Bytes. */
  get size(): number {
    return this.#stats?.size ?? 0;
  }

  /** @throws LockfileError when the entry's line is broken */
  read(entry: number): LockEntry {
    const source = this.scan.table.sourceOf(entry);
    const { offset, length } = this.scan.table.placeOf(entry);
    const text = this.#textAt(offset, length);
    try {
      const read = parseEntry(text, { path: this.path, line: () => this.#lineAt(offset) });
      if (read.source === source) return read;
    } catch (error) {
      if (!this.#isWrittenInto()) throw error;
    }
    throw changedInUse(this.path);
  }

  /** Who signed an entry whose digest is intact; undefined if only reading it can tell. */
  signerOf(entry: number): EntrySigner | undefined {
    const known = this.#signers.at(entry);
    if (known) return known;
    const { offset, length } = this.scan.table.placeOf(entry);
    const start = this.#startOf(offset, length);
    const signer = this.#reader.read(this.#window, start, Math.min(start + length, this.#to - this.#from));
    if (signer) this.#signers.set(entry, signer);
    return signer;
  }

  /** Stores what was found for the next run, if it was not known before. */
  cacheScan(): void {
    if (!this.#stats || !(this.isScanned || this.#signers.isChanged)) return;
    this.#cache?.set(this.#stats, { scan: this.scan, signers: this.#signers } satisfies ScannedEntries);
  }

  /** The error for an entry that can be read but must not be used. */
  damaged(entry: number, problem: string): LockfileError {
    const { offset } = this.scan.table.placeOf(entry);
    const reason = `The entry of ${this.scan.table.sourceOf(entry)} is damaged: ${problem}`;
    return new LockfileError('lockfile_damaged', { path: this.path, line: this.#lineAt(offset), reason });
  }

  /** The entry's UUID, without the rest of the entry where it is in the usual form. */
  uuidOf(entry: number): string {
    return this.scan.table.uuidOf(entry) ?? this.read(entry).uuid;
  }

  /** Reads bytes `from` to `to` of the file into `target` at `at`. @returns the number read: fewer at the file's end */
  copy(target: Buffer, at: number, from: number, to: number): number {
    return this.#fd === undefined ? 0 : readSync(this.#fd, target, at, to - from, from);
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

  #textAt(offset: number, length: number): string {
    const start = this.#startOf(offset, length);
    return this.#window.toString('utf8', start, Math.min(start + length, this.#to - this.#from));
  }

  /** Where bytes of the file begin in the window, after they were read. */
  #startOf(offset: number, length: number): number {
    if (offset < this.#from || offset + length > this.#to) this.#fill(offset, length);
    return offset - this.#from;
  }

  #fill(offset: number, length: number): void {
    const isNext = this.#to > 0 && offset >= this.#from && offset <= this.#to + NEAR;
    if (this.#window.length === 0) this.#window = Buffer.allocUnsafeSlow(WINDOW);
    const read = this.copy(this.#window, 0, offset, offset + (isNext ? WINDOW : length));
    this.#from = offset;
    this.#to = offset + read;
  }

  #isWrittenInto(): boolean {
    return this.#fd === undefined || !isSame(this.#stats, fstatSync(this.#fd));
  }

  /** The number, from 1, of the line that begins at `offset`. */
  #lineAt(offset: number): number {
    const bytes = Buffer.allocUnsafe(WINDOW);
    let line = 1;
    for (let at = 0, read = 1; at < offset && read > 0; at += read) {
      read = this.copy(bytes, 0, at, Math.min(offset, at + WINDOW));
      line += bytes.subarray(0, read).filter((byte) => byte === NEWLINE).length;
    }
    return line;
  }
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

function emptyScan(): Scan {
  return { table: new EntryTable(0), lineEnd: '\n', isEnded: true };
}
