import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** The bytes of a file that is only a cache, `limit` at most; none if it cannot be read. */
export function readOrNothing(path: string, limit: number): Buffer {
  let fd: number | undefined;
  try {
    fd = openSync(path, 'r');
    const bytes = Buffer.allocUnsafeSlow(Math.min(fstatSync(fd).size, limit));
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
  } catch {
    return Buffer.alloc(0); // it is computed again
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
