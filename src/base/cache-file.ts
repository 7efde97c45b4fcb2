import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeFileAtomically } from './atomic-file.ts';
import { makeFolder } from './make-folder.ts';

const LARGEST = 256 * 1024 * 1024;

/** The bytes of a file that is only a cache, up to 256 MB of them; none if it cannot be read. */
export function readCacheFile(path: string): Buffer {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    const bytes = Buffer.allocUnsafeSlow(Math.min(fstatSync(fd).size, LARGEST));
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
  } catch {
    return Buffer.alloc(0); // its content is computed again
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/**
 * Writes a file that is only a cache, and the missing folders above it, for their owner only. Returns false if the file
 * system refuses it: nothing is lost.
 */
export function writeCacheFile(path: string, data: string | Uint8Array): boolean {
  try {
    makeFolder(dirname(path), 0o700);
    writeFileAtomically(path, data, { mode: 0o600 });
    return true;
  } catch {
    return false; // its content is computed again
  }
}
