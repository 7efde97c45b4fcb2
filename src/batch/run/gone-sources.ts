import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { LockEntry } from '../../protocol/lock-line.ts';
import { isGone, LockfileError, sourcePath } from '../lockfile/entries.ts';
import type { Lockfile } from '../lockfile/lockfile.ts';
import type { Coverage } from '../model.ts';
import type { GoneSource, OwnOutputs } from '../options.ts';
import { isUndamaged } from '../plan/signer-rule.ts';

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
