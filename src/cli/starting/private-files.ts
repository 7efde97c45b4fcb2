import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '../../base/make-folder.ts';
import { isOutOfReach } from './out-of-reach.ts';

/** Permission bits of the group and of others. */
const OTHERS = 0o077;

/** What is in a file that only this user can have written; `undefined` for any other, and where there is none. */
export function readPrivateFile(path: string): Buffer | undefined {
  let fd: number | undefined;
  try {
    if (!isOutOfReach(dirname(path))) return undefined;
    // A pipe would be waited for, a link could lead anywhere. Windows has neither flag.
    fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(fd);
    return stats.isFile() && isPrivate(stats) ? readFileSync(fd) : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** Whether a folder is this user's alone. Makes it where there is none; `false` where that is not possible. */
export function isPrivateFolder(path: string): boolean {
  try {
    if (!isOutOfReach(path)) return false;
    makeFolder(path, 0o700);
    const stats = lstatSync(path);
    // Looks again, as others may have made a part of the way in a folder for all.
    return stats.isDirectory() && isPrivate(stats) && isOutOfReach(path);
  } catch {
    return false;
  }
}

/** On Windows the folder for caches is the user's own. */
function isPrivate({ uid, mode }: Stats): boolean {
  return process.getuid === undefined || (uid === process.getuid() && (mode & OTHERS) === 0);
}
