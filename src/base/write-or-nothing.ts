import { dirname } from 'node:path';
import { writeFileAtomically } from './atomic-file.ts';
import { makeFolder } from './make-folder.ts';

/**
 * Writes a file that is only a cache, and the missing folders above it, for their owner only. Returns false where the
 * file system takes none: nothing is lost.
 */
export function writeOrNothing(path: string, data: string | Uint8Array): boolean {
  try {
    makeFolder(dirname(path), 0o700);
    writeFileAtomically(path, data, { mode: 0o600 });
    return true;
  } catch {
    return false; // it is computed again
  }
}
