import { readCacheFile, writeCacheFile } from './cache-file.ts';
import { DigestLines, dayText } from './digest-lines.ts';
import { type FileStamp, isInDoubt } from './file-stamp.ts';

export type { FileStamp };

const DAY = 24 * 60 * 60 * 1000;
/** Days after which the digest of an unseen file is removed. */
const KEPT_DAYS = 90;
/** Days after which a new sighting of a file is worth a write. */
const REFRESH_DAYS = 30;
const DIGEST = /^[0-9a-f]{64}$/;
const MAX_ENTRIES = 500_000;

/** Digests of files from earlier runs, so that a run reads only changed files. Lost or damaged entries are computed again. */
export class DigestCache {
  readonly #path: string;
  readonly #opened: number;
  readonly #lines: DigestLines;
  readonly #today: string;
  readonly #longAgo: string;
  #isChanged = false;
  #isSwept = false;

  private constructor(path: string, opened: number) {
    this.#path = path;
    this.#opened = opened;
    this.#today = dayText(opened);
    this.#longAgo = dayText(opened - REFRESH_DAYS * DAY);
    this.#lines = new DigestLines(readCacheFile(path));
  }

  /** Of a missing, truncated or foreign file, uses whatever can be read. */
  static open(path: string, now: () => number): DigestCache {
    return new DigestCache(path, now());
  }

  /**
   * The digest of a file that has not changed since the digest was stored.
   * @param file absolute path
   */
  get(file: string, stamp: FileStamp): string | undefined {
    if (isInDoubt(stamp, this.#opened)) return undefined;
    const entry = this.#lines.find(file);
    if (entry === undefined || !this.#lines.hasStamp(entry, stamp)) return undefined;
    if (!this.#lines.hasDay(entry, this.#today)) this.#seeToday(entry);
    return this.#lines.digestOf(entry);
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
  setOwn(file: string, stamp: FileStamp, digest: string): void {
    if (!DIGEST.test(digest)) throw new TypeError(`Not a digest: ${digest}`);
    const entry = this.#lines.find(file) ?? (this.#hasRoom() ? this.#lines.add(file) : undefined);
    if (entry === undefined) return;
    this.#lines.set(entry, stamp, this.#today, digest);
    this.#isChanged = true;
  }

  /**
   * Writes everything to disk if anything changed. Keeps files that this run did not see if another run saw
   * them within 90 days. A folder that cannot be written, as in a container, only makes the next run slower.
   */
  save(): void {
    if (!this.#isChanged) return;
    this.#lines.dropBefore(dayText(this.#opened - KEPT_DAYS * DAY));
    this.#isChanged = !writeCacheFile(this.#path, this.#lines.text());
  }

  #seeToday(entry: number): void {
    this.#isChanged ||= this.#lines.dayOf(entry) < this.#longAgo;
    this.#lines.setDay(entry, this.#today);
  }

  /** Past the limit, only files that this run has seen are kept. */
  #hasRoom(): boolean {
    if (this.#lines.count >= MAX_ENTRIES && !this.#isSwept) {
      this.#isSwept = true;
      this.#lines.dropBefore(this.#today);
    }
    return this.#lines.count < MAX_ENTRIES;
  }
}
