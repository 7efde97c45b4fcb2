import { generateKeyPair } from 'node:crypto';
import { accessSync, constants, rmSync, statfsSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { execa, type Options, type ResultPromise } from 'execa';

export const ROOT = join(import.meta.dirname, '..');
export const PROGRAM = join(ROOT, 'bin/skinsmith.js');
/** Caches of all machines, as if each had run the program before. */
const CACHES = join(tmpdir(), 'skinsmith-bench-caches');
/** The size of the program's own keys. */
const KEY_BITS = 4096;

/**
 * Keeps everything that the program stores in a temporary folder, so that earlier use of this computer has no effect.
 */
export class Machine {
  readonly folder: string;
  readonly #children: ResultPromise[] = [];
  #resets = 0;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * Runs `work` with a machine whose processes end afterwards. Its files stay until this process ends.
   * @param parent where its folder is made
   */
  static async with<T>(work: (machine: Machine) => Promise<T>, parent = tmpdir()): Promise<T> {
    // The program does not make a folder for caches itself: see `compileCacheFolder`.
    await mkdir(CACHES, { recursive: true });
    const machine = new Machine(await mkdtemp(join(parent, 'skinsmith-bench-')));
    removeAtExit(machine.folder, () => machine.#killAll());
    try {
      return await work(machine);
    } finally {
      machine.#killAll();
    }
  }

  get dataDir(): string {
    return join(this.folder, `data-${this.#resets}`);
  }

  get keyPath(): string {
    return join(this.dataDir, 'signing-key.pem');
  }

  get env(): Readonly<Record<string, string>> {
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: this.folder,
      XDG_CACHE_HOME: CACHES,
      SKINSMITH_CONFIG_DIR: join(this.folder, 'config'),
      SKINSMITH_DATA_DIR: this.dataDir,
    };
  }

  /**
   * Resets the machine to its initial state. It has a signing key, because generating one would be timed as well.
   * Earlier files stay.
   */
  async reset(): Promise<void> {
    this.#resets++;
    await mkdir(this.dataDir, { recursive: true });
    await writeFile(this.keyPath, await signingKey(), { mode: 0o600 });
  }

  /** Starts Node on this machine. The process does not outlive the machine. */
  start(args: readonly string[], options: Options = {}): ResultPromise {
    const base = { cwd: this.folder, extendEnv: false, stdin: 'ignore' } as const;
    const env = { ...this.env, ...options.env };
    const child = execa(process.execPath, args, { ...base, ...options, env });
    this.#children.push(child);
    return child;
  }

  /**
   * Measures how long a command of the program takes from start to end, in milliseconds.
   * @throws Error when it fails
   */
  async time(args: readonly string[], options: Options = {}): Promise<number> {
    const start = performance.now();
    await this.start([PROGRAM, ...args], { stdout: 'ignore', ...options });
    return performance.now() - start;
  }

  #killAll(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }
}

let key: Promise<string> | undefined;

/** A new key for this run, like the program's own; PKCS#8 in PEM. */
async function signingKey(): Promise<string> {
  key ??= promisify(generateKeyPair)('rsa', { modulusLength: KEY_BITS }).then(({ privateKey }) =>
    privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  );
  return await key;
}

/** Exists on Linux, usually with half the size of the memory. */
const SHARED_MEMORY = '/dev/shm';
/** Bytes that must be free. */
const ROOM = 512 * 1024 * 1024;

/**
 * A folder in memory, or the one for temporary files if there is none. After thousands of deletions within the last
 * minutes, ext4 takes several times as long to create files, and rows with many files would measure that.
 */
export function memoryDisk(): string {
  try {
    accessSync(SHARED_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    return bavail * bsize >= ROOM ? SHARED_MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

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
