import { writeFileAtomically } from './atomic-file.ts';

/** Writes a file that is only a cache, for its owner. Returns false where the file system takes none: nothing is lost. */
export function writeOrNothing(path: string, data: string | Uint8Array): boolean {
  try {
    writeFileAtomically(path, data, { mode: 0o600 });
    return true;
  } catch {
    return false; // it is computed again
  }
}
