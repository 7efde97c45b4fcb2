import { join } from 'node:path';
import { backUp, type Restored, restore } from '../../../src/server/backup/backup.ts';
import { ownFolder } from './own-folder.ts';

export const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

/** A backup of a data folder, in a folder of its own. */
export async function backUpOf({ dataDir }: { dataDir: string }): Promise<string> {
  const file = join(await ownFolder(), 'it.backup');
  await backUp({ dataDir, file, now: NOW, signal: new AbortController().signal });
  return file;
}

export async function restoreInto(dataDir: string, file: string, force = false): Promise<Restored> {
  return await restore({ dataDir, file, force, now: NOW });
}
