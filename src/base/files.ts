import { hash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { basename, dirname, join, type posix, resolve } from 'node:path';

/** Whether a process exists on this machine, of any user. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/**
 * Makes a folder and the missing ones above it. Node's own recursive mkdir never returns below a folder that accepts no
 * others (`/proc/x`).
 * @param mode permission bits of the folders that are made, whatever the umask; as the umask has it unless given
 * @throws Error of the file system, ENOENT or EEXIST for instance
 */
export function makeFolder(path: string, mode?: number): void {
  const missing = missingFolders(path, isThere);
  for (const folder of missing) makeOne(folder, mode);
  if (missing.length === 0 && !isFolder(path)) mkdirSync(path); // the error says what is in the way
}

/** A folder and those above it that are not there, outermost first. On Windows even a drive may be missing. */
export function missingFolders(
  path: string,
  isThere: (path: string) => boolean,
  paths: Pick<typeof posix, 'resolve' | 'dirname'> = { resolve, dirname },
): string[] {
  const missing: string[] = [];
  for (let at = paths.resolve(path); !isThere(at) && at !== missing[0]; at = paths.dirname(at))
    missing.unshift(at);
  return missing;
}

function makeOne(folder: string, mode: number | undefined): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have made it just now.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isFolder(folder)) throw error;
    return;
  }
  if (mode !== undefined) chmodSync(folder, mode);
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

interface AtomicFileOptions {
  /** Permission bits of the new file, before the umask. */
  readonly mode?: number | undefined;
  /** Whether it must survive a power failure. Costs milliseconds. */
  readonly durable?: boolean | undefined;
}

/** Prefix of the file's name used in the temporary name, in UTF-16 units: names end at 255 bytes. */
const LONGEST_NAME = 60;
/** Age in milliseconds after which a temporary file counts as abandoned if its process may be one of another machine. */
const LEFTOVER_AGE = 60 * 60 * 1000;

/**
 * Writes a whole file: readers see either the old content or the new, never a part. Creates missing folders.
 *
 * Synchronous on purpose: the files are small, and four trips through the thread pool cost several times
 * what the calls take.
 * @throws Error of the file system; then the old file is unchanged and the temporary one removed
 */
export function writeFileAtomically(
  path: string,
  data: string | Uint8Array | Iterable<string>,
  { mode, durable = false }: AtomicFileOptions = {},
): void {
  const file = new Replacement(path, mode);
  try {
    const isWhole = typeof data === 'string' || data instanceof Uint8Array;
    for (const part of isWhole ? [data] : data) file.write(part);
    file.close(durable);
    file.replace(durable);
  } catch (error) {
    file.discard();
    throw error;
  }
}

/** The process's own streams, whatever they lead to. */
const OWN_STREAM = /^\/(?:dev\/(?:stdout|stderr|fd\/\d+)|proc\/self\/fd\/\d+)$/;

/** Whether a path leads to a pipe or a device: a rename would put a file in its place. */
export function isStream(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found && !found.isFile() && !found.isDirectory()) return true;
  return OWN_STREAM.test(resolve(path));
}

/** What Windows answers while another program has the file open: a virus scanner, or an editor. */
const IN_USE = new Set(['EPERM', 'EACCES', 'EBUSY']);
/** Milliseconds for which a rename is tried, and between two attempts. */
const PATIENCE = 1_000;
const PAUSE = 50;

/** Renames a file or a folder. On Windows, where an open one cannot be renamed, for a second. @throws Error of the file system */
export function renameOver(
  from: string,
  to: string,
  { rename = renameSync, isWindows = process.platform === 'win32' } = {},
): void {
  for (let waited = 0; ; waited += PAUSE) {
    try {
      rename(from, to);
      return;
    } catch (error) {
      if (!isWindows || waited >= PATIENCE || !IN_USE.has((error as NodeJS.ErrnoException).code ?? ''))
        throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE);
    }
  }
}

/** A file written in the same folder that then atomically replaces the target; a pipe or a device is written into. */
export class Replacement {
  readonly #path: string;
  /** Undefined for a pipe or a device. */
  readonly #aside: string | undefined;
  readonly #fd: number;
  #isOpen = true;

