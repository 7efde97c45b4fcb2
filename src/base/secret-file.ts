import { randomUUID } from 'node:crypto';
import { chmod, link, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder.ts';

/**
 * Reads a secret from a file; undefined if there is no file. A file of our own is made private, even if it was put there
 * by hand. A file whose mode cannot be changed is read as it is: a mounted secret is read-only or belongs to another user.
 */
export async function readSecretFile(path: string): Promise<string | undefined> {
  try {
    const secret = await readFile(path, 'utf8');
    await makePrivate(path);
    return secret;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw Object.assign(error as Error, { path }); // which an error of reading a folder lacks
  }
}

/**
 * Whether users other than the intended ones can read the file. The group of a file that belongs to somebody else may:
 * we read it as a member of that group, or by an access list, whose mask the system shows as the mode of the group (as
 * with systemd's credentials). Windows has no such modes.
 */
export async function isOpenToOthers(path: string): Promise<boolean> {
  if (process.getuid === undefined) return false;
  const { mode, uid } = await stat(path);
  return (mode & (uid === process.getuid() ? 0o077 : 0o007)) !== 0;
}

const UNCHANGEABLE = new Set(['EPERM', 'EACCES', 'EROFS']);

/** Makes a file of our own private to us, if that can be done. */
export async function makePrivate(path: string): Promise<void> {
  const isOwn = (await stat(path)).uid === process.getuid?.();
  if (!isOwn || !(await isOpenToOthers(path))) return;
  await chmod(path, 0o600).catch((error: NodeJS.ErrnoException) => {
    if (!UNCHANGEABLE.has(error.code ?? '')) throw error;
  });
}

/**
 * Writes a secret to a new file (mode 0600). Two processes that do this at
 * once end up with the same secret: it is written to a temporary file and then *linked*, which fails for the second
 * one.
 * @returns the content of the file after that
 */
export async function makeSecretFile(path: string, secret: string): Promise<string> {
  makeFolder(dirname(path), 0o700);
  const aside = `${path}.${randomUUID()}`;
  try {
    await writeDurably(aside, secret);
    await link(aside, path);
    return secret;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return await readFile(path, 'utf8');
  } finally {
    await rm(aside, { force: true });
  }
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
