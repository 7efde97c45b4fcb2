import { lstatSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

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
