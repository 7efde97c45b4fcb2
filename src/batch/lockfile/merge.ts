import { lineOf } from '../../protocol/lock-line.ts';
import { safeParse } from '../../protocol/parsing.ts';
import { type LockEntry, lockEntrySchema, problemOf, workOf } from './entry.ts';
import { LONGEST_LINE } from './entry-line.ts';
import { LockfileError } from './lockfile-error.ts';
import type { MergedFile } from './merged-file.ts';
import type { Snapshot } from './snapshot.ts';

export type Changes = AsyncIterable<LockEntry> | Iterable<LockEntry>;

export interface MergeCounts {
  /** Entries in the new file. */
  readonly entries: number;
  /** Old entries whose source is neither changed nor kept. */
  readonly dropped: number;
}

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
    while (this.#next() === source) this.#at++;
    for (const line of lines) this.#target.add(Buffer.from(line + this.#old.scan.lineEnd));
    this.#entries += lines.length;
  }

  end(): MergeCounts {
    this.#passUntil(() => false);
    return { entries: this.#entries, dropped: this.#dropped };
  }

  #next(): string | undefined {
    const { table } = this.#old.scan;
    return this.#at < table.size ? table.sourceOf(this.#at) : undefined;
  }

  #passUntil(isEnd: (source: string) => boolean): void {
    for (let source = this.#next(); source !== undefined && !isEnd(source); source = this.#next()) {
      if (this.#keep(source)) this.#pass(this.#at);
      else this.#dropped++;
      this.#at++;
    }
  }

  #pass(entry: number): void {
    const { table, isEnded, lineEnd } = this.#old.scan;
    const { offset, length } = table.placeOf(entry);
    this.#target.keep(offset, length);
    if (!isEnded && offset + length === this.#old.size) this.#target.add(Buffer.from(lineEnd));
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
    const line = writable(change, path);
    lines.set(workOf(change), line);
  }
  if (source !== undefined) yield { source, lines: inOrder(lines) };
}

function inOrder(lines: ReadonlyMap<string, string>): readonly string[] {
  if (lines.size === 1) return [...lines.values()];
  return [...lines].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
}

/** The change's line. A line that could not be read back must not get into the file. */
function writable(change: LockEntry, path: string): string {
  const { error, data } = safeParse(lockEntrySchema, change);
  if (!data) throw unwritable(change, problemOf(error), path);
  const line = lineOf(data);
  if (Buffer.byteLength(line) > LONGEST_LINE) throw unwritable(change, 'it is too long', path);
  return line;
}

function unwritable({ source }: LockEntry, problem: string, path: string): LockfileError {
  const reason = `The entry of ${source} cannot be written: ${problem}.`;
  return new LockfileError('lockfile_invalid', { path, reason });
}
