import { Replacement, removeLeftovers } from '../../base/atomic-file.ts';
import type { SourceRecord } from '../../protocol/lock-line.ts';
import type { LockEntry } from './entry.ts';
import { readRecord } from './entry-line.ts';
import type { EntrySigner } from './entry-signer.ts';
import type { Found } from './entry-table.ts';
import type { LockfileError } from './lockfile-error.ts';
import { type Changes, merge } from './merge.ts';
import { MergedFile } from './merged-file.ts';
import type { ScanCache } from './scan-cache.ts';
import { Snapshot } from './snapshot.ts';

export interface Rewritten {
  /** False if the file already had this content. */
  readonly written: boolean;
  /** Entries in the file now. */
  readonly entries: number;
  /** Entries removed because their source was neither changed nor kept. */
  readonly dropped: number;
}

const NO_RECORD: SourceRecord = {};

/**
 * The file that is committed beside the pictures: the results for each source, one JSON line per entry,
 * sorted by source, so that a diff shows what changed. Entries are identified by number, from 0; a rewrite
 * renumbers them.
 */
export class Lockfile {
  readonly #path: string;
  #snapshot: Snapshot;

  private constructor(path: string, snapshot: Snapshot) {
    this.#path = path;
    this.#snapshot = snapshot;
  }

  /**
   * Opens the lockfile at `path`; a missing file counts as empty. Hand-edited files are fine as long as every
   * line is an entry; of several with the same source and work the last one counts. `cache`: of its scan by an
   * earlier run.
   * @throws LockfileError when the file is invalid, Error of the file system
   */
  static async open(path: string, now = Date.now(), cache?: ScanCache): Promise<Lockfile> {
    const tidied = removeLeftovers(path, now); // lists the folder while the file is read
    const snapshot = Snapshot.open(path, cache);
    await tidied;
    return new Lockfile(path, snapshot);
  }

  /** Number of entries. */
  get size(): number {
    return this.#snapshot.scan.table.size;
  }

  /**
   * Looks up a work key. `same`: that source has it; `moved`: another source has it (a renamed file);
   * `changed`: the source only has other work. Undefined: neither is known.
   */
  find(source: string, work: string): Found {
    return this.#snapshot.scan.table.find(source, work);
  }

  /** The name of an entry's source. */
  sourceOf(entry: number): string {
    return this.#snapshot.scan.table.sourceOf(entry);
  }

  /** An entry's work key. */
  workOf(entry: number): string {
    return this.#snapshot.scan.table.workOf(entry);
  }

  /** @throws LockfileError when the entry's line is broken */
  read(entry: number): LockEntry {
    return this.#snapshot.read(entry);
  }

  /** All entries of a source. @throws LockfileError when the line of one is broken */
  readAll(source: string): LockEntry[] {
    const { table } = this.#snapshot.scan;
    const entries: LockEntry[] = [];
    for (let at = table.firstOf(source) ?? table.size; at < table.size && table.sourceOf(at) === source; at++)
      entries.push(this.read(at));
    return entries;
  }

  /** Who signed an entry whose digest is intact; undefined if only reading it can tell. Much cheaper than `read`. */
  signerOf(entry: number): EntrySigner | undefined {
    return this.#snapshot.signerOf(entry);
  }

  /** The error for an entry that can be read but must not be used; `problem` is a sentence. */
  damaged(entry: number, problem: string): LockfileError {
    return this.#snapshot.damaged(entry, problem);
  }

  /** The UUID of the entry's skin, a new one if it was made again. Cheaper than `read`. */
  uuidOf(entry: number): string {
    return this.#snapshot.uuidOf(entry);
  }

  /** Each source once. */
  sources(): Iterable<string> {
    return this.#snapshot.scan.table.sources();
  }

  /** What was recorded about a source, empty for an entry of an older version; undefined if it has no entry. */
  recordOf(source: string): SourceRecord | undefined {
    const { table } = this.#snapshot.scan;
    const entry = table.firstOf(source);
    return entry === undefined ? undefined : (readRecord(table.recordOf(entry)) ?? NO_RECORD);
  }

  /** The entries about whose source something was recorded. */
  *records(): Generator<{ readonly entry: number; readonly record: SourceRecord }> {
    const { table } = this.#snapshot.scan;
    for (let entry = 0; entry < table.size; entry++) {
      const text = table.recordOf(entry);
      const record = text === '' ? undefined : readRecord(text);
      if (record) yield { entry, record };
    }
  }

  /**
   * Rewrites the file by a rename, merging the changes into its current content. The changes replace all
   * entries of their source; other entries stay if `keep` says so. The changes may read entries of this lockfile
   * while they are iterated. On any error the old file stays unchanged.
   * @param changes sorted by source, by code units
   * @throws LockfileError when a change cannot be written or the file is broken, Error of the file system
   */
  async rewrite(changes: Changes, keep: (source: string) => boolean): Promise<Rewritten> {
    const isFresh = this.#snapshot.isScanned && this.#snapshot.isCurrent();
    const old = isFresh ? this.#snapshot : Snapshot.open(this.#path);
    const target = new MergedFile(old);
    try {
      const counts = await merge(old, changes, keep, target);
      const written = target.finish();
      if (written) this.#exchange(old, target);
      return { written, ...counts };
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

  /** Stores what was found in the file for the next run. */
  cacheScan(): void {
    this.#snapshot.cacheScan();
  }

  close(): void {
    this.#snapshot.close();
  }

  #exchange(old: Snapshot, target: MergedFile): void {
    this.#snapshot.close();
    old.close(); // Windows cannot rename over an open file
    try {
      target.replace();
    } finally {
      this.#snapshot = Snapshot.open(this.#path);
    }
  }
}
