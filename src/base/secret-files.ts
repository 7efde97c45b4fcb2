import { randomUUID } from 'node:crypto';
import { chmod, link, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { flushFiles, makeFolder, writeDurably } from './files.ts';

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
 * Whether users other than the intended ones can read the file. For another user's file, its group is intended: we read
 * the file as a member of that group, or by an access list, whose mask the system shows as the group's mode (as with
 * systemd's credentials). Windows has no such modes.
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
export async function makeSecretFile(path: string, secret: string, makeLink = link): Promise<string> {
  makeFolder(dirname(path), 0o700);
  const aside = `${path}.${randomUUID()}`;
  try {
    await writeDurably(aside, secret);
    await linkOrWrite({ aside, path, secret }, makeLink);
    await flushFiles([], [dirname(path)]);
    return secret;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return await readFile(path, 'utf8');
  } finally {
    await rm(aside, { force: true });
  }
}

/** What file systems without hard links answer: FAT, and some that come over a network. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR', 'UNKNOWN']);

/** @throws Error EEXIST if the file is there */
async function linkOrWrite(
  { aside, path, secret }: Readonly<Record<'aside' | 'path' | 'secret', string>>,
  makeLink: typeof link,
): Promise<void> {
  try {
    await makeLink(aside, path);
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await writeDurably(path, secret);
  }
}
