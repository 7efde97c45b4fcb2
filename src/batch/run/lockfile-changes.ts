import type { Member } from '../model/work.ts';

/** A line to be written to the lockfile: a source's result, and where it is known from. */
export interface LockfileChange {
  /** The source, as the lockfile calls it. */
  readonly id: string;
  readonly key: string;
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

/** What the lockfile has to hold when the batch ends. */
export class LockfileChanges {
  readonly #changes: LockfileChange[] = [];
  /** Entries that stay as they are, by number only: thousands of objects that live on are work for the garbage collector. */
  readonly #kept: number[] = [];
  readonly #sources = new Set<string>();

  get isEmpty(): boolean {
    return this.#changes.length === 0;
  }

  /** Remembers a source of the batch: pruning drops all others from the lockfile. */
  addSource({ id }: Pick<Member, 'id'>): void {
    this.#sources.add(id);
  }

  hasSource(id: string): boolean {
    return this.#sources.has(id);
  }

  /**
   * A source has a result: in the lockfile at `entry` (under another source's name if it has `moved`), otherwise in
   * the journal.
   */
  add({ id, pixels }: Member, known: { key: string; entry?: number; moved?: boolean }): void {
    const { key, entry, moved = false } = known;
    if (entry !== undefined && !moved) this.#kept.push(entry);
    else this.#changes.push({ id, key, pixels, entry });
  }

  /** In the lockfile's order: all entries of each source that has a new one. */
  sorted(lockfile: EntryNames): LockfileChange[] {
    const beside = this.#changes.length === 0 ? [] : this.#besideChanges(lockfile);
    return [...this.#changes, ...beside].sort((a, b) => compare(a.id, b.id) || compare(a.key, b.key));
  }

  /** Kept entries of sources that have a change as well: they are written again. */
  #besideChanges(lockfile: EntryNames): LockfileChange[] {
    const ids = new Set(this.#changes.map(({ id }) => id));
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
