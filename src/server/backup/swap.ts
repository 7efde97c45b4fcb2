import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { flushFiles, makeFolder, processExists, renameOver, writeDurably } from '../../base/files.ts';
import { acquireLock, type LockHolder } from '../../base/process-lock.ts';
import { BackupError, DATA_FILES } from './data-files.ts';

/** Milliseconds after which a temporary file of another machine, or of an older program, counts as abandoned. */
const ABANDONED_AGE = 60 * 60_000;
const NAME = /([0-9a-f]{8})-(\d+)-[0-9a-f]{12}/;

/** A name for a temporary file or folder that identifies the process and machine that write it. */
export function nameOfWork(): string {
  return `${thisMachine()}-${process.pid}-${randomBytes(6).toString('hex')}`;
}

/**
 * Deletes unfinished files of killed processes, which may hold a signing key and a whole store. @param isWork whether
 * a name in the folder belongs to such files
 */
export async function removeLeftovers(
  folder: string,
  isWork: (name: string) => boolean,
  now: number,
): Promise<void> {
  for (const name of (await readdir(folder)).filter(isWork)) {
    const path = join(folder, name);
    const { mtimeMs } = (await stat(path).catch(() => undefined)) ?? {}; // another process may also delete it
    if (mtimeMs === undefined || !isAbandoned(name, { mtimeMs, now })) continue;
    await rm(path, { recursive: true, force: true });
  }
}

function isAbandoned(name: string, { mtimeMs, now }: { mtimeMs: number; now: number }): boolean {
  const [, machine, pid] = NAME.exec(name) ?? [];
  if (machine !== thisMachine()) return mtimeMs <= now - ABANDONED_AGE;
  // A container always starts with the same process ID.
  if (Number(pid) === process.pid) return mtimeMs < Date.now() - process.uptime() * 1000;
  return !processExists(Number(pid));
}

function thisMachine(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
}

/**
 * Several files cannot be replaced in one atomic step. So the new ones first go into a folder of their own; then a
 * note states that they replace the old ones. From that moment, the restore counts as done: if the process is killed,
 * the next start completes it.
 */
const NOTE = 'restore.json';

/** The prefix of folders with new files. */
export const STAGED = '.restore-';

const swapSchema = z.object({
  /** Folder inside the data folder with the new files. */
  staged: z.string().regex(/^\.restore-[\w-]+$/),
  /** Folder inside the data folder for the old files. */
  aside: z.string().regex(/^before-restore-[\w-]+$/),
  /** The old files that existed. */
  old: z.array(z.enum(DATA_FILES)),
});
export type Swap = z.infer<typeof swapSchema>;

/** Milliseconds between checks whether another process has completed the same restore. */
const PAUSE = 20;
/** Milliseconds for which to wait for that process, which only renames files. */
const PATIENCE = 10_000;

/**
 * Exchanges the files, completely once the note exists.
 * @throws BackupError `data_in_use`; LockFileError; Error of the file system
 */
export async function swapFiles(dataDir: string, swap: Swap): Promise<void> {
  await writeDurably(join(dataDir, swap.staged, NOTE), JSON.stringify(swap));
  await rename(join(dataDir, swap.staged, NOTE), join(dataDir, NOTE));
  await flushFiles([], [dataDir]);
  await finishSwap(dataDir, PATIENCE);
}

/** Deletes the new files of a failed restore, unless the note exists: then they still replace the old ones. */
export async function discardStaged(dataDir: string, staged: string): Promise<void> {
  if ((await readNote(dataDir))?.staged === staged) return;
  await rm(join(dataDir, staged), { recursive: true, force: true });
}

/**
 * Completes a killed restore, or deletes the files of one that was killed before its note. Two processes may do this
 * at once. @param patience milliseconds for which to wait for the other one
 * @throws BackupError `data_in_use`; LockFileError; Error of the file system
 */
export async function finishRestore(dataDir: string, now: number, patience = PATIENCE): Promise<void> {
  if (!existsSync(dataDir)) return;
  await finishSwap(dataDir, patience);
  await removeLeftovers(dataDir, (name) => name.startsWith(STAGED), now);
}

async function finishSwap(dataDir: string, patience: number): Promise<void> {
  const end = performance.now() + patience;
  for (let swap = await readNote(dataDir); swap; swap = await readNote(dataDir)) {
    try {
      const other = await swapAlone(dataDir, swap);
      if (other && performance.now() >= end) throw stuck(dataDir, other.holder);
      if (other) await sleep(PAUSE);
    } catch (error) {
      // Another process that completes this restore removes the folder with the lock at the end.
      if ((await readNote(dataDir))?.staged === swap.staged) throw error;
    }
  }
}

function stuck(dataDir: string, holder: LockHolder | undefined): BackupError {
  const who = holder ? `Process ${holder.pid}` : 'Another process';
  const message = `${who} is completing a restore into ${dataDir} and does not finish.`;
  const hint = 'It may be stopped or hang. End it, then try again: the restore is completed then.';
  return new BackupError('data_in_use', message, hint);
}

/**
 * One process at a time, because a slower one would take new files for old ones.
 * @returns the other process that does this; undefined: this one has done it
 */
async function swapAlone(
  dataDir: string,
  swap: Swap,
): Promise<{ readonly holder: LockHolder | undefined } | undefined> {
  const from = join(dataDir, swap.staged);
  const lock = await acquireLock(join(from, 'lock'), 'restore');
  if ('holder' in lock) return lock;
  try {
    if ((await readNote(dataDir))?.staged === swap.staged) await moveFiles(dataDir, swap);
  } finally {
    lock.release();
  }
  await rm(from, { recursive: true, force: true, maxRetries: 3 });
  return undefined;
}

async function readNote(dataDir: string): Promise<Swap | undefined> {
  try {
    return swapSchema.parse(JSON.parse(await readFile(join(dataDir, NOTE), 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function moveFiles(dataDir: string, { staged, aside, old }: Swap): Promise<void> {
  const to = join(dataDir, aside);
  if (old.length > 0) makeFolder(to, 0o700);
  for (const name of old) {
    // A file already moved aside was moved before the process was killed; the one in its place is new.
    if (!existsSync(join(to, name))) moveIfThere(join(dataDir, name), join(to, name));
  }
  for (const name of DATA_FILES) moveIfThere(join(dataDir, staged, name), join(dataDir, name));
  await flushFiles([], [dataDir]); // before nothing knows any more what was to be moved
  await rm(join(dataDir, NOTE), { force: true });
}

function moveIfThere(from: string, to: string): void {
  if (existsSync(from)) renameOver(from, to);
}
