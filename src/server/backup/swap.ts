import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { makeFolder, processExists } from '../../base/files.ts';
import { acquireLock } from '../../base/process-lock.ts';
import { DATA_FILES } from './data-files.ts';

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

/** Milliseconds between two looks whether another process has completed the same restore. */
const PAUSE = 20;

/**
 * Exchanges the files, completely once the note exists.
 * @throws LockFileError; Error of the file system
 */
export async function swapFiles(dataDir: string, swap: Swap): Promise<void> {
  await writeDurably(join(dataDir, swap.staged, NOTE), JSON.stringify(swap));
  await rename(join(dataDir, swap.staged, NOTE), join(dataDir, NOTE));
  await finishSwap(dataDir);
}

/**
 * Completes a killed restore, or deletes the files of one that was killed before its note. Two processes may do this
 * at once.
 * @throws LockFileError; Error of the file system
 */
export async function finishRestore(dataDir: string, now: number): Promise<void> {
  if (!existsSync(dataDir)) return;
  await finishSwap(dataDir);
  await removeLeftovers(dataDir, (name) => name.startsWith(STAGED), now);
}

async function finishSwap(dataDir: string): Promise<void> {
  for (let swap = await readNote(dataDir); swap; swap = await readNote(dataDir)) {
    try {
      if (!(await swapAlone(dataDir, swap))) await sleep(PAUSE);
    } catch (error) {
      // Another process that completes this restore removes the folder with the lock at the end.
      if ((await readNote(dataDir))?.staged === swap.staged) throw error;
    }
  }
}

/** One process at a time, because a slower one would take new files for old ones. Answers whether it was this one. */
async function swapAlone(dataDir: string, swap: Swap): Promise<boolean> {
  const from = join(dataDir, swap.staged);
  const lock = await acquireLock(join(from, 'lock'), 'restore');
  if ('holder' in lock) return false;
  try {
    if ((await readNote(dataDir))?.staged === swap.staged) await moveFiles(dataDir, swap);
  } finally {
    lock.release();
  }
  await rm(from, { recursive: true, force: true, maxRetries: 3 });
  return true;
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
    if (!existsSync(join(to, name))) await moveIfThere(join(dataDir, name), join(to, name));
  }
  for (const name of DATA_FILES) await moveIfThere(join(dataDir, staged, name), join(dataDir, name));
  await rm(join(dataDir, NOTE), { force: true });
}

async function moveIfThere(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
