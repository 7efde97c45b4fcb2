import { rmSync } from 'node:fs';

interface Removal {
  readonly folder: string;
  readonly before: () => void;
}

const removals: Removal[] = [];

/**
 * Deletes a folder when this process ends, even by a signal, and not earlier: creating files is many times slower
 * where others were deleted a minute ago (ext4), and the next rows would measure that. `before`: ends the users of the
 * folder.
 */
export function removeAtExit(folder: string, before: () => void = () => {}): void {
  if (removals.push({ folder, before }) === 1) process.once('exit', removeAll);
}

/** Retries, because a killed process may still have been writing files. */
function removeAll(): void {
  for (const { folder, before } of removals) {
    before();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
