import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Linux has it, usually as large as half of the memory. */
const SHARED_MEMORY = '/dev/shm';
/** Bytes that must be free. */
const ROOM = 512 * 1024 * 1024;

/**
 * A folder in memory, or that for temporary files where there is none. Where thousands of files were deleted within the
 * last minutes, ext4 takes several times as long to create others, and rows with many files would measure that.
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
