import { closeSync, constants, fchownSync, openSync, statSync } from 'node:fs';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;

/**
 * Gives a file that root has just made to the owner of a folder, as SQLite does with its own: a service that runs as that
 * user could not read it otherwise. Where root may not do that (in some containers, on some network file systems), the
 * file stays root's.
 * @param fd of the file: another user's folder may have something else under its name by now
 */
export function giveToOwnerOf(folder: string, fd: number): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  if (uid === 0) return;
  try {
    fchownSync(fd, uid, gid);
  } catch {
    // The service says which file it cannot read.
  }
}

/** The same for a folder that root has made. */
export function giveFolderToOwnerOf(folder: string, made: string): void {
  if (process.getuid?.() !== 0) return;
  const fd = openSync(made, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    giveToOwnerOf(folder, fd);
  } finally {
    closeSync(fd);
  }
}
