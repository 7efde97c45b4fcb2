import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname, type PlatformPath, resolve } from 'node:path';

/**
 * Makes a folder and the missing ones above it. Node's own recursive mkdir never returns where a folder exists but
 * takes no others (`/proc/x`).
 * @param mode permission bits of the folders that are made, whatever the umask; as the umask has it unless given
 * @throws Error of the file system, ENOENT or EEXIST for instance
 */
export function makeFolder(path: string, mode?: number): void {
  const missing = missingFolders(path, isThere);
  for (const folder of missing) makeOne(folder, mode);
  if (missing.length === 0 && !isFolder(path)) mkdirSync(path); // says what is in the way
}

/** A folder and those above it that are not there, outermost first. On Windows even a drive may be missing. */
export function missingFolders(
  path: string,
  isThere: (path: string) => boolean,
  paths: Pick<PlatformPath, 'resolve' | 'dirname'> = { resolve, dirname },
): string[] {
  const missing: string[] = [];
  for (let at = paths.resolve(path); !isThere(at) && at !== missing[0]; at = paths.dirname(at))
    missing.unshift(at);
  return missing;
}

function makeOne(folder: string, mode: number | undefined): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have made it just now.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isFolder(folder)) throw error;
    return;
  }
  if (mode !== undefined) chmodSync(folder, mode);
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
