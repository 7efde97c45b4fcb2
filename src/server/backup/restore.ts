import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { openSigningKey } from '../../textures/signing-key.ts';
import { NEWEST_SCHEMA } from '../store/migrate.ts';
import { type CopyFound, dropEnclosures, inspectCopy, withDatabaseAlone } from '../store/sqlite-copy.ts';
import { BackupError } from './backup-error.ts';
import {
  ABOUT,
  type About,
  aboutSchema,
  DATA_FILES,
  digestOf,
  ENCLOSED,
  SIGNING_KEY,
  STORE,
} from './data-files.ts';
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
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await finishRestore(dataDir);
  const hasData = [STORE, SIGNING_KEY].some((name) => existsSync(join(dataDir, name)));
  if (hasData && !force) {
    throw new BackupError('data_in_the_way', `There is data of a service in ${dataDir} already.`, {
      hint: 'With --force it is moved aside; or choose another folder: --data',
    });
  }
  await removeLeftovers(dataDir, now);
  const staged = await layOut(dataDir, { file, found });
  const aside = `before-restore-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}`;
  try {
    await exchange(dataDir, { staged, aside });
  } catch (error) {
    await rm(join(dataDir, staged), { recursive: true, force: true });
    throw error;
  }
  return { time: about.time, version: about.version, aside: hasData ? join(dataDir, aside) : undefined };
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

/** What is in a backup, once it is sure that it can be used. @throws BackupError */
async function readBackup(file: string): Promise<{ found: CopyFound; about: About }> {
  if (!existsSync(file)) throw new BackupError('backup_unreadable', `There is no file ${file}.`);
  const found = await inspectCopy(file).catch((cause: Error) => {
    throw new BackupError('backup_damaged', `${file} cannot be read as a backup: ${cause.message}.`, {
      cause,
    });
  });
  const damaged = (what: string) =>
    new BackupError('backup_damaged', `The backup ${file} is damaged: ${what}.`);
  const text = found?.enclosures[ABOUT];
  if (!found || !text) {
    throw new BackupError('backup_unreadable', `${file} is no backup made by skinsmith backup.`);
  }
  if (found.integrity !== 'ok') throw damaged(found.integrity);
  if (found.schema > NEWEST_SCHEMA) {
    throw new BackupError('backup_too_new', `The backup ${file} was made by a newer skinsmith.`, {
      hint: 'Install the newer version.',
    });
  }
  const about = readAbout(text);
  if (!about) throw damaged('it does not say what it is');
  const wrong = ENCLOSED.find((name) => !isAsMade(found.enclosures[name], about.files[name]));
  if (wrong) throw damaged(`${wrong} is not what was put into it`);
  return { found, about };
}

function readAbout(text: Uint8Array): About | undefined {
  try {
    return aboutSchema.safeParse(JSON.parse(Buffer.from(text).toString('utf8'))).data;
  } catch {
    return undefined; // no JSON
  }
}

function isAsMade(content: Uint8Array | undefined, digest: string | undefined): boolean {
  return (content && digestOf(content)) === digest;
}

/** Milliseconds after which what a killed restore has laid out is nobody's. */
const LEFTOVER_AGE = 60 * 60_000;

async function removeLeftovers(dataDir: string, now: number): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const path = join(dataDir, name);
    if (!name.startsWith(STAGED) || (await stat(path)).mtimeMs > now - LEFTOVER_AGE) continue;
    await rm(path, { recursive: true, force: true });
  }
}

/** Lays the new files out in a folder inside the data folder, all of them on the disk. Answers its name. */
async function layOut(dataDir: string, { file, found }: { file: string; found: CopyFound }): Promise<string> {
  const folder = await mkdtemp(join(dataDir, STAGED));
  try {
    const store = join(folder, STORE);
    await copyFile(file, store);
    await chmod(store, 0o600);
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
