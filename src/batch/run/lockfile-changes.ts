import type { Member } from '../model/work.ts';

/** A line to be written to the lockfile: a source's result, and where it is known from. */
export interface LockfileChange {
  /** The source, as the lockfile calls it. */
  readonly id: string;
  readonly key: string;
  readonly pixels: string | undefined;
  /** The lockfile's entry to take over; undefined: the result is in the journal. */
  readonly entry: number | undefined;
}

/** What the lockfile has to hold when the batch ends. */
export class LockfileChanges {
  readonly #changes: LockfileChange[] = [];
  /** Entries that stay as they are: rewritten if the same source has a change as well. */
  readonly #kept: LockfileChange[] = [];
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
    const list = entry !== undefined && !moved ? this.#kept : this.#changes;
    list.push({ id, key, pixels, entry });
  }

  /** In the lockfile's order: all entries of each source that has a new one. */
  sorted(): LockfileChange[] {
    const ids = new Set(this.#changes.map(({ id }) => id));
    const beside = ids.size === 0 ? [] : this.#kept.filter(({ id }) => ids.has(id));
    return [...this.#changes, ...beside].sort((a, b) => compare(a.id, b.id) || compare(a.key, b.key));
  }
}

/** By code units, as the lockfile is sorted. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
