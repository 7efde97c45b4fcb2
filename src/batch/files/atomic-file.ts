import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

export interface AtomicFileOptions {
  /** Permission bits of the new file, before the umask. */
  readonly mode?: number | undefined;
  /** Whether it must survive a power cut too. Costs milliseconds. */
  readonly durable?: boolean | undefined;
}

/** Of a file's name in that of its temporary one, in UTF-16 units: names end at 255 bytes. */
const LONGEST_NAME = 60;
/** Milliseconds after which a dead process's temporary file is nobody's. */
const LEFTOVER_AGE = 60 * 60 * 1000;

/**
 * Writes a whole file: whoever looks sees the old content or the new, never a part. Missing folders are made.
 *
 * The calls are synchronous on purpose: the files are small, and a trip through the thread pool for each of
 * the four costs several times what they take.
 * @throws Error of the file system; the old file is there then, the temporary one is not
 */
export function writeFileAtomically(
  path: string,
  data: string | Uint8Array,
  { mode, durable = false }: AtomicFileOptions = {},
): void {
  const file = new Replacement(path, mode);
  try {
    file.write(data);
    file.close(durable);
    file.replace(durable);
  } catch (error) {
    file.discard();
    throw error;
  }
}

/** A file that is written aside, in the same folder, until it takes its place at one stroke. */
export class Replacement {
  readonly #path: string;
  readonly #aside: string;
  readonly #fd: number;
  #isOpen = true;

  constructor(path: string, mode = 0o666) {
    this.#path = path;
    this.#aside = join(
      dirname(path),
      `${asidePrefix(path)}${process.pid}.${randomBytes(4).toString('hex')}.tmp`,
    );
    this.#fd = createFile(this.#aside, mode);
  }

  write(data: string | Uint8Array): void {
    writeFileSync(this.#fd, data); // goes on where the last one ended, and on after a partial write
  }

  close(durable: boolean): void {
    if (durable) fsyncSync(this.#fd);
    this.#isOpen = false;
    closeSync(this.#fd);
  }

  /** Takes the place of what is there. Closed before. */
  replace(durable: boolean): void {
    renameSync(this.#aside, this.#path);
    if (durable) syncFolder(dirname(this.#path));
  }

  /** Leaves no trace, whatever has happened so far. */
  discard(): void {
    if (this.#isOpen) this.close(false);
    rmSync(this.#aside, { force: true });
  }
}

/**
 * Removes what processes that died while they wrote `path` have left beside it, an hour ago or longer. It is
 * a courtesy: what is wrong with the folder, if anything, whoever needs it will find out.
 */
export async function removeLeftovers(path: string, now: number): Promise<void> {
  const folder = dirname(path);
  const prefix = asidePrefix(path);
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(prefix)) continue;
    const [, pid] = /^([1-9]\d{0,9})\.[0-9a-f]{8}\.tmp$/.exec(name.slice(prefix.length)) ?? [];
    if (pid === undefined || isOthersAndAlive(Number(pid))) continue;
    // Another process may be tidying up as well; what stays is found again next time.
    await removeIfOlder(join(folder, name), now - LEFTOVER_AGE).catch(() => undefined);
  }
}

function asidePrefix(path: string): string {
  return `.${basename(path).slice(0, LONGEST_NAME)}.`;
}

/** Most folders are there, so that they are made only when the file cannot be. */
function createFile(path: string, mode: number): number {
  try {
    return openSync(path, 'wx', mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(dirname(path), { recursive: true });
    return openSync(path, 'wx', mode);
  }
}

/** Makes a rename last. Not every system can; it has happened for all who look, so that is no failure. */
function syncFolder(folder: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(folder, 'r');
    fsyncSync(fd);
  } catch {
    // Windows opens no folders, some network file systems sync none.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** In a container every run may have the same process id: a leftover that bears ours is not of this run. */
function isOthersAndAlive(pid: number): boolean {
  return pid !== process.pid && isAlive(pid);
}

/** Whether a process with this id exists, as far as one can tell. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // somebody else's
  }
}

async function removeIfOlder(path: string, time: number): Promise<void> {
  if ((await stat(path)).mtimeMs < time) await rm(path, { force: true });
}