  constructor(path: string, mode = 0o666) {
    this.#path = path;
    const aside = isStream(path) ? undefined : asidePath(path);
    this.#aside = aside;
    this.#fd = this.#naming(() => (aside === undefined ? openSync(path, 'w') : createFile(aside, mode)));
  }

  write(data: string | Uint8Array): void {
    this.#naming(() => writeFileSync(this.#fd, data)); // appends, also after a partial write
  }

  close(durable: boolean): void {
    if (durable && this.#aside !== undefined) this.#naming(() => fsyncSync(this.#fd));
    this.#isOpen = false;
    this.#naming(() => closeSync(this.#fd));
  }

  /** Replaces the target. Close first. */
  replace(durable: boolean): void {
    const aside = this.#aside;
    if (aside === undefined) return;
    this.#naming(() => renameOver(aside, this.#path));
    if (durable) syncFolder(dirname(this.#path));
  }

  /** Removes the temporary file, whatever state it is in. */
  discard(): void {
    if (this.#isOpen) this.close(false);
    if (this.#aside !== undefined) rmSync(this.#aside, { force: true });
  }

  /** Errors name the target, not the temporary file. */
  #naming<T>(step: () => T): T {
    try {
      return step();
    } catch (error) {
      throw withPath(error, this.#path, this.#aside);
    }
  }
}

/** What follows the prefix in a temporary name: the process, its system (not in names of older versions), a number. */
const ASIDE = /^(\..+\.)([1-9]\d{0,9})\.([0-9a-f]{8})?[0-9a-f]{8}\.tmp$/s;

/**
 * Finds the temporary files and folders that killed processes left. A folder is listed once, for all paths in it.
 * Best effort: the code that needs the folder reports problems with it.
 */
export class Leftovers {
  readonly #now: number;
  /** For each folder, the abandoned names by their prefix. */
  readonly #folders = new Map<string, ReadonlyMap<string, readonly string[]>>();

  /** @param now milliseconds since the epoch */
  constructor(now: number) {
    this.#now = now;
  }

  /**
   * Removes those of one path. A process of another machine or container counts as ended after an hour.
   * @param prefix of their names
   */
  remove(path: string, prefix = asidePrefix(path)): void {
    const folder = dirname(path);
    for (const name of this.of(path, prefix)) {
      try {
        const aside = join(folder, name);
        if (isOfThisSystem(name) || statSync(aside).mtimeMs < this.#now - LEFTOVER_AGE)
          rmSync(aside, { force: true, recursive: true });
      } catch {
        // Another process may be cleaning up as well; the rest is found next time.
      }
    }
  }

  /** Names of those of one path. */
  of(path: string, prefix: string): readonly string[] {
    return this.#in(dirname(path)).get(prefix) ?? [];
  }

  #in(folder: string): ReadonlyMap<string, readonly string[]> {
    const known = this.#folders.get(folder);
    if (known) return known;
    const abandoned = namesIn(folder).filter((name) => name.endsWith('.tmp') && isAbandoned(name));
    const found = Map.groupBy(abandoned, (name) => ASIDE.exec(name)?.[1] ?? '');
    this.#folders.set(folder, found);
    return found;
  }
}

/** Removes the temporary files and folders of one path that killed processes left. */
export function removeLeftovers(path: string, now: number): void {
  new Leftovers(now).remove(path);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Whether no process with the name's id exists here, apart from this one: in a container every run may have the same. */
function isAbandoned(name: string): boolean {
  const pid = Number(ASIDE.exec(name)?.[2]);
  return pid === process.pid || (pid > 0 && !processExists(pid));
}

/**
 * Whether a process that gave this name had its id from the same system as we have ours, so that it has ended if no process has
 * the id. Our own id proves nothing: the file may be ours.
 */
function isOfThisSystem(name: string): boolean {
  const [, , pid, system] = ASIDE.exec(name) ?? [];
  return system !== undefined && system === systemName() && Number(pid) !== process.pid;
}

/** Says that the system is unknown. */
const NO_SYSTEM = '00000000';
let ownSystem: string | undefined;

/**
 * Eight hexadecimal digits that differ between systems whose process ids mean different processes: machines, their boots and
 * containers. `00000000` where only Linux could tell.
 */
function systemName(): string | undefined {
  ownSystem ??= readSystemName();
  return ownSystem === NO_SYSTEM ? undefined : ownSystem;
}

/** See random(4) and pid_namespaces(7). */
function readSystemName(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
    return hash('sha256', boot + readlinkSync('/proc/self/ns/pid')).slice(0, NO_SYSTEM.length);
  } catch {
    return NO_SYSTEM;
  }
}

/**
 * Starts at a random number, because a process of another container may have the same id; then counts, because each
 * random number takes 50 µs.
 */
let serial: number | undefined;

/** Eight hexadecimal digits that no other file of this process has. */
function nextSerial(): string {
  serial = ((serial ?? randomBytes(4).readUInt32LE()) + 1) >>> 0;
  return serial.toString(16).padStart(8, '0');
}

/** A new name in the same folder for what is to replace a path; `Leftovers` knows such names. */
export function asidePath(path: string, prefix = asidePrefix(path)): string {
  return join(dirname(path), `${prefix}${process.pid}.${systemName() ?? NO_SYSTEM}${nextSerial()}.tmp`);
}

function asidePrefix(path: string): string {
  return `.${basename(path).slice(0, LONGEST_NAME)}.`;
}

/** Begins the names of folders that are being replaced. */
function replacedPrefix(path: string): string {
  return `${asidePrefix(path)}replaced.`;
}

/**
 * Puts a whole folder, which was written beside its place, into it. Two renames are needed: `restoreFolder` puts the old
 * one back if the process is killed between them.
 * @throws Error of the file system; then the old folder is in its place
 */
export function replaceFolder(path: string, aside: string): void {
  const old = asidePath(path, replacedPrefix(path));
  const isReplaced = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  if (isReplaced) renameOver(path, old);
  try {
    renameOver(aside, path);
  } catch (error) {
    if (isReplaced) renameOver(old, path);
    throw withPath(error, path, aside);
  }
  syncFolder(dirname(path));
  if (isReplaced) rmSync(old, { recursive: true, force: true });
}

/** Cleans up after a `replaceFolder` that was killed: puts the old folder back if its place is empty, otherwise removes it. */
export function restoreFolder(path: string, now: number): void {
  const prefix = replacedPrefix(path);
  const leftovers = new Leftovers(now);
  const found = leftovers.of(path, prefix).map((name) => join(dirname(path), name));
  const [newest] = found.toSorted((a, b) => statSync(b).ctimeMs - statSync(a).ctimeMs);
  if (newest !== undefined && !lstatSync(path, { throwIfNoEntry: false })) renameOver(newest, path);
  leftovers.remove(path, prefix);
}

/** Files that are flushed at the same time: file systems write them together. */
const FLUSHED_AT_ONCE = 16;

/** Resolves when files are on the disk, and their names in these folders. @throws Error of the file system */
export async function flushFiles(files: readonly string[], folders: Iterable<string>): Promise<void> {
  const rest = files.values();
  const flush = async () => {
    for (const path of rest) {
      const file = await open(path, 'r+'); // Windows flushes no file that is open for reading
      try {
        await file.sync();
      } finally {
        await file.close();
      }
    }
  };
  await Promise.all(Array.from({ length: FLUSHED_AT_ONCE }, flush));
  for (const folder of folders) syncFolder(folder);
}

/** Most folders exist, so create them only when opening fails. */
function createFile(path: string, mode: number): number {
  try {
    return openSync(path, 'wx', mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    makeFolder(dirname(path));
    return openSync(path, 'wx', mode);
  }
}

/** Makes a rename durable. Systems that cannot do that are no failure: the rename is visible anyway. */
function syncFolder(folder: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(folder, 'r');
    fsyncSync(fd);
  } catch {
    // Windows does not open folders; some network file systems do not sync them.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/**
 * Adds the path that users know to an error of the file system, so that they see which disk or folder is meant, because
 * write errors name no file. `instead`: the path of a temporary file, which is replaced.
 */
export function withPath(error: unknown, path: string, instead?: string): unknown {
  if (!(error instanceof Error && 'code' in error)) return error;
  const isNamed = 'path' in error && error.path !== instead;
  return isNamed ? error : Object.assign(error, { path });
}

/** Writes a new file for its owner only, which is on the disk then. @throws Error of the file system; then there is no file */
export async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
