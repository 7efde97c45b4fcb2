import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder, removeLeftovers, writeFileAtomically } from './files.ts';
import { parsedJson } from './text.ts';

/** The parts of `fs.Stats` that change when a file changes. */
export interface FileStamp {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
}

const DAY = 24 * 60 * 60 * 1000;
/** Days after which the digest of an unseen file is removed. */
const KEPT_DAYS = 90;
/** Days after which a new sighting of a file is worth a write. */
const REFRESH_DAYS = 30;
const DIGEST = /^[0-9a-f]{64}$/;
const MAX_ENTRIES = 500_000;
/** UTF-16 units; no system has longer paths. */
const LONGEST_PATH = 4096;

interface Entry {
  readonly stamp: FileStamp;
  readonly digest: string;
  /** When a run last saw the file, in days since 1970. */
  day: number;
}

/** A line of the file, in JSON. */
type Row = [
  path: string,
  size: number,
  mtimeMs: number,
  ctimeMs: number,
  ino: number,
  day: number,
  digest: string,
];

/** Digests of files from earlier runs, so that a run reads only changed files. Lost or damaged entries are computed again. */
export class DigestCache {
  readonly #path: string;
  readonly #opened: number;
  readonly #entries: Map<string, Entry>;
  #isChanged = false;
  #isSwept = false;

  /** Uses whatever can be read of a missing, damaged or foreign file. `opened`: now, milliseconds since the epoch. */
  constructor(path: string, opened: number) {
    this.#path = path;
    this.#opened = opened;
    this.#entries = entriesOf(readCacheFile(path));
  }

  /**
   * The digest of a file that has not changed since the digest was stored.
   * @param file absolute path
   */
  get(file: string, stamp: FileStamp): string | undefined {
    const entry = isInDoubt(stamp, this.#opened) ? undefined : this.#entries.get(file);
    if (entry === undefined || !isSame(entry.stamp, stamp)) return undefined;
    this.#isChanged ||= entry.day < this.#today - REFRESH_DAYS;
    entry.day = this.#today;
    return entry.digest;
  }

  /** Whether a digest of the file is stored, whatever the file holds now. */
  has(file: string): boolean {
    return this.#entries.has(file);
  }

  /**
   * Stores a file's digest.
   * @param stamp taken before the file was read
   * @param digest 64 hexadecimal digits, lower case
   */
  set(file: string, stamp: FileStamp, digest: string): void {
    if (!isInDoubt(stamp, this.#opened)) this.setOwn(file, stamp, digest);
  }

  /** The same for a file that we have just written by a rename, so its times are reliable. */
  setOwn(file: string, { size, mtimeMs, ctimeMs, ino }: FileStamp, digest: string): void {
    if (!DIGEST.test(digest)) throw new TypeError(`Not a digest: ${digest}`);
    if (file.length > LONGEST_PATH || !(this.#entries.has(file) || this.#hasRoom())) return;
    this.#entries.set(file, { stamp: { size, mtimeMs, ctimeMs, ino }, digest, day: this.#today });
    this.#isChanged = true;
  }

  /**
   * Writes everything to disk if anything changed. Keeps files that this run did not see if another run saw
   * them within 90 days. A folder that cannot be written, as in a container, only makes the next run slower.
   */
  save(): void {
    if (!this.#isChanged) return;
    this.#dropBefore(this.#today - KEPT_DAYS);
    this.#isChanged = !writeCacheFile(this.#path, linesOf(this.#entries));
  }

  get #today(): number {
    return Math.floor(this.#opened / DAY);
  }

  /** Past the limit, only files that this run has seen are kept. */
  #hasRoom(): boolean {
    if (this.#entries.size >= MAX_ENTRIES && !this.#isSwept) {
      this.#isSwept = true;
      this.#dropBefore(this.#today);
    }
    return this.#entries.size < MAX_ENTRIES;
  }

  #dropBefore(day: number): void {
    for (const [file, entry] of this.#entries) if (entry.day < day) this.#entries.delete(file);
  }
}

function isSame(one: FileStamp, other: FileStamp): boolean {
  return (
    one.size === other.size &&
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs &&
    one.ino === other.ino
  );
}

/** UTF-16 units that are written at once: the whole text would take more memory than anything else. */
const WRITTEN_AT_ONCE = 64 * 1024;

/** A line for each file, many of them at a time. */
function* linesOf(entries: ReadonlyMap<string, Entry>): Generator<string, void, void> {
  let text = '';
  for (const [file, { stamp, day, digest }] of entries) {
    const row: Row = [file, stamp.size, stamp.mtimeMs, stamp.ctimeMs, stamp.ino, day, digest];
    text += `${JSON.stringify(row)}\n`;
    if (text.length < WRITTEN_AT_ONCE) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** Leaves out damaged lines; the last one may be torn. */
function entriesOf(bytes: Buffer): Map<string, Entry> {
  const rows = bytes.toString('utf8').split('\n').slice(0, -1).map(parsedJson).filter(isRow);
  return new Map(
    rows.map(([file, size, mtimeMs, ctimeMs, ino, day, digest]) => {
      return [file, { stamp: { size, mtimeMs, ctimeMs, ino }, day, digest }];
    }),
  );
}

function isRow(row: unknown): row is Row {
  if (!Array.isArray(row) || row.length !== 7) return false;
  const [file, ...rest] = row;
  const digest = rest.pop();
  return (
    typeof file === 'string' &&
    typeof digest === 'string' &&
    DIGEST.test(digest) &&
    rest.every((one) => typeof one === 'number')
  );
}

const LARGEST = 256 * 1024 * 1024;

/** The bytes of a file that is only a cache, up to 256 MB of them; none if it cannot be read. */
function readCacheFile(path: string): Buffer {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    const bytes = Buffer.allocUnsafeSlow(Math.min(fstatSync(fd).size, LARGEST));
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
  } catch {
    return Buffer.alloc(0); // its content is computed again
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/**
 * Writes a file that is only a cache, and the missing folders above it, for their owner only. Returns false if the file
 * system refuses it: nothing is lost.
 */
function writeCacheFile(path: string, data: Iterable<string>): boolean {
  try {
    makeFolder(dirname(path), 0o700);
    removeLeftovers(path, Date.now());
    writeFileAtomically(path, data, { mode: 0o600 });
    return true;
  } catch {
    return false; // its content is computed again
  }
}

/** Milliseconds. No file system has coarser timestamps. */
const RACY = 2000;

/**
 * A file written just before it was read may be written again without a new timestamp. All reads happen after
 * `opened`, so a file that was already old then is safe. A timestamp in the future means that the clock was changed.
 */
function isInDoubt({ mtimeMs, ctimeMs }: FileStamp, opened: number): boolean {
  return Math.max(mtimeMs, ctimeMs) > opened - RACY;
}
