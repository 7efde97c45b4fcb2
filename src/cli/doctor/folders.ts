import { randomUUID } from 'node:crypto';
import { access, constants, open, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { meaningOf } from '../errors/system-report.ts';
import { type Finding, ok, problem, warning } from './check.ts';

/** Free space below which a warning is given: a store and its journal grow. */
const LITTLE_SPACE = 100 * 1024 * 1024;

/**
 * Checks that a folder is writable, or can be created. Only a write proves it: permissions do not apply to every user,
 * and a file system may be read-only or full.
 */
export async function lookAtFolder(folder: string): Promise<Finding> {
  try {
    const existing = await nearestFolder(folder);
    if (existing === folder) await tryToWrite(folder);
    else await access(existing, constants.W_OK | constants.X_OK);
    const space = await freeSpace(existing);
    const state = existing === folder ? 'can be written' : 'is created when needed';
    const detail = `${folder} ${state}; ${sizeText(space)} free.`;
    return space < LITTLE_SPACE ? warning(detail, 'Free some space on that disk.') : ok(detail);
  } catch (error) {
    return problem(`${folder} cannot be used: ${reasonOf(error, folder)}`);
  }
}

/** Names the folder above it that is the cause, if there is one. @throws errors that do not come from the file system */
function reasonOf(error: unknown, folder: string): string {
  const { code, path = folder } = error as NodeJS.ErrnoException;
  const meaning = meaningOf(code);
  if (meaning === undefined) throw error;
  return path.startsWith(folder) ? meaning : `${path}: ${meaning}`;
}

/**
 * The folder itself, or the existing ancestor in which it would be created.
 * @throws Error of the file system, such as ENOTDIR
 */
async function nearestFolder(folder: string): Promise<string> {
  try {
    if ((await stat(folder)).isDirectory()) return folder;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if ((code !== 'ENOENT' && code !== 'ENOTDIR') || dirname(folder) === folder) throw error;
    return await nearestFolder(dirname(folder));
  }
  throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR', path: folder });
}

async function tryToWrite(folder: string): Promise<void> {
  const path = join(folder, `.doctor-${randomUUID()}`);
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile('skinsmith doctor was here\n');
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

async function freeSpace(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

function sizeText(bytes: number): string {
  const mebibytes = bytes / 1024 / 1024;
  return mebibytes < 1024 ? `${mebibytes.toFixed(0)} MiB` : `${(mebibytes / 1024).toFixed(1)} GiB`;
}

/** The files that users other than their owner may read. Windows has no such modes. */
export async function readableByOthers(paths: readonly string[]): Promise<string[]> {
  if (process.platform === 'win32') return [];
  const open = await Promise.all(paths.map(async (path) => ({ path, mode: await modeOf(path) })));
  return open.filter(({ mode }) => (mode & 0o077) !== 0).map(({ path }) => path);
}

/** 0 if the file does not exist. */
async function modeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).mode;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 0;
    throw error;
  }
}
