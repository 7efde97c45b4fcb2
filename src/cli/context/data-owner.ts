import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, lstatSync, openSync, readdirSync, type Stats, statSync } from 'node:fs';
import { mkdtemp, open, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { isSea } from 'node:sea';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { makeFolder, renameOver } from '../../base/files.ts';
import { parsedJson } from '../../base/text.ts';
import type { Backup } from '../../server/server.ts';
import { CliError } from '../errors/exit.ts';
import type { CommandContext } from './context.ts';

const SIGNALS = Object.keys(constants.signals) as NodeJS.Signals[];

/**
 * Loads all files that the built program has beside this one. Otherwise each is read when it is first used, and an
 * upgrade that replaces them would take away parts that a running service has not used yet, even its orderly end.
 */
export function keepAllFiles(): void {
  const here = fileURLToPath(import.meta.url);
  const load = createRequire(here);
  withoutNewListeners(() => {
    for (const name of readdirSync(dirname(here))) if (name.endsWith('.cjs')) load(`./${name}`);
  });
}

/** Packages for the terminal end the process at a signal once they are loaded; a service first finishes its work. */
function withoutNewListeners(load: () => void): void {
  const before = SIGNALS.map((signal) => new Set(process.listeners(signal)));
  load();
  SIGNALS.forEach((signal, index) => {
    for (const listener of process.listeners(signal))
      if (!before[index]?.has(listener)) process.off(signal, listener);
  });
}

/**
 * When root works in another user's data folder, that user may have put links there, which would lead root to files
 * that the user could not change. So root becomes that user, for good, before it touches anything inside; files outside
 * are opened first.
 */

/** Commands that first open files outside the data folder. */
const OPEN_FIRST: ReadonlySet<string> = new Set(['backup', 'restore', 'serve', 'copy']);

/**
 * Root leaves a data folder of another user to that user, see `switchToOwnerOf`: also a missing one that was named. A usual
 * folder that is missing may belong to a HOME that a container has mounted, where the command works as root.
 */
export async function becomeDataOwner(
  { folders, configFile, env }: Pick<CommandContext, 'folders' | 'configFile' | 'env'>,
  command?: Command,
): Promise<void> {
  if (process.getuid?.() !== 0) return;
  if (OPEN_FIRST.has(command?.name() ?? '')) return;
  const typed = command?.optsWithGlobals<{ data?: string }>().data;
  const isNamed = typed !== undefined || Boolean(env['SKINSMITH_DATA_DIR']);
  const data = typed ?? folders.data;
  if (!isNamed && !lstatSync(data, { throwIfNoEntry: false })) return;
  if (!foreignOwnerOf(data)) return;
  await (await configFile()).keep();
  switchToOwnerOf(data);
}

/** Becomes the user whom a data folder belongs to, if root runs this and it is someone else. Returns whether it did. */
export function switchToOwnerOf(folder: string): boolean {
  const owner = foreignOwnerOf(folder);
  if (!owner) return false;
  keepAllFiles(); // if root has installed the program, that user may be unable to read it
  become(owner);
  return true;
}

/** Runs `work` with a file outside that only root may be able to read, as the owner of the folder. */
export async function withFileFor<T>(
  folder: string,
  file: string,
  work: (file: string) => Promise<T>,
): Promise<T> {
  if (!foreignOwnerOf(folder)) return await work(file);
  const fd = openSync(file, 'r');
  switchToOwnerOf(folder);
  makeFolder(folder, 0o700);
  const aside = await mkdtemp(join(folder, '.restoring-'));
  try {
    const copy = join(aside, basename(file));
    await writeFile(copy, createReadStream(file, { fd }), { flag: 'wx', mode: 0o600 });
    return await work(copy).catch((error: Error) => {
      throw Object.assign(error, { message: error.message.replaceAll(copy, file) });
    });
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/**
 * Makes a backup of a data folder. If root runs this and the folder is another user's, a process of that user makes it, and
 * root only writes down what comes out of it, in a folder of root's.
 */
export async function backUpAsOwner(
  dataDir: string,
  file: string,
  backUp: (file: string) => Promise<Backup>,
): Promise<Backup> {
  if (!foreignOwnerOf(dataDir)) return await backUp(file);
  if (!foreignOwnerOf(await realpath(dirname(file)))) return await backUpInProcess(dataDir, file);
  switchToOwnerOf(dataDir);
  return await backUp(file);
}

/** Makes a backup and writes it into a pipe or a device; undefined: stdout. */
export async function backUpToStream(
  dataDir: string,
  path: string | undefined,
  backUp: (file: string) => Promise<Backup>,
): Promise<Backup> {
  const target = path === undefined ? undefined : await open(path, 'w');
  switchToOwnerOf(dataDir);
  const aside = await mkdtemp(join(dataDir, '.backup-'));
  try {
    const file = join(aside, 'backup');
    const made = await backUp(file);
    if (target === undefined) await pipeline(createReadStream(file), process.stdout, { end: false });
    else await target.writeFile(createReadStream(file));
    return made;
  } finally {
    await target?.close();
    await rm(aside, { recursive: true, force: true });
  }
}

async function backUpInProcess(dataDir: string, file: string): Promise<Backup> {
  const aside = join(dirname(file), `.${basename(file)}.${process.pid}.tmp`);
  const target = await open(aside, 'wx', 0o600);
  try {
    const made = await backUpElsewhere(dataDir, target.fd);
    await target.sync();
    renameOver(aside, file);
    return made;
  } finally {
    await target.close();
    await rm(aside, { force: true });
  }
}

/** Runs the same program with `backup --out -`, whose stdout is the file. */
async function backUpElsewhere(dataDir: string, fd: number): Promise<Backup> {
  const program = isSea() ? [] : [process.argv[1] ?? '']; // a single executable is both Node and the program
  const words = [...program, 'backup', '--out', '-', '--json', '--data', dataDir];
  const child = spawn(process.execPath, words, { stdio: ['ignore', fd, 'pipe'] });
  const [said, [status]] = await Promise.all([text(child.stderr!), once(child, 'close')]);
  const last = said.trim().split('\n').at(-1) ?? '';
  if (status === 0) {
    const { bytes, missing } = JSON.parse(last) as Backup;
    return { bytes, missing };
  }
  const { error } = (parsedJson(last) ?? {}) as {
    readonly error?: { code: string; message: string; hint?: string };
  };
  throw new CliError(error?.code ?? 'backup_unwritable', error?.message ?? said.trim(), {
    hint: error?.hint,
  });
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The owner of a folder, if root runs this and the owner is another user, who could put links into the folder. For a
 * link, the owner of the link itself counts; for a missing folder, the nearest existing one above it.
 */
function foreignOwnerOf(folder: string): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = nearest(resolve(folder));
  // In the group root, the process would keep some of root's rights.
  return uid === 0 ? undefined : { uid, gid: gid === 0 ? uid : gid };
}

function nearest(path: string): Stats {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (!there) return nearest(dirname(path));
  const isOwnLink = there.isSymbolicLink() && there.uid === 0;
  return (isOwnLink && statSync(path, { throwIfNoEntry: false })) || there;
}

/** Gives up all rights of root, for as long as the process lives. */
function become({ uid, gid }: Owner): void {
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}
