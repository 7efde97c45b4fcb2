import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { reasonOf } from '../../base/error-reasons.ts';
import { flushFiles, makeFolder, renameOver } from '../../base/files.ts';
import { VERSION } from '../../base/version.ts';
import { openSigningKey } from '../../textures/signing-key.ts';
import { NEWEST_SCHEMA } from '../store/meta.ts';
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
  readText,
  removeChecksum,
  SIGNING_KEY,
  STORE,
  sync,
  verifyChecksum,
} from './data-files.ts';
import { discardStaged, finishRestore, nameOfWork, removeLeftovers, STAGED, swapFiles } from './swap.ts';

/** `archive`: a format that pg_restore reads (custom, tar, directory). */
type DumpFormat = 'archive' | 'plain';

/** The table of contents of a dump: the first file in a tar, or a file in a directory. */
const CONTENTS = 'toc.dat';

const START_BYTES = 100;

/** The format of a pg_dump file; undefined for other files. @throws Error of the file system */
export async function dumpFormat(file: string): Promise<DumpFormat | undefined> {
  const isFolder = (await stat(file)).isDirectory();
  const start = await readText(isFolder ? join(file, CONTENTS) : file, START_BYTES, 0);
  if (start.startsWith('PGDMP') || start.startsWith(`${CONTENTS}\0`)) return 'archive';
  return /^--\r?\n-- PostgreSQL database /.test(start) ? 'plain' : undefined;
}

/** The error for a dump in place of our own backup. */
export function asDump(file: string, format: DumpFormat): BackupError {
  if (format === 'archive') {
    const hint = `Check it with skinsmith backup --verify ${file}, and restore it with pg_restore into an empty database.`;
    return new BackupError('backup_unreadable', `${file} is a PostgreSQL dump made by pg_dump.`, hint);
  }
  return new BackupError(
    'backup_unreadable',
    `${file} is a PostgreSQL dump as SQL, which cannot be checked for completeness.`,
    'Restore it with psql into an empty database, and copy that to a folder with skinsmith store copy. To make dumps that can be checked, use pg_dump --format=custom.',
  );
}

interface Reading {
  /** Where to find pg_restore. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** Tables that every store has. */
const TABLES = ['api_keys', 'callers', 'jobs', 'meta', 'skins', 'texture_data', 'textures', 'users'];

/** Reads all of a dump of a store. Returns the version of the schema in it. @throws BackupError */
export async function verifyDump(file: string, reading: Reading): Promise<number> {
  const run = async (...options: string[]) => await pgRestore(file, options, reading);
  const missing = missingIn(await run('--list'));
  if (missing.length > 0) {
    throw new BackupError(
      'backup_unreadable',
      `${file} is not a dump of a whole store: the data of ${missing.join(', ')} is missing.`,
      'Dump the whole database of the store with pg_dump --format=custom',
    );
  }
  const schema = /^schema\t(\d+)/m.exec(await run('--data-only', '--table=meta', '--file=-'))?.[1];
  await run(`--file=${devNull}`);
  if (schema === undefined)
    throw new BackupError('backup_unreadable', `${file} does not state the schema of a store.`);
  return Number(schema);
}

/** Tables of every store, or named in the contents, whose rows are missing. */
function missingIn(contents: string): string[] {
  const named = (kind: string) =>
    [...contents.matchAll(new RegExp(`^\\d+; \\d+ \\d+ ${kind} \\S+ (\\S+) `, 'gm'))].map(
      ([, name = '']) => name,
    );
  const filled = new Set(named('TABLE DATA'));
  return [...new Set([...TABLES, ...named('TABLE(?! DATA)')])].filter((name) => !filled.has(name));
}

const MAX_OUTPUT = 64 * 1024 * 1024;

async function pgRestore(
  file: string,
  options: readonly string[],
  { env, signal }: Reading,
): Promise<string> {
  try {
    const words = [...options, resolve(file)];
    const settings = { env: { ...env, LC_ALL: 'C' }, signal, maxBuffer: MAX_OUTPUT };
    return (await promisify(execFile)('pg_restore', words, settings)).stdout;
  } catch (error) {
    signal.throwIfAborted();
    throw asFailure(file, error as NodeJS.ErrnoException & { stderr?: string });
  }
}

function asFailure(file: string, cause: NodeJS.ErrnoException & { stderr?: string }): unknown {
  const hint =
    'Install the client programs of PostgreSQL, as new as the pg_dump that made the file or newer.';
  if (cause.code === 'ENOENT') {
    const message = `${file} is a PostgreSQL dump. Checking it requires pg_restore, which is not in the PATH.`;
    return new BackupError('pg_restore_missing', message, hint, cause);
  }
  if (typeof cause.code !== 'number') return cause;
  const [reason = ''] = (cause.stderr ?? '').replace(/^pg_restore: (?:error: )?/, '').split('\n');
  if (/unsupported version/.test(reason)) {
    const message = `The pg_restore here is too old for ${file}: ${reason}.`;
    return new BackupError('pg_restore_too_old', message, hint, cause);
  }
  const message = `The dump ${file} is damaged. pg_restore reports: ${reason}.`;
  return new BackupError('backup_damaged', message, 'Use an earlier one.', cause);
}

export interface BackupOptions {
  readonly dataDir: string;
  /** The target, which is replaced once the backup is complete. */
  readonly file: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly signal: AbortSignal;
}

export interface Backup {
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
    await sync(aside); // before it replaces another
    const { size: bytes } = await stat(aside);
    signal.throwIfAborted();
    renameOver(aside, file);
    await flushFiles([], [dirname(file)]);
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

function unwritable(file: string, cause: unknown): Error {
  const { code, message, errcode } = cause as NodeJS.ErrnoException & { errcode?: number };
  const reason = code === 'ENOENT' ? 'the folder does not exist' : reasonOf(code);
  if (errcode === undefined && reason === undefined) return cause as Error;
  const said = `Cannot write the backup ${file}: ${reason ?? message}.`;
  return new BackupError('backup_unwritable', said, undefined, cause);
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
    const message = `The backup ${file} was made by a newer skinsmith, or by a development version before 0.1.0.`;
    throw new BackupError('backup_too_new', message, 'Install the newer version.');
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
    const message = `${file} cannot be read as a backup: ${cause.message}.`;
    throw new BackupError('backup_damaged', message, 'Use a file made by skinsmith backup.', cause);
  });
}

function damaged(file: string, what: string): BackupError {
  const message = `The backup ${file} is damaged: ${what}.`;
  return new BackupError('backup_damaged', message, 'Use an earlier backup.');
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
    const hint = 'Move it aside with --move-aside, or choose another folder with --data';
    throw new BackupError('data_in_the_way', `${dataDir} already holds the data of a service.`, hint);
  }
  const staged = await layOut(dataDir, { file, found });
  const aside = `before-restore-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`;
  try {
    await exchange(dataDir, { staged, aside });
  } catch (error) {
    await discardStaged(dataDir, staged);
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
  // Windows renames no open file: it keeps others away by itself.
  const isHeldOpen = process.platform !== 'win32';
  const outcome = existsSync(store)
    ? await withDatabaseAlone(store, isHeldOpen ? swap : async () => {})
    : 'unusable';
  if (outcome === 'in_use') {
    const message = `A server or another command is using ${dataDir}.`;
    throw new BackupError('data_in_use', message, 'Stop it first.');
  }
  if (outcome === 'unusable' || !isHeldOpen) await swap(); // a damaged store is not in use, and may be the reason for the restore
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
