import { Replacement } from '../../base/files.ts';
import { changedInUse, type LockEntry, workOf, writableLine } from './entries.ts';
import type { IndexedEntry, Snapshot } from './snapshot.ts';

export type Changes = AsyncIterable<LockEntry> | Iterable<LockEntry>;

export interface MergeCounts {
  /** Entries in the new file. */
  readonly entries: number;
  /** Old entries whose source is neither changed nor kept. */
  readonly dropped: number;
}

/** Bytes written at once. */
const CHUNK = 256 * 1024;

/** Builds `target` from the old entries and the changes, which must be sorted by source. */
export async function merge(
  old: Snapshot,
  changes: Changes,
  keep: (source: string) => boolean,
  target: MergedFile,
): Promise<MergeCounts> {
  const merge = new Merge(old, keep, target);
  for await (const entries of bySource(changes, old.path)) merge.replace(entries);
  return merge.end();
}

/** A source's new lines, by work key. */
interface Replaced {
  readonly source: string;
  readonly lines: readonly string[];
}

class Merge {
  readonly #old: Snapshot;
  readonly #keep: (source: string) => boolean;
  readonly #target: MergedFile;
  /** The next old entry; they are sorted. */
  #at = 0;
  #entries = 0;
  #dropped = 0;

  constructor(old: Snapshot, keep: (source: string) => boolean, target: MergedFile) {
    this.#old = old;
    this.#keep = keep;
    this.#target = target;
  }

  replace({ source, lines }: Replaced): void {
    this.#passUntil((other) => other >= source);
    while (this.#next?.source === source) this.#at++;
    for (const line of lines) this.#target.add(Buffer.from(line + this.#old.lineEnd));
    this.#entries += lines.length;
  }

  end(): MergeCounts {
    this.#passUntil(() => false);
    return { entries: this.#entries, dropped: this.#dropped };
  }

  get #next(): IndexedEntry | undefined {
    return this.#old.entries[this.#at];
  }

  #passUntil(isEnd: (source: string) => boolean): void {
    for (let next = this.#next; next && !isEnd(next.source); next = this.#next) {
      if (this.#keep(next.source)) this.#pass(next);
      else this.#dropped++;
      this.#at++;
    }
  }

  #pass({ offset, length }: IndexedEntry): void {
    const { isEnded, lineEnd, size } = this.#old;
    this.#target.keep(offset, length);
    if (!isEnded && offset + length === size) this.#target.add(Buffer.from(lineEnd));
    this.#entries++;
  }
}

/** @throws Error when the changes are not sorted, LockfileError when one cannot be written */
async function* bySource(changes: Changes, path: string): AsyncGenerator<Replaced, void, void> {
  let source: string | undefined;
  let lines = new Map<string, string>();
  for await (const change of changes) {
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

  /** Appends `length` bytes of the old file. @throws LockfileError when they are gone */
  keep(offset: number, length: number): void {
    if (!this.#file && offset === this.#same) this.#same += length;
    else this.#write(this.#bytesOfOld(offset, length));
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
