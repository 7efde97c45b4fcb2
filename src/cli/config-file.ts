import { existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type Conf from 'conf';
import envPaths from 'env-paths';
import { CliError } from './exit.ts';

/** API keys by the address of the service they belong to. */
type Keys = Record<string, string>;

export interface Folders {
  /** Where config.json is. */
  readonly config: string;
  /** Store, signing key, record of submissions. */
  readonly data: string;
}

export function foldersFor(env: NodeJS.ProcessEnv): Folders {
  const usual = envPaths('skinsmith', { suffix: '' });
  return {
    config: env['SKINSMITH_CONFIG_DIR'] || usual.config,
    data: env['SKINSMITH_DATA_DIR'] || usual.data,
  };
}

/** The settings file: mode 0600, because it holds API keys; written through a rename. */
export class ConfigFile {
  readonly path: string;
  readonly #folder: string;
  #conf: Conf<Record<string, unknown>> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, 'config.json');
  }

  /** Everything but the keys. Without a file nothing is loaded: most runs have none. */
  async settings(): Promise<Readonly<Record<string, unknown>>> {
    if (!existsSync(this.path)) return {};
    const { 'api-keys': _, ...settings } = (await this.#open()).store;
    return settings;
  }

  async set(name: string, value: unknown): Promise<void> {
    (await this.#open()).set(name, value);
  }

  async unset(name: string): Promise<void> {
    if (existsSync(this.path)) (await this.#open()).delete(name);
  }

  /** The key for a service, and for no other. */
  async apiKey(baseUrl: string): Promise<string | undefined> {
    return (await this.#keys())[baseUrl];
  }

  /** Every service a key is kept for, with the key's last four characters. */
  async keyPlaces(): Promise<Readonly<Record<string, string>>> {
    const entries = Object.entries(await this.#keys());
    return Object.fromEntries(entries.map(([place, key]) => [place, key.slice(-4)]));
  }

  async keepKey(baseUrl: string, key: string): Promise<void> {
    const keys = await this.#keys();
    (await this.#open()).set('api-keys', { ...keys, [baseUrl]: key });
  }

  /** False when there was none. */
  async forgetKey(baseUrl: string): Promise<boolean> {
    const { [baseUrl]: forgotten, ...others } = await this.#keys();
    if (forgotten === undefined) return false;
    (await this.#open()).set('api-keys', others);
    return true;
  }

  async #keys(): Promise<Keys> {
    if (!existsSync(this.path)) return {};
    const keys = (await this.#open()).get('api-keys');
    if (typeof keys !== 'object' || keys === null) return {};
    const texts = Object.entries(keys).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    return Object.fromEntries(texts);
  }

  async #open(): Promise<Conf<Record<string, unknown>>> {
    this.#conf ??= await openConf(this.#folder, this.path);
    return this.#conf;
  }
}

async function openConf(folder: string, path: string): Promise<Conf<Record<string, unknown>>> {
  const { default: ConfClass } = await import('conf');
  try {
    await dropEmpty(path);
    const conf = new ConfClass<Record<string, unknown>>({
      projectName: 'skinsmith',
      cwd: folder,
      configName: 'config',
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
    });
    void conf.store; // read now, so that a broken file is told here
    return conf;
  } catch (cause) {
    const reason =
      cause instanceof SyntaxError ? 'is not JSON' : `cannot be read (${(cause as Error).message})`;
    throw new CliError('invalid_config', `The config file ${path} ${reason}.`, {
      exit: 'usage',
      hint: `Mend it or remove it: ${path}`,
      cause,
    });
  }
}

/** An empty file, as a crash or a full disk can leave one, holds no settings. */
async function dropEmpty(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined); // not there, then there is nothing to drop
  if (found?.isFile() && found.size === 0) await rm(path, { force: true });
}
