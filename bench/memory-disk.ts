import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Exists on Linux, usually with half the size of the memory. */
const SHARED_MEMORY = '/dev/shm';
/** Bytes that must be free. */
const ROOM = 512 * 1024 * 1024;

/**
 * A folder in memory, or the one for temporary files if there is none. After thousands of deletions within the last
 * minutes, ext4 takes several times as long to create files, and rows with many files would measure that.
 */
export function memoryDisk(): string {
  try {
    accessSync(SHARED_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    return bavail * bsize >= ROOM ? SHARED_MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}
