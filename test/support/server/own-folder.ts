import { fstatSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { onTestFinished } from 'vitest';
import { poll } from './poll.ts';

/** Milliseconds after which a file that is still open was forgotten, also on a busy machine. */
const CLOSED_WITHIN = 20_000;

/** Those of the tests that run. */
export const OWN_FOLDERS = new Set<string>();

/** A folder for this test, removed when it ends: by then, nothing in it may be open. */
export async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'skinsmith-test-'));
  OWN_FOLDERS.add(folder);
  onTestFinished(async () => {
    OWN_FOLDERS.delete(folder);
    rmSync(folder, { recursive: true, force: true }); // `rm` takes nine times as long
    await untilClosed([folder]);
  });
  return folder;
}

/** A stream that ends early closes its file a moment later. */
async function untilClosed(folders: Iterable<string>): Promise<void> {
  await poll(
    () => openFiles(folders),
    (open) => open.length === 0,
    CLOSED_WITHIN,
  );
}

/** Files below these folders that this process has open, where the system tells. */
export function openFiles(folders: Iterable<string>): string[] {
  const found: string[] = [];
  const below = [...folders].map((folder) => folder + sep);
  for (const fd of process.platform === 'linux' ? readdirSync('/proc/self/fd') : []) {
    try {
      if (!fstatSync(Number(fd)).isFile()) continue; // to read where a socket leads takes longer
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      if (below.some((folder) => path.startsWith(folder))) found.push(path);
    } catch {
      // The one that listed them.
    }
  }
  return found.sort();
}
