import { existsSync } from 'node:fs';
import { chmod, copyFile, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { reasonOf } from '../../base/error-reasons.ts';
import { makeFolder } from '../../base/files.ts';
import { VERSION } from '../../base/version.ts';
import { openSigningKey } from '../../textures/signing-key.ts';
import { NEWEST_SCHEMA } from '../store/meta.ts';
import { FIRST_SCHEMA } from '../store/schema/first-schema.ts';
import {
  type AttachedFiles,
  type CopyFound,
  copyDatabase,
  dropAttachedFiles,
  inspectCopy,
  withDatabaseAlone,
} from '../store/sqlite-copy.ts';
import {
  ABOUT,
  type About,
  ATTACHED,
  aboutSchema,
  appendChecksum,
  BackupError,
  DATA_FILES,
  digestOf,
  type KeyFile,
  missingKeys,
  removeChecksum,
  SIGNING_KEY,
  STORE,
  verifyChecksum,
} from './data-files.ts';
import { asDump, dumpFormat } from './postgres-dump.ts';
import { finishRestore, nameOfWork, removeLeftovers, STAGED, swapFiles } from './swap.ts';

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

export interface ReadBackup {
  readonly found: CopyFound;
  readonly about: About;
  /** SHA-256 of the whole file, hexadecimal. */
  readonly digest: string;
}

/** Reads a backup after checking that it is usable. @throws BackupError */
export async function readBackup(file: string): Promise<ReadBackup> {
  if (!existsSync(file)) throw new BackupError('backup_unreadable', `No file ${file}.`);
  const format = await dumpFormat(file).catch(() => undefined); // an unreadable file is reported below
  if (format) throw asDump(file, format);
  const checked = await unlessUnreadable(file, verifyChecksum(file));
  if (checked.kind === 'broken') throw damaged(file, 'its contents have changed');
  const found = await unlessUnreadable(file, inspectCopy(file));
  if (!found) throw new BackupError('backup_unreadable', `${file} is not a backup made by skinsmith backup.`);
  if (found.schema !== undefined && found.schema > NEWEST_SCHEMA) {
    throw new BackupError('backup_too_new', `The backup ${file} was made by a newer skinsmith.`, {
      hint: 'Install the newer version.',
    });
  }
  if (found.schema !== undefined && found.schema < FIRST_SCHEMA) {
    throw new BackupError(
      'backup_too_old',
      `The backup ${file} was made by a development version of skinsmith before 0.1.0.`,
      { hint: 'No release can read it. Use a newer backup.' },
    );
  }
  if (found.fault !== undefined) throw damaged(file, found.fault);
  const about = readAbout(found.attached[ABOUT]);
  if (!about) throw damaged(file, 'it has no description');
  const wrong = ATTACHED.find((name) => !isAsMade(found.attached[name], about.files[name]));
  if (wrong) throw damaged(file, `${wrong} has changed`);
  if (checked.kind === 'none') throw damaged(file, 'its end is missing or changed');
  return { found, about, digest: checked.digest };
}

async function unlessUnreadable<T>(file: string, reading: Promise<T>): Promise<T> {
  return await reading.catch((cause: Error) => {
    throw new BackupError('backup_damaged', `${file} cannot be read as a backup: ${cause.message}.`, {
      hint: 'Use a file made by skinsmith backup.',
      cause,
    });
  });
}

function damaged(file: string, what: string): BackupError {
  return new BackupError('backup_damaged', `The backup ${file} is damaged: ${what}.`, {
    hint: 'Use an earlier backup.',
  });
}

function readAbout(text: Uint8Array | undefined): About | undefined {
  try {
    return text && aboutSchema.safeParse(JSON.parse(Buffer.from(text).toString('utf8'))).data;
  } catch {
    return undefined; // not JSON
  }
}

function isAsMade(content: Uint8Array | undefined, digest: string | undefined): boolean {
  return (content && digestOf(content)) === digest;
}

export interface RestoreOptions {
  readonly dataDir: string;
  readonly file: string;
  /** Whether existing data may be moved aside. */
  readonly force: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Restored {
  /** When the backup was made, in milliseconds since the epoch, and the version of the program that made it. */
  readonly time: number;
  readonly version: string;
  /** Where the previous data is; undefined if there was none. */
  readonly aside: string | undefined;
}

/**
 * Restores a backup into a data folder that no server uses. If the process is killed, the restore either has happened
 * or not; the next start completes it.
 * @throws BackupError
 */
export async function restore({ dataDir, file, force, now }: RestoreOptions): Promise<Restored> {
  const { found, about } = await readBackup(file);
  makeFolder(dataDir, 0o700);
  await finishRestore(dataDir, now);
  const hasData = [STORE, SIGNING_KEY].some((name) => existsSync(join(dataDir, name)));
  if (hasData && !force) {
    throw new BackupError('data_in_the_way', `${dataDir} already holds the data of a service.`, {
      hint: 'Move it aside with --force, or choose another folder with --data',
    });
  }
  const staged = await layOut(dataDir, { file, found });
  const aside = `before-restore-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`;
  try {
    await exchange(dataDir, { staged, aside });
  } catch (error) {
    await rm(join(dataDir, staged), { recursive: true, force: true });
    throw error;
  }
  const { time, version } = about;
  return { time, version, aside: hasData ? join(dataDir, aside) : undefined };
}

async function exchange(dataDir: string, names: { staged: string; aside: string }): Promise<void> {
  const swap = async () => {
    const old = DATA_FILES.filter((name) => existsSync(join(dataDir, name)));
    await swapFiles(dataDir, { ...names, old });
  };
  const store = join(dataDir, STORE);
  const outcome = existsSync(store) ? await withDatabaseAlone(store, swap) : 'unusable';
  if (outcome === 'in_use') {
    throw new BackupError('data_in_use', `A server or another command is using ${dataDir}.`, {
      hint: 'Stop it first.',
    });
  }
  if (outcome === 'unusable') await swap(); // a damaged store is not in use, and may be the reason for the restore
}

/** Writes the new files to a folder inside the data folder and syncs them to the disk. Returns its name. */
async function layOut(dataDir: string, { file, found }: { file: string; found: CopyFound }): Promise<string> {
  const folder = join(dataDir, `${STAGED}${nameOfWork()}`);
  makeFolder(folder, 0o700);
  try {
    const store = join(folder, STORE);
    await copyFile(file, store);
    await chmod(store, 0o600);
    await removeChecksum(store);
    await dropAttachedFiles(store);
    for (const name of ATTACHED) {
      const content = found.attached[name];
      if (content) await writeFile(join(folder, name), content, { mode: 0o600 });
    }
    // Finds an unusable key now, and not after the old one is gone.
    if (found.attached[SIGNING_KEY]) await openSigningKey(join(folder, SIGNING_KEY));
    for (const name of DATA_FILES) if (existsSync(join(folder, name))) await sync(join(folder, name));
    return basename(folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
