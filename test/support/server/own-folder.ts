import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Those of the tests that run. */
export const OWN_FOLDERS = new Set<string>();

/** A folder for this test, removed when it ends. */
export async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'skinsmith-test-'));
  OWN_FOLDERS.add(folder);
  onTestFinished(async () => {
    OWN_FOLDERS.delete(folder);
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}
