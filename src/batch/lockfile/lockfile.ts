import { Replacement, removeLeftovers } from '../../base/files.ts';
import type { LockEntry, SourceRecord } from '../../protocol/lock-line.ts';
import type { SignedBy, SourceProblem } from '../model.ts';
import {
  changedInUse,
  type IndexedEntry,
  LockfileError,
  type ReadingOptions,
  Snapshot,
  workOf,
  writableLine,
} from './entries.ts';

/**
 * Where the lockfile has a work key. `same`: at that source; `moved`: at another source (a renamed file); `changed`: the
 * source only has other work. Undefined: neither is known.
 */
type LockfileMatch =
  | { readonly state: 'same' | 'moved'; readonly entry: number }
  | { readonly state: 'changed' }
  | undefined;

const NO_RECORD: SourceRecord = {};

/**
 * The file that is committed beside the pictures: the results for each source, one JSON line per entry,
 * sorted by source, so that a diff shows what changed. Entries are identified by number, from 0; a rewrite
 * renumbers them.
 */
export class Lockfile {
  readonly #path: string;
  readonly #options: ReadingOptions;
  #snapshot: Snapshot;
  /** The first entry of each source, and of each work key. */
  #bySource: ReadonlyMap<string, number>;
  #byWork: ReadonlyMap<string, number>;
  /** By folded name; read when a source is looked for that is not there. */
  #byFolded: ReadonlyMap<string, readonly string[]> | undefined;

  private constructor(path: string, snapshot: Snapshot, options: ReadingOptions) {
    this.#path = path;
    this.#options = options;
    this.#snapshot = snapshot;
    this.#bySource = firstBy('source', snapshot.entries);
    this.#byWork = firstBy('work', snapshot.entries);
  }

  /**
   * Opens the lockfile at `path`; a missing file counts as empty. Hand-edited files are fine as long as every
   * line is an entry; of several with the same source and work the last one counts.
   * @throws LockfileError when the file is invalid, Error of the file system
   */
  static async open(path: string, now = Date.now(), options: ReadingOptions = {}): Promise<Lockfile> {
    removeLeftovers(path, now);
    return new Lockfile(path, Snapshot.open(path, options), options);
  }

  /** Whether a merge has left conflict markers in the file. */
  get isMerged(): boolean {
    return this.#snapshot.isMerged;
  }

  /** Whether a rewrite is due even if nothing changes, as after a merge that kept the lines of both sides. */
  get isUntidy(): boolean {
    return !this.#snapshot.isTidy;
  }

  /** Whether the source has an entry with the same options and other pixels, too, as after a merge: only one is right. */
  hasRival(entry: number): boolean {
    const { source } = this.#at(entry);
    const entries = this.entriesOf(source);
    if (entries.length < 2) return false;
    const of = (one: number) => {
      const { pixels, options } = this.#snapshot.identityOf(this.#at(one));
      return { pixels, options: JSON.stringify([options.variant, options.visibility, options.cape]) };
    };
    const own = of(entry);
    return entries.map(of).some(({ pixels, options }) => options === own.options && pixels !== own.pixels);
  }

  get size(): number {
    return this.#snapshot.entries.length;
  }

  /** Size of the file, as it was when it was last read or written. */
  get bytes(): number {
    return this.#snapshot.size;
  }

  find(source: string, work: string): LockfileMatch {
    const { entries } = this.#snapshot;
    const first = this.#bySource.get(source);
    for (let entry = first ?? this.size; entries[entry]?.source === source; entry++)
      if (entries[entry]?.work === work) return { state: 'same', entry };
    const moved = this.#byWork.get(work);
    if (moved !== undefined) return { state: 'moved', entry: moved };
    return first === undefined ? undefined : { state: 'changed' };
  }

  sourceOf(entry: number): string {
    return this.#at(entry).source;
  }

  workOf(entry: number): string {
    return this.#at(entry).work;
  }

  /** @throws LockfileError when the entry has faults */
  read(entry: number): LockEntry {
    return this.#snapshot.read(this.#at(entry));
  }

