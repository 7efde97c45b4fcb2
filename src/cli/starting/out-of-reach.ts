import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { dirname, isAbsolute, join, parse, resolve, sep } from 'node:path';

const WRITABLE_BY_OTHERS = 0o022;
/** In such a folder only its owner and theirs may rename and remove files. */
const STICKY = 0o1000;
/** As many as Linux follows. */
const MOST_LINKS = 40;

/**
 * Whether only this user and root decide what a path leads to: all folders on the way, and all links, are theirs, and
 * nobody else may put anything in their place. A part that is missing is fine, as it would be made by us. Windows has
 * no such modes: there the folders of users are closed to others.
 * @throws Error of the file system
 */
export function isOutOfReach(path: string): boolean {
  if (process.getuid === undefined) return true;
  const whole = resolve(path);
  return isClosedWay(parse(whole).root, namesIn(whole), MOST_LINKS);
}

/** Goes on from the folder `at`, which has been looked at. `links`: as many may still be followed. */
function isClosedWay(at: string, [name, ...rest]: readonly string[], links: number): boolean {
  if (name === undefined) return true;
  const next = name === '..' ? dirname(at) : join(at, name);
  const stats = lstatSync(next, { throwIfNoEntry: false });
  if (stats === undefined) return true;
  if (!isOurs(stats) || links === 0) return false;
  if (!stats.isSymbolicLink()) return isClosedWay(next, rest, links);
  const target = readlinkSync(next);
  const from = isAbsolute(target) ? parse(target).root : at;
  return isClosedWay(from, [...namesIn(target), ...rest], links - 1);
}

function namesIn(path: string): string[] {
  return path.split(sep).filter((name) => name !== '' && name !== '.');
}

/** A link has no mode of its own. */
function isOurs(stats: Stats): boolean {
  if (stats.uid !== 0 && stats.uid !== process.getuid?.()) return false;
  const isClosed = (stats.mode & WRITABLE_BY_OTHERS) === 0 || (stats.mode & STICKY) !== 0;
  return isClosed || stats.isSymbolicLink();
}
