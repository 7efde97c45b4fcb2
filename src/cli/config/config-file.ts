import { existsSync, rmSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type Conf from 'conf';
import envPaths from 'env-paths';
import { systemClock } from '../../base/clock.ts';
import { reasonOf } from '../../base/error-reasons.ts';
import { makeFolder } from '../../base/files.ts';
import type { ProcessLock } from '../../base/process-lock.ts';
import { CliError, unusableHint, usageError } from '../errors/exit.ts';

/** Milliseconds between attempts to lock the file, and before giving up. */
const LOCK_PAUSE = 50;
const LOCK_PATIENCE = 10_000;

/** API keys by service address. */
type Keys = Record<string, string>;

export interface Folders {
  /** The folder of config.json. */
  readonly config: string;
  /** The folder of the store, the signing key and the record of submissions. */
  readonly data: string;
}

/** @throws CliError where there are no usual folders */
export function foldersFor(env: NodeJS.ProcessEnv): Folders {
  const usual = envPaths('skinsmith', { suffix: '' });
  return {
    config: env['SKINSMITH_CONFIG_DIR'] || absolute(usual.config, env, 'XDG_CONFIG_HOME'),
    data: env['SKINSMITH_DATA_DIR'] || absolute(usual.data, env, 'XDG_DATA_HOME'),
  };
}

/** With an empty HOME, the usual folders would be below the current one. `xdg`: may name another place. @throws CliError */
function absolute(folder: string, env: NodeJS.ProcessEnv, xdg: string): string {
  if (isAbsolute(folder)) return folder;
  const named = env[xdg] ? xdg : 'HOME';
  const why = env[xdg] ? 'is not an absolute path' : 'is empty or not set';
  throw usageError(
    'no_home',
    `No folder for settings and data: ${named} ${why}.`,
    `Set ${named}, or both SKINSMITH_CONFIG_DIR and SKINSMITH_DATA_DIR.`,
  );
}

/** The config file. It has mode 0600 because it contains API keys, and is replaced by a rename. */
export class ConfigFile {
  readonly path: string;
  readonly #folder: string;
  #conf: Conf<Record<string, unknown>> | undefined;
  #kept: Readonly<Record<string, unknown>> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, 'config.json');
  }

  /** Reads it once and keeps it, before the process loses the right to read it. */
  async keep(): Promise<void> {
    this.#kept = existsSync(this.path) ? (await this.#open()).store : {};
  }

  /** All settings except the keys. Most runs have no config file, and then nothing is loaded. */
  async settings(): Promise<Readonly<Record<string, unknown>>> {
    const { 'api-keys': _, ...settings } = await this.#read();
    return settings;
  }

  async set(name: string, value: unknown): Promise<void> {
    await this.#alone((conf) => conf.set(name, value));
  }

  async unset(name: string): Promise<void> {
    if (existsSync(this.path)) await this.#alone((conf) => conf.delete(name));
  }

  /** The key for this service only. */
  async apiKey(baseUrl: string): Promise<string | undefined> {
    return (await this.#keys())[baseUrl];
  }

  /** Every service with a stored key, and the key's last four characters. */
  async keyPlaces(): Promise<Readonly<Record<string, string>>> {
    const entries = Object.entries(await this.#keys());
    return Object.fromEntries(entries.map(([place, key]) => [place, key.slice(-4)]));
  }

  async keepKey(baseUrl: string, key: string): Promise<void> {
    await this.#alone((conf) => conf.set('api-keys', { ...keysIn(conf.store), [baseUrl]: key }));
  }

  /** False if there was none. */
  async forgetKey(baseUrl: string): Promise<boolean> {
    if (!existsSync(this.path)) return false;
    return await this.#alone((conf) => {
      const { [baseUrl]: forgotten, ...others } = keysIn(conf.store);
      if (forgotten === undefined) return false;
      conf.set('api-keys', others);
      return true;
    });
  }

  /**
   * Locks the file for a change. Each change reads and writes the whole file, so one of two concurrent changes would be
   * lost.
   */
  async #alone<T>(change: (conf: Conf<Record<string, unknown>>) => T): Promise<T> {
    try {
      const held = await this.#lock();
      try {
        return change(await this.#open()); // conf reads the file again on each access
      } finally {
        held.release();
      }
    } catch (error) {
      throw error instanceof CliError ? error : unwritable(this.path, error);
    }
  }

  async #lock(): Promise<ProcessLock> {
    const { acquireLock } = await import('../../base/process-lock.ts');
    for (let waited = 0; ; waited += LOCK_PAUSE) {
      const held = await acquireLock(`${this.path}.lock`, 'the config file');
      if ('release' in held) return held;
      if (waited >= LOCK_PATIENCE) throw inUse(this.path, held.holder?.pid);
      await systemClock.sleep(LOCK_PAUSE);
    }
  }

  async #keys(): Promise<Keys> {
    return keysIn(await this.#read());
  }

  async #read(): Promise<Readonly<Record<string, unknown>>> {
    if (this.#kept || !existsSync(this.path)) return this.#kept ?? {};
    return (await this.#open()).store;
  }

  async #open(): Promise<Conf<Record<string, unknown>>> {
    this.#conf ??= await openConf(this.#folder, this.path);
    return this.#conf;
  }
}

function keysIn({ 'api-keys': keys }: Readonly<Record<string, unknown>>): Keys {
  if (typeof keys !== 'object' || keys === null) return {};
  const texts = Object.entries(keys).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}

/** Names the file, where the error names its lock or a folder above it. */
function unwritable(path: string, cause: unknown): CliError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const reason = reasonOf(code) ?? message;
  return new CliError('config_unusable', `The config file ${path} cannot be changed: ${reason}.`, {
    hint: unusableHint('HOME or SKINSMITH_CONFIG_DIR'),
    cause,
  });
}

function inUse(path: string, pid: number | undefined): CliError {
  const who = pid === undefined ? 'another process' : `process ${pid}`;
  return new CliError('config_in_use', `The config file ${path} is being changed by ${who}.`, {
    exit: 'tryLater',
    hint: 'Try again when it is done.',
  });
}

async function openConf(folder: string, path: string): Promise<Conf<Record<string, unknown>>> {
  const { default: ConfClass } = await import('conf');
  try {
    dropEmpty(path);
    makeFolder(folder, 0o700);
    const conf = new ConfClass<Record<string, unknown>>({
      projectName: 'skinsmith',
      cwd: folder,
      configName: 'config',
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
    });
    void conf.store; // read now, so that a broken file is reported here
    return conf;
  } catch (cause) {
    const reason =
      cause instanceof SyntaxError ? 'is not JSON' : `cannot be read (${(cause as Error).message})`;
    throw new CliError('invalid_config', `The config file ${path} ${reason}.`, {
      exit: 'usage',
      hint: `Correct it or remove it: ${path}`,
      cause,
    });
  }
}

/** Removes an empty file, as a crash or a full disk can leave one; it contains no settings. */
function dropEmpty(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() && found.size === 0) rmSync(path, { force: true });
}
