import { lstatSync, mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { renameOver } from '../../base/files.ts';
import type { LockEntry, SourceRecord } from '../../protocol/lock-line.ts';
import { LockfileError } from '../lockfile/entries.ts';
import type { Lockfile } from '../lockfile/lockfile.ts';
import type { Coverage } from '../model.ts';
import { isGone, sourcePath } from '../names.ts';
import type { GoneSource, OwnOutputs } from '../options.ts';
import { isUndamaged } from '../signers.ts';

/** What a run knows about the sources in the lockfile. */
export interface KnownSources {
  readonly lockfile: Lockfile;
  /** Folder of the lockfile. */
  readonly lockDir: string;
  readonly coverage: Coverage;
  /** Names in the lockfile of this run's sources, and the names of their outputs. */
  readonly sources: ReadonlySet<string>;
  readonly stems: ReadonlySet<string>;
  /** Absent: no output file counts as ours. */
  readonly outputs: OwnOutputs | undefined;
}

/** Bytes; no output file has more. */
const LARGEST_OUTPUT = 1_000_000;

/**
 * The sources in the lockfile that the run would have met if they still existed: files of a folder that was walked whole,
 * and what a list named that was read whole. All others may be sources of another run.
 */
export function goneSources(known: KnownSources): GoneSource[] {
  const { lockfile, lockDir, coverage, sources } = known;
  const gone: GoneSource[] = [];
  for (const id of lockfile.sources()) {
    if (sources.has(id)) continue;
    const path = sourcePath(id, lockDir);
    const folder = path === undefined ? undefined : coverage.folderOf(path);
    const list = lockfile.recordOf(id)?.list;
    const isUnlisted = list !== undefined && coverage.hasList(resolve(lockDir, list));
    if (!isUnlisted && !(folder && isGone(id, lockDir))) continue;
    const label = labelOf(id, lockDir);
    gone.push({ id, label, outputs: [], isDoubtful: !isUnlisted && folder?.isEmpty === true });
  }
  return gone.length === 0 ? gone : withOutputs(gone, known);
}

/** A source in messages. */
export function labelOf(id: string, lockDir: string): string {
  const path = sourcePath(id, lockDir);
  return path === undefined ? id : relative(process.cwd(), path);
}

function withOutputs(gone: readonly GoneSource[], known: KnownSources): GoneSource[] {
  const { lockfile, lockDir, stems, outputs: own } = known;
  if (!own) return [...gone];
  const ids = new Set(gone.map(({ id }) => id));
  const used = new Set<string>(); // by sources that stay
  for (const { entry, record } of lockfile.records()) {
    if (ids.has(lockfile.sourceOf(entry))) continue;
    for (const { files } of record.outputs ?? []) for (const file of files) used.add(resolve(lockDir, file));
  }
  return gone.map((one) => {
    const recorded = lockfile.recordOf(one.id)?.outputs?.filter(({ name }) => !stems.has(name)) ?? [];
    const paths = recorded.flatMap(({ files }) => files.map((file) => resolve(lockDir, file)));
    const entries = paths.length === 0 ? [] : soundEntries(lockfile, one.id);
    const isOurs = (path: string) =>
      !used.has(path) &&
      isOutputPlace(path, [lockDir, own.folder]) &&
      holdsSkin(path, entries) &&
      own.hasForm(path);
    return { ...one, outputs: paths.filter(isOurs) };
  });
}

/**
 * Whether outputs may be at a path: below one of the folders that the user named, also by links, and neither hidden nor below a
 * hidden folder. Whoever wrote the lockfile chose the path.
 */
export function isOutputPlace(path: string, folders: readonly (string | undefined)[]): boolean {
  return folders.some(
    (folder) => folder !== undefined && isVisibleBelow(folder, path) && isReallyBelow(folder, path),
  );
}

function isReallyBelow(folder: string, path: string): boolean {
  try {
    return isVisibleBelow(realpathSync(folder), join(realpathSync(folderAbove(path)), basename(path)));
  } catch {
    return false;
  }
}

function isVisibleBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(sep).every((part) => part !== '' && !part.startsWith('.'));
}

/** The nearest folder above a path that is there. */
function folderAbove(path: string): string {
  const above = dirname(path);
  return above === path || lstatSync(above, { throwIfNoEntry: false }) ? above : folderAbove(above);
}

function soundEntries(lockfile: Lockfile, id: string): LockEntry[] {
  try {
    return lockfile.readAll(id).filter(isUndamaged);
  } catch (error) {
    if (error instanceof LockfileError) return []; // its files stay
    throw error;
  }
}

/** Whether a plain file has the skin data of an entry. */
function holdsSkin(path: string, entries: readonly LockEntry[]): boolean {
  try {
    const found = lstatSync(path);
    if (!found.isFile() || found.size > LARGEST_OUTPUT) return false;
    const text = readFileSync(path, 'utf8');
    return entries.some(({ value, signature }) => text.includes(value) || text.includes(signature));
  } catch {
    return false; // removed already, or not readable
  }
}

/** Whether nothing would be left of a folder or of the lockfile: the user has to allow that. */
export function wouldEmpty(gone: readonly GoneSource[], lockfile: Lockfile): boolean {
  if (gone.some(({ isDoubtful }) => isDoubtful)) return true;
  return gone.length > 0 && gone.length === Iterator.from(lockfile.sources()).reduce((count) => count + 1, 0);
}

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
