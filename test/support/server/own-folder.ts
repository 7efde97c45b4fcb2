import { readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { expect, onTestFinished } from 'vitest';

/** Those of the tests that run. */
export const OWN_FOLDERS = new Set<string>();

/** A folder for this test, removed when it ends: by then, nothing in it may be open. */
export async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'skinsmith-test-'));
  OWN_FOLDERS.add(folder);
  onTestFinished(async () => {
    OWN_FOLDERS.delete(folder);
    const open = openFiles([folder]);
    await rm(folder, { recursive: true, force: true });
    expect(open, 'files that are still open').toEqual([]);
  });
  return folder;
}

/** Files below these folders that this process has open, where the system tells. */
export function openFiles(folders: Iterable<string>): string[] {
  const found: string[] = [];
  const below = [...folders].map((folder) => folder + sep);
  for (const fd of process.platform === 'linux' ? readdirSync('/proc/self/fd') : []) {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      if (below.some((folder) => path.startsWith(folder))) found.push(path);
    } catch {
      // The one that listed them.
    }
  }
  return found.sort();
}
