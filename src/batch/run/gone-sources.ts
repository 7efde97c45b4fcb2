import { lstatSync, readFileSync, rmSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { LockEntry } from '../lockfile/entries.ts';
import { LockfileError } from '../lockfile/entries.ts';
import type { Lockfile } from '../lockfile/lockfile.ts';
import { isGone, sourcePath } from '../lockfile/source-ids.ts';
import type { Coverage } from '../model/coverage.ts';
import type { GoneSource } from '../options/events.ts';

/** What a run knows about the sources in the lockfile. */
export interface KnownSources {
  readonly lockfile: Lockfile;
  /** Folder of the lockfile. */
  readonly lockDir: string;
  readonly coverage: Coverage;
  /** Names in the lockfile of this run's sources, and the names of their outputs. */
  readonly sources: ReadonlySet<string>;
  readonly stems: ReadonlySet<string>;
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
    const label = path === undefined ? id : relative(process.cwd(), path);
    gone.push({ id, label, outputs: [], isDoubtful: !isUnlisted && folder?.isEmpty === true });
  }
  return gone.length === 0 ? gone : withOutputs(gone, known);
}

function withOutputs(gone: readonly GoneSource[], { lockfile, lockDir, stems }: KnownSources): GoneSource[] {
  const ids = new Set(gone.map(({ id }) => id));
  const used = new Set<string>(); // by sources that stay
  for (const { entry, record } of lockfile.records()) {
    if (ids.has(lockfile.sourceOf(entry))) continue;
    for (const { files } of record.outputs ?? []) for (const file of files) used.add(file);
  }
  return gone.map((one) => {
    const outputs = lockfile.recordOf(one.id)?.outputs?.filter(({ name }) => !stems.has(name)) ?? [];
    const files = outputs.flatMap((output) => output.files);
    const entries = files.length === 0 ? [] : soundEntries(lockfile, one.id);
    const own = files.filter((file) => !used.has(file)).map((file) => resolve(lockDir, file));
    return { ...one, outputs: own.filter((path) => holdsSkin(path, entries)) };
  });
}

function soundEntries(lockfile: Lockfile, id: string): LockEntry[] {
  try {
    return lockfile.readAll(id);
  } catch (error) {
    if (error instanceof LockfileError) return []; // its files stay
    throw error;
  }
}

/** Whether a file has the skin data of an entry. Only such a file is removed, whatever paths the lockfile says. */
function holdsSkin(path: string, entries: readonly LockEntry[]): boolean {
  try {
    const found = lstatSync(path);
    if (!found.isFile() || found.size > LARGEST_OUTPUT) return false;
    const text = readFileSync(path, 'utf8');
    return entries.some(
      ({ value, signature }) => text.includes(value) || (signature !== '' && text.includes(signature)),
    );
  } catch {
    return false; // removed already, or not readable
  }
}

/** Whether nothing would be left of a folder or of the lockfile: the user has to allow that. */
export function wouldEmpty(gone: readonly GoneSource[], lockfile: Lockfile): boolean {
  if (gone.some(({ isDoubtful }) => isDoubtful)) return true;
  return gone.length > 0 && gone.length === Iterator.from(lockfile.sources()).reduce((count) => count + 1, 0);
}

/** @throws Error of the file system */
export function removeOutputs(gone: readonly GoneSource[]): void {
  for (const { outputs } of gone) for (const path of outputs) rmSync(path, { force: true });
}
