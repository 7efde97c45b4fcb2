import { existsSync } from 'node:fs';
import { chmod, copyFile, open, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { makeFolder } from '../../base/make-folder.ts';
import { openSigningKey } from '../../textures/signing-key.ts';
import { type CopyFound, dropEnclosures, withDatabaseAlone } from '../store/sqlite-copy.ts';
import { BackupError } from './backup-error.ts';
import { removeChecksum } from './checksum.ts';
import { DATA_FILES, ENCLOSED, SIGNING_KEY, STORE } from './data-files.ts';
import { nameOfWork } from './leftovers.ts';
import { readBackup } from './read-backup.ts';
import { finishRestore, STAGED, swapFiles } from './swap.ts';

export interface RestoreOptions {
  readonly dataDir: string;
  readonly file: string;
  /** Whether data that is there may be put aside. */
  readonly force: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export interface Restored {
  /** When the backup was made, in milliseconds since the epoch, and by which version of the program. */
  readonly time: number;
  readonly version: string;
  /** Where the data is that was there before; undefined when there was none. */
  readonly aside: string | undefined;
}

/**
 * Puts the data of a backup into a data folder that no server runs on. Killed in the middle it has happened, or
 * has not: what is left to do then, the next start does.
 * @throws BackupError
 */
export async function restore({ dataDir, file, force, now }: RestoreOptions): Promise<Restored> {
  const { found, about } = await readBackup(file);
  makeFolder(dataDir, 0o700);
  await finishRestore(dataDir, now);
  const hasData = [STORE, SIGNING_KEY].some((name) => existsSync(join(dataDir, name)));
  if (hasData && !force) {
    throw new BackupError('data_in_the_way', `${dataDir} already holds the data of a service.`, {
      hint: 'With --force it is moved aside; or choose another folder: --data',
    });
  }
  const staged = await layOut(dataDir, { file, found });
  const aside = `before-restore-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`;
  try {
    await exchange(dataDir, { staged, aside });
  } catch (error) {
    await rm(join(dataDir, staged), { recursive: true, force: true });
    throw error;
  }
  const { time, version } = about;
  return { time, version, aside: hasData ? join(dataDir, aside) : undefined };
}

async function exchange(dataDir: string, names: { staged: string; aside: string }): Promise<void> {
  const swap = async () => {
    const old = DATA_FILES.filter((name) => existsSync(join(dataDir, name)));
    await swapFiles(dataDir, { ...names, old });
  };
  const store = join(dataDir, STORE);
  const outcome = existsSync(store) ? await withDatabaseAlone(store, swap) : 'unusable';
  if (outcome === 'in_use') {
    throw new BackupError('data_in_use', `A server or another command is using ${dataDir}.`, {
      hint: 'Stop it first.',
    });
  }
  if (outcome === 'unusable') await swap(); // nobody can be using it; it may be why there is a restore
}

/** Lays the new files out in a folder inside the data folder, all of them on the disk. Answers its name. */
async function layOut(dataDir: string, { file, found }: { file: string; found: CopyFound }): Promise<string> {
  const folder = join(dataDir, `${STAGED}${nameOfWork()}`);
  makeFolder(folder, 0o700);
  try {
    const store = join(folder, STORE);
    await copyFile(file, store);
    await chmod(store, 0o600);
    await removeChecksum(store);
    await dropEnclosures(store);
    for (const name of ENCLOSED) {
      const content = found.enclosures[name];
      if (content) await writeFile(join(folder, name), content, { mode: 0o600 });
    }
    // One that cannot be signed with is found out now, and not when the old one is gone.
    if (found.enclosures[SIGNING_KEY]) await openSigningKey(join(folder, SIGNING_KEY));
    for (const name of DATA_FILES) if (existsSync(join(folder, name))) await sync(join(folder, name));
    return basename(folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
