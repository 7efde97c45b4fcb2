import { removeLeftovers } from '../files/atomic-file.ts';
import type { LockEntry } from './entry.ts';
import type { Found } from './entry-table.ts';
import { type Changes, merge } from './merge.ts';
import { MergedFile } from './merged-file.ts';
import { Snapshot } from './snapshot.ts';

export interface Rewritten {
  /** False when the file was like that already. */
  readonly written: boolean;
  /** In the file now. */
  readonly entries: number;
  /** Gone, because their source was neither changed nor kept. */
  readonly dropped: number;
}

/**
 * The file that is committed beside the pictures: what was made of each source, one JSON line per entry,
 * sorted by source, so that a diff shows what changed. Entries are known by number, from 0; a rewrite gives
 * out new ones.
 */
export class Lockfile {
  readonly #path: string;
  #snapshot: Snapshot;

  private constructor(path: string, snapshot: Snapshot) {
    this.#path = path;
    this.#snapshot = snapshot;
  }

  /**
   * Opens the lockfile at `path`; without a file it is empty. Hand-edited ones are fine as long as every line
   * is an entry; of several with the same source and work the last one counts.
   * @throws LockfileError when it is something else, LockfileError or Error of the file system
   */
  static async open(path: string, now = Date.now()): Promise<Lockfile> {
    const tidied = removeLeftovers(path, now); // waits for the folder's list while the file is read
    const snapshot = Snapshot.open(path);
    await tidied;
    return new Lockfile(path, snapshot);
  }

  /** Entries. */
  get size(): number {
    return this.#snapshot.scan.table.size;
  }

  /**
   * Looks for a work key: `same`, that source has it; `moved`, another source has it (a renamed file);
   * `changed`, the source has other work only. Undefined: neither is known.
   */
  find(source: string, work: string): Found {
    return this.#snapshot.scan.table.find(source, work);
  }

  /** @throws LockfileError when the entry's line is broken */
  read(entry: number): LockEntry {
    return this.#snapshot.read(entry);
  }

  /** The UUID of the entry's skin: another one when it was made anew. Costs less than `read`. */
  uuidOf(entry: number): string {
    return this.#snapshot.uuidOf(entry);
  }

  /** Each source once. */
  sources(): Iterable<string> {
    return this.#snapshot.scan.table.sources();
  }

  /**
   * Rewrites the file by a rename, with the changes merged into what it holds by then. All entries of a source
   * that has changes are replaced by those; the others stay when `keep` says so. The changes may read entries
   * of this lockfile while they are asked for. Whatever goes wrong, the old file stays as it is.
   * @param changes sorted by source, by code units
   * @throws LockfileError when a change cannot be written or the file is broken by now, Error of the file system
   */
  async rewrite(changes: Changes, keep: (source: string) => boolean): Promise<Rewritten> {
    const old = this.#snapshot.isCurrent() ? this.#snapshot : Snapshot.open(this.#path);
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

  close(): void {
    this.#snapshot.close();
  }

  #exchange(old: Snapshot, target: MergedFile): void {
    this.#snapshot.close();
    old.close(); // Windows renames nothing over a file that is open
    try {
      target.replace();
    } finally {
      this.#snapshot = Snapshot.open(this.#path);
    }
  }
}