  entriesOf(source: string): number[] {
    const { entries } = this.#snapshot;
    const found: number[] = [];
    for (let at = this.#bySource.get(source) ?? this.size; entries[at]?.source === source; at++)
      found.push(at);
    return found;
  }

  /** All entries of a source. @throws LockfileError when one has faults */
  readAll(source: string): LockEntry[] {
    return this.entriesOf(source).map((entry) => this.read(entry));
  }

  /** The sources whose names differ from this one at most in case and in the form of composed characters. */
  alike(source: string): readonly string[] {
    this.#byFolded ??= Map.groupBy(this.#bySource.keys(), foldedName);
    return this.#byFolded.get(foldedName(source)) ?? [];
  }

  /** Who signed an entry whose digest is intact; undefined if only reading it can tell. Much cheaper than `read`. */
  signerOf(entry: number): SignedBy | undefined {
    return this.#at(entry).signedBy;
  }

  /** The error for an entry that can be read but must not be used; `problem` is a sentence. */
  damaged(entry: number, problem: string): LockfileError {
    const { source, number: line } = this.#at(entry);
    const reason = `The entry of ${source} is damaged: ${problem}`;
    return new LockfileError('lockfile_damaged', { path: this.#path, line, reason });
  }

  /** The UUID of the entry's skin, a new one if it was made again. Cheaper than `read`. */
  uuidOf(entry: number): string {
    return this.#at(entry).uuid ?? this.read(entry).uuid;
  }

  sources(): Iterable<string> {
    return this.#bySource.keys();
  }

  /** What was recorded about a source, empty for an entry of an older version; undefined if it has no entry. */
  recordOf(source: string): SourceRecord | undefined {
    const entry = this.#bySource.get(source);
    return entry === undefined ? undefined : (this.#at(entry).record ?? NO_RECORD);
  }

  /** The entries about whose source something was recorded. */
  *records(): Generator<{ readonly entry: number; readonly record: SourceRecord }> {
    for (const [entry, { record }] of this.#snapshot.entries.entries()) if (record) yield { entry, record };
  }

  /**
   * Rewrites the file by a rename, merging the changes into its current content. The changes replace all
   * entries of their source; other entries stay if `keep` says so. The changes may read entries of this lockfile
   * while they are iterated. On any error the old file stays unchanged.
   * @param changes sorted by source, by code units
   * @returns false if the file already had this content
   * @throws LockfileError when a change cannot be written or the file is broken, Error of the file system
   */
  rewrite(changes: Iterable<LockEntry>, keep: (source: string) => boolean): boolean {
    const old = this.#snapshot.isCurrent() ? this.#snapshot : Snapshot.open(this.#path, this.#options);
    const target = new MergedFile(old);
    try {
      merge(old, changes, keep, target);
      const written = target.finish();
      if (written) this.#exchange(old, target);
      return written;
    } catch (error) {
      target.discard();
      throw error;
    } finally {
      if (old !== this.#snapshot) old.close();
    }
  }

  /** Makes sure, before skins are paid for, that a rewrite would be possible. @throws Error of the file system */
  verifyWritable(): void {
    new Replacement(this.#path).discard();
  }

  close(): void {
    this.#snapshot.close();
  }

  #at(entry: number): IndexedEntry {
    const found = this.#snapshot.entries[entry];
    if (found) return found;
    throw new RangeError(`The lockfile has no entry ${entry}.`);
  }

  #exchange(old: Snapshot, target: MergedFile): void {
    this.#snapshot.close();
    old.close(); // Windows cannot rename over an open file
    try {
      target.replace();
    } finally {
      this.#snapshot = Snapshot.open(this.#path);
      this.#bySource = firstBy('source', this.#snapshot.entries);
      this.#byWork = firstBy('work', this.#snapshot.entries);
      this.#byFolded = undefined;
    }
  }
}

/** Equal for names that some file system treats as the same. */
function foldedName(source: string): string {
  return source.normalize('NFC').toLowerCase();
}

/** The first entry with each value of a field. */
function firstBy(field: 'source' | 'work', entries: readonly IndexedEntry[]): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const [at, entry] of entries.entries()) if (!first.has(entry[field])) first.set(entry[field], at);
  return first;
}

/** Describes the problem of a readable entry, as a sentence. */
interface EntryCheck {
  damageOf(entry: LockEntry): string | undefined;
}

/** An entry without problems. @throws LockfileError */
export function soundEntry(lockfile: Lockfile, entry: number, check: EntryCheck): LockEntry {
  const read = lockfile.read(entry);
  const damage = check.damageOf(read);
  if (damage !== undefined) throw lockfile.damaged(entry, damage);
  return read;
}

/** The same, with damage reported as that one source's problem. @throws LockfileError when it affects the whole file */
export function readEntry(
  lockfile: Lockfile,
  entry: number,
  check: EntryCheck,
): { readonly entry: LockEntry } | { readonly problem: SourceProblem } {
  try {
    return { entry: soundEntry(lockfile, entry, check) };
  } catch (error) {
    return { problem: entryProblem(error) };
  }
}

/** The problem if the error affects one entry. @throws the error when it affects more */
export function entryProblem(error: unknown): SourceProblem {
  if (!(error instanceof LockfileError) || !ONE_ENTRY.has(error.code)) throw error;
  const { message, hint } = error;
  return { code: 'lockfile_damaged', message, hint };
}

const ONE_ENTRY: ReadonlySet<string> = new Set(['lockfile_damaged', 'lockfile_invalid']);

/** Bytes written at once. */
const CHUNK = 256 * 1024;

/** Builds `target` from the old entries and the changes, which must be sorted by source. */
function merge(
  old: Snapshot,
  changes: Iterable<LockEntry>,
  keep: (source: string) => boolean,
  target: MergedFile,
): void {
  let at = 0;
  const passUntil = (isEnd: (source: string) => boolean) => {
    for (let next = old.entries[at]; next && !isEnd(next.source); next = old.entries[++at])
      if (keep(next.source)) target.keep(next);
  };
  for (const { source, lines } of bySource(changes, old.path)) {
    passUntil((other) => other >= source);
    while (old.entries[at]?.source === source) at++;
    for (const line of lines) target.add(Buffer.from(line + old.lineEnd));
  }
  passUntil(() => false);
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
class MergedFile {
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
