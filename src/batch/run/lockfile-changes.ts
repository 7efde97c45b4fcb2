import { posix } from 'node:path';
import type { SourceRecord } from '../../protocol/lock-line.ts';
import type { Member } from '../model/work.ts';

/** A line to be written to the lockfile: a source's result, and where it is known from. */
export interface LockfileChange {
  /** The source, as the lockfile calls it. */
  readonly id: string;
  readonly key: string;
  /** The name by which the source's results call its skin; undefined: the skin's own. */
  readonly name?: string | undefined;
  /** Of a result in the journal. */
  readonly pixels: string | undefined;
  /** The lockfile's entry to take over; undefined: the result is in the journal. */
  readonly entry: number | undefined;
}

/** How the lockfile identifies an entry: the name of its source, and its work key. */
export interface EntryNames {
  sourceOf(entry: number): string;
  workOf(entry: number): string;
}

/** Names of one source's outputs that the lockfile remembers, the latest ones: a line must not grow for ever. */
const MOST_NAMES = 10;

/** What the lockfile has to hold when the batch ends. */
export class LockfileChanges {
  readonly #changes: LockfileChange[] = [];
  /** Entries that stay as they are, by number only: thousands of objects that live on are work for the garbage collector. */
  readonly #kept: number[] = [];
  readonly #sources = new Set<string>();
  readonly #stems = new Set<string>();
  readonly #named = new Set<number>();
  /** What is to be recorded about sources, where that is not in the lockfile. */
  readonly #records = new Map<string, SourceRecord>();

  get isEmpty(): boolean {
    return this.#changes.length === 0 && this.#records.size === 0;
  }

  /** Names in the lockfile of the batch's sources, as far as they were added. */
  get sources(): ReadonlySet<string> {
    return this.#sources;
  }

  /** The names of these sources' outputs. */
  get stems(): ReadonlySet<string> {
    return this.#stems;
  }

  addSource({ id, stem }: Pick<Member, 'id' | 'stem'>): void {
    this.#sources.add(id);
    this.#stems.add(stem);
  }

  /** What is known about a source beside its skin, apart from what the lockfile has. */
  recordOf(id: string): SourceRecord | undefined {
    return this.#records.get(id);
  }

  /** Records the list that names a source, and the files that were written for it: for each name those in one folder. */
  addRecord({ id, stem, record = {} }: Member, list: string | undefined, files: readonly string[]): void {
    const before = this.#records.get(id) ?? record;
    const isListed = list === undefined || list === before.list;
    const known = before.outputs?.find(({ name }) => name === stem)?.files ?? [];
    const isWritten = files.every((file) => known.includes(file));
    if (isListed && isWritten) return;
    const others = before.outputs?.filter(({ name }) => name !== stem).slice(1 - MOST_NAMES) ?? [];
    const folder = posix.dirname(files[0] ?? '');
    const beside = known.filter((file) => posix.dirname(file) === folder);
    const outputs = isWritten
      ? before.outputs
      : [...others, { name: stem, files: [...new Set([...beside, ...files])].sort() }];
    this.#records.set(id, { list: list ?? before.list, outputs });
  }

  /** Whether an entry is used for the first time: of several rows with the same file, the first one names its entry. */
  isFirst(entry: number): boolean {
    if (this.#named.has(entry)) return false;
    this.#named.add(entry);
    return true;
  }

  /**
   * A source has a result: in the lockfile at `entry` (under another source's name if it has `moved`), otherwise in
   * the journal.
   */
  add(
    { id, pixels }: Member,
    known: { key: string; entry?: number; moved?: boolean; name?: string | undefined },
  ): void {
    const { key, entry, moved = false, name } = known;
    if (entry !== undefined && !moved) this.#kept.push(entry);
    else this.#changes.push({ id, key, name, pixels, entry });
  }

  /** In the lockfile's order: all entries of each source that has a new one. */
  sorted(lockfile: EntryNames): LockfileChange[] {
    const beside = this.isEmpty ? [] : this.#besideChanges(lockfile);
    return [...this.#changes, ...beside].sort((a, b) => compare(a.id, b.id) || compare(a.key, b.key));
  }

  /** Kept entries of sources about which anything else has changed: they are written again. */
  #besideChanges(lockfile: EntryNames): LockfileChange[] {
    const ids = new Set([...this.#changes.map(({ id }) => id), ...this.#records.keys()]);
    return this.#kept
      .filter((entry) => ids.has(lockfile.sourceOf(entry)))
      .map((entry) => {
        const [id, key] = [lockfile.sourceOf(entry), lockfile.workOf(entry)];
        return { id, key, pixels: undefined, entry };
      });
  }
}

/** By code units, as the lockfile is sorted. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
