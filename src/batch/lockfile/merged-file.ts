import { Replacement } from '../../base/atomic-file.ts';
import { changedInUse } from './lockfile-error.ts';
import type { Snapshot } from './snapshot.ts';

const BUFFER = 256 * 1024;

/**
 * The lockfile that replaces the old one: assembled from ranges of the old one and from new lines. Nothing is
 * written while the result is identical to the start of the old file.
 */
export class MergedFile {
  readonly #old: Snapshot;
  #file: Replacement | undefined;
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER);
  #used = 0;
  /** The pending range of the old file, not copied yet. */
  #from = 0;
  #to = 0;

  constructor(old: Snapshot) {
    this.#old = old;
  }

  /** Appends `length` bytes of the old file. */
  keep(offset: number, length: number): void {
    if (offset !== this.#to) {
      this.#copyRange();
      this.#from = offset;
    }
    this.#to = offset + length;
  }

  /** Appends new bytes, which may turn out to equal the old ones. */
  add(bytes: Buffer): void {
    if (this.#isUnwritten() && this.#comesNext(bytes)) {
      this.#to += bytes.length;
      return;
    }
    this.#copyRange();
    this.#put(bytes);
  }

  /** Flushes everything to disk; false if the result equals the old file and nothing was written. */
  finish(): boolean {
    if (this.#isUnwritten() && this.#from === 0 && this.#to === this.#old.size) return false;
    this.#copyRange();
    this.#flush();
    this.#file?.close(true);
    return true;
  }

  /** Replaces the old file. Call `finish` first. */
  replace(): void {
    this.#file?.replace(true);
  }

  discard(): void {
    this.#file?.discard();
  }

  #isUnwritten(): boolean {
    return this.#file === undefined && this.#used === 0;
  }

  #comesNext(bytes: Buffer): boolean {
    const there = Buffer.allocUnsafe(bytes.length);
    const read = this.#old.copy(there, 0, this.#to, this.#to + bytes.length);
    return read === bytes.length && there.equals(bytes);
  }

  #copyRange(): void {
    while (this.#from < this.#to) {
      const to = Math.min(this.#to, this.#from + BUFFER - this.#used);
      const read = this.#old.copy(this.#buffer, this.#used, this.#from, to);
      if (read === 0) throw changedInUse(this.#old.path);
      this.#used += read;
      this.#from += read;
      if (this.#used === BUFFER) this.#flush();
    }
  }

  #put(bytes: Buffer): void {
    if (bytes.length > BUFFER - this.#used) this.#flush();
    this.#used += bytes.copy(this.#buffer, this.#used);
  }

  #flush(): void {
    this.#file ??= new Replacement(this.#old.path);
    this.#file.write(this.#buffer.subarray(0, this.#used));
    this.#used = 0;
  }
}
