import { randomUUID } from 'node:crypto';
import { chmod, link, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder.ts';

/** A secret that is kept in a file, which is made private to its owner; undefined when there is none. */
export async function readSecretFile(path: string): Promise<string | undefined> {
  try {
    const secret = await readFile(path, 'utf8');
    await chmod(path, 0o600); // also one that was put there by hand
    return secret;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Writes a secret to a file of its own (mode 0600). Two processes that do it at once end up with one secret: it is
 * written aside and *linked* into place, which fails for the second.
 * @returns what is in the file then
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
