import { closeSync, constants, fchownSync, lstatSync, openSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

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

/** A user who is not root. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Whom a folder belongs to, if root runs this and it is somebody else: whoever can change what is in it can put links there.
 * A link counts as what its owner made of it, and of a folder that is not there the nearest one above it.
 */
export function foreignOwnerOf(folder: string): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = nearest(resolve(folder));
  // With the group root it would still have some of root's rights.
  return uid === 0 ? undefined : { uid, gid: gid === 0 ? uid : gid };
}

function nearest(path: string): Stats {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (!there) return nearest(dirname(path));
  const isOwnLink = there.isSymbolicLink() && there.uid === 0;
  return (isOwnLink && statSync(path, { throwIfNoEntry: false })) || there;
}

/** Gives up all rights of root, for as long as the process lives. */
export function become({ uid, gid }: Owner): void {
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}
