import { chmod, chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownFolder } from '../server/own-folder.ts';

/**
 * A file that others can read and that belongs to someone else. Only the superuser can make one; for everyone else the
 * system has one.
 */
export async function foreignFile(text: string): Promise<string> {
  if (process.getuid?.() !== 0) return '/etc/hosts';
  const path = join(await ownFolder(), 'file');
  await writeFile(path, text);
  await chmod(path, 0o444);
  await chown(path, 12_345, 12_345);
  return path;
}
