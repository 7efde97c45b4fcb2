import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { renameOver } from '../../base/files.ts';
import type { SourceRecord } from '../../protocol/lock-line.ts';
import type { Lockfile } from '../lockfile/lockfile.ts';
import type { GoneSource } from '../options.ts';
import { isOutputPlace } from './gone-sources.ts';

/** A source that another one has taken the place of: its file or row has a new name. */
export interface Rename {
  readonly from: GoneSource;
  /** The new source, as the lockfile calls it. */
  readonly to: string;
}

/** A source of this run, and its work. */
interface KnownWork {
  readonly id: string;
  readonly key: string;
}

/**
 * The renames among the sources that are gone and those of this run that the lockfile does not have: exactly one gone and
 * exactly one new source have the same work. If there are several, nobody knows which is which.
 */
export function renamesAmong(
  gone: readonly GoneSource[],
  fresh: Iterable<KnownWork>,
  lockfile: Pick<Lockfile, 'entriesOf' | 'workOf'>,
): Rename[] {
  const goneWith = new Map<string, Set<GoneSource>>();
  for (const one of gone)
    for (const entry of lockfile.entriesOf(one.id)) addTo(goneWith, lockfile.workOf(entry), one);
  const freshWith = new Map<string, Set<string>>();
  for (const { id, key } of fresh) if (goneWith.has(key)) addTo(freshWith, key, id);
  const [heirs, origins] = [new Map<GoneSource, Set<string>>(), new Map<string, Set<GoneSource>>()];
  for (const [key, ids] of freshWith) {
    for (const from of goneWith.get(key) ?? []) {
      for (const to of ids) {
        addTo(heirs, from, to);
        addTo(origins, to, from);
      }
    }
  }
  return gone.flatMap((from) => {
    const [to, ...others] = heirs.get(from) ?? [];
    const isOne = to !== undefined && others.length === 0 && origins.get(to)?.size === 1;
    return isOne && !from.isDoubtful ? [{ from, to }] : [];
  });
}

function addTo<K, V>(sets: Map<K, Set<V>>, key: K, value: V): void {
  const set = sets.get(key) ?? new Set();
  sets.set(key, set.add(value));
}

/** An output file before and after its source was renamed; absolute paths. */
export interface MovedOutput {
  readonly from: string;
  readonly to: string;
}

interface OutputFolders {
  readonly lockDir: string;
  readonly folder?: string | undefined;
}

type Outputs = NonNullable<SourceRecord['outputs']>;

/**
 * Gives the output files of a renamed source the name of its new outputs; a file that this run has written already replaces
 * the old one. Returns what has moved, and what to record: files stay where their names have another form, or where the new name
 * is taken or leads out of the folders of outputs. `folder`: that of outputs, beside the lockfile's.
 * @throws Error of the file system
 */
export function moveOutputs(
  { from }: Rename,
  { before = [], after = [], lockDir, folder }: OutputFolders & { before?: Outputs; after?: Outputs },
): { readonly moved: MovedOutput[]; readonly outputs: Outputs } {
  const current = after.at(-1);
  if (!current) return { moved: [], outputs: before };
  const moved: MovedOutput[] = [];
  const files = new Set(current.files);
  const kept = before.map(({ name, files: old }) => {
    const staying = old.filter((file) => {
      const other = renamed(file, name, current.name);
      const target = { from: resolve(lockDir, file), to: resolve(lockDir, other) };
      const isWritten = files.has(other);
      const isProved = target.from !== target.to && from.outputs.includes(target.from);
      const canMove = isProved && (isWritten || isFree(target.to, [lockDir, folder]));
      if (!canMove && !hasMoved(target, [lockDir, folder])) return !files.has(file);
      if (canMove) {
        moveOutput(target, isWritten);
        moved.push(target);
      }
      files.add(other);
      return false;
    });
    return { name, files: staying };
  });
  const others = [...kept, ...after.slice(0, -1)].filter(({ files: some }) => some.length > 0);
  return { moved, outputs: [...others, { name: current.name, files: [...files].sort() }] };
}

/** A file's name with the name of another output; the same if the file is called otherwise. */
function renamed(file: string, name: string, other: string): string {
  const at = file.lastIndexOf(name);
  const end = file.slice(at + name.length);
  return at < 0 || end.includes('/') ? file : file.slice(0, at) + other + end;
}

function isFree(path: string, folders: readonly (string | undefined)[]): boolean {
  return isOutputPlace(path, folders) && !isThere(path);
}

/** By a run that failed before it recorded that. Whoever deletes or moves it again looks at its content first. */
function hasMoved({ from, to }: MovedOutput, folders: readonly (string | undefined)[]): boolean {
  return !isThere(from) && isThere(to) && isOutputPlace(to, folders);
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function moveOutput({ from, to }: MovedOutput, isWritten: boolean): void {
  if (isWritten) {
    rmSync(from, { force: true });
    return;
  }
  mkdirSync(dirname(to), { recursive: true });
  renameOver(from, to);
}
