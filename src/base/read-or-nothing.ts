import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const LARGEST = 256 * 1024 * 1024;

/** The bytes of a file that is only a cache, up to 256 MB of them; none if it cannot be read. */
export function readOrNothing(path: string): Buffer {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    const bytes = Buffer.allocUnsafeSlow(Math.min(fstatSync(fd).size, LARGEST));
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
  } catch {
    return Buffer.alloc(0); // it is computed again
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
