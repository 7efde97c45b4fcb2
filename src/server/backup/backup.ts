import { existsSync } from 'node:fs';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { reasonOf } from '../../base/error-reasons.ts';
import { VERSION } from '../../base/version.ts';
import { type AttachedFiles, copyDatabase } from '../store/sqlite-copy.ts';
import {
  ABOUT,
  type About,
  ATTACHED,
  appendChecksum,
  BackupError,
  digestOf,
  type KeyFile,
  missingKeys,
  STORE,
} from './data-files.ts';
import { finishRestore, nameOfWork, removeLeftovers } from './swap.ts';

export interface BackupOptions {
  readonly dataDir: string;
  /** The target, which is replaced once the backup is complete. */
  readonly file: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/** A finished backup. */
export interface Backup {
  /** Its size. */
  readonly bytes: number;
  /** Keys of the service outside the data folder, which the backup lacks. */
  readonly missing: readonly KeyFile[];
}

/**
 * Writes everything the service keeps in a data folder to one file (mode 0600), in its state at one moment, while
 * servers may continue. If the process is killed, a previous file stays as it was.
 * @throws BackupError; the signal's reason when it is aborted
 */
export async function backUp({ dataDir, file, now, signal }: BackupOptions): Promise<Backup> {
  await finishRestore(dataDir, now);
  const store = join(dataDir, STORE);
  if (!existsSync(store)) throw new BackupError('no_data', `No service data in ${dataDir}.`);
  const attached = await attachedOf(dataDir, now);
  const isUnfinished = (name: string) =>
    name.startsWith(`.${basename(file)}.`) && /\.tmp(-journal)?$/.test(name);
  await removeLeftovers(dirname(file), isUnfinished, now).catch(() => {}); // a problem with the folder is reported below
  const aside = join(dirname(file), `.${basename(file)}.${nameOfWork()}.tmp`);
  await makePrivateFile(aside).catch((error: unknown) => {
    throw unwritable(file, error);
  });
  try {
    await copyDatabase(store, aside, { attached, onStep: () => signal.throwIfAborted() });
    const missing = await missingKeys(aside, attached);
    await appendChecksum(aside);
    const bytes = await settle(aside);
    signal.throwIfAborted();
    await rename(aside, file);
    return { bytes, missing };
  } catch (error) {
    if (signal.aborted) throw error;
    throw unwritable(file, error);
  } finally {
    for (const name of [aside, `${aside}-journal`]) await rm(name, { force: true });
  }
}

async function attachedOf(dataDir: string, now: number): Promise<AttachedFiles> {
  const there = ATTACHED.filter((name) => existsSync(join(dataDir, name)));
  const contents = await Promise.all(there.map((name) => readFile(join(dataDir, name))));
  const files = Object.fromEntries(there.map((name, n) => [name, contents[n]!]));
  const digests = Object.fromEntries(there.map((name, n) => [name, digestOf(contents[n]!)]));
  const about: About = { format: 1, version: VERSION, time: now, files: digests };
  return { ...files, [ABOUT]: Buffer.from(JSON.stringify(about)) };
}

/** Sets the mode before the file contains secrets. */
async function makePrivateFile(path: string): Promise<void> {
  await (await open(path, 'wx', 0o600)).close();
}

/** Syncs the file to the disk before it replaces another. Returns its size. */
async function settle(path: string): Promise<number> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  return (await stat(path)).size;
}

function unwritable(file: string, cause: unknown): Error {
  const { code, message, errcode } = cause as NodeJS.ErrnoException & { errcode?: number };
  const reason = code === 'ENOENT' ? 'the folder does not exist' : reasonOf(code);
  if (errcode === undefined && reason === undefined) return cause as Error;
  return new BackupError('backup_unwritable', `Cannot write the backup ${file}: ${reason ?? message}.`, {
    cause,
  });
}
