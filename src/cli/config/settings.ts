import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type Conf from 'conf';
import { z } from 'zod';
import { systemClock } from '../../base/clock.ts';
import { reasonOf } from '../../base/error-reasons.ts';
import { makeFolder } from '../../base/files.ts';
import type { ProcessLock } from '../../base/process-lock.ts';
import { VERSION } from '../../base/version.ts';
import { parseBaseUrl } from '../../client/requester.ts';
import { CliError, unusableHint, usageError } from '../errors/exit.ts';
import { durationIn, isNetwork } from '../options/option-values.ts';
import { FORMAT_NAMES, type FormatChoice, formatsFault, splitFormats } from '../output/format-names.ts';

export const SETTING_NAMES = [
  'base-url',
  'visibility',
  'variant',
  'slots',
  'poll-interval',
  'format',
  'color',
  'user-agent',
  'allow-network',
] as const;
export type SettingName = (typeof SETTING_NAMES)[number];

const oneOf = <const T extends readonly [string, ...string[]]>(words: T) =>
  z.enum(words, { error: `must be one of ${words.join(', ')}` });

/** The message of `parseBaseUrl`, which may quote the text, as the end of a sentence. */
function urlFault(message: string): string {
  return message.replace(/^(?:".*"|the URL) /, '');
}

const baseUrl = z.string('must be an address like https://api.example.org').transform((text, context) => {
  try {
    return parseBaseUrl(text).baseUrl;
  } catch (error) {
    context.addIssue(urlFault((error as Error).message));
    return z.NEVER;
  }
});

const NETWORKS = 'must be networks like 10.0.0.0/8 or fd00::/8, separated by commas';

/** The valid values of each setting. The messages continue a sentence that begins with "it". */
const SCHEMAS = {
  'base-url': baseUrl,
  visibility: oneOf(['public', 'unlisted', 'private']),
  variant: oneOf(['auto', 'classic', 'slim']),
  slots: z.coerce
    .number('must be a whole number from 1 to 100')
    .int('must be a whole number from 1 to 100')
    .min(1, 'must be at least 1')
    .max(100, 'must be at most 100'),
  // A time with a unit, or seconds; the config file holds the seconds.
  'poll-interval': z
    .preprocess(
      (value) => durationIn('s', String(value)),
      z.number('must be a time like 500ms or 5s, from 0.2s to 60s'),
    )
    .refine((seconds) => seconds >= 0.2, 'must be at least 0.2 seconds')
    .refine((seconds) => seconds <= 60, 'must be at most 60 seconds'),
  // Options and variables are texts; the config file holds the list that `config set` stored.
  format: z
    .preprocess((value) => (Array.isArray(value) ? value.join(',') : value), z.string(formatsFault('')))
    .superRefine((text, context) => {
      const fault = formatsFault(text);
      if (fault !== undefined) context.addIssue(fault);
    })
    .transform((text) => splitFormats(text) as FormatChoice[]),
  color: oneOf(['auto', 'always', 'never']),
  'user-agent': z
    .string()
    .min(1, 'must not be empty')
    .max(200, 'must have at most 200 characters')
    .regex(/^[\x20-\x7e]+$/, 'must be plain ASCII text'),
  'allow-network': z
    .preprocess((value) => (Array.isArray(value) ? value.join(',') : value), z.string(NETWORKS))
    .transform((text) => text.split(',').map((network) => network.trim()))
    .refine((networks) => networks.every(isNetwork), NETWORKS),
} as const satisfies Record<SettingName, z.ZodType>;

export type Settings = { readonly [K in SettingName]: z.output<(typeof SCHEMAS)[K]> | undefined };

/** The sources of a value, highest precedence first. */
export interface SettingSources {
  readonly flags: Partial<Record<SettingName, unknown>>;
  readonly env: NodeJS.ProcessEnv;
  readonly file: Readonly<Record<string, unknown>>;
}

export interface SettingOrigin {
  readonly value: unknown;
  readonly from: string;
}

/** `SKINSMITH_BASE_URL` for `base-url`. */
export function envNameOf(name: string): string {
  return `SKINSMITH_${name.toUpperCase().replaceAll('-', '_')}`;
}

/** The source with the highest precedence that sets the value: flags > environment > config file. */
export function originOf(name: SettingName, { flags, env, file }: SettingSources): SettingOrigin | undefined {
  if (flags[name] !== undefined) return { value: flags[name], from: `--${name}` };
  const variable = envNameOf(name);
  if (env[variable]) return { value: env[variable], from: variable };
  if (file[name] !== undefined && file[name] !== null) return { value: file[name], from: 'the config file' };
  return undefined;
}

/** @throws CliError naming the setting, its source and the allowed values */
export function resolveSettings(sources: SettingSources): Settings {
  const entries = SETTING_NAMES.map((name) => {
    const origin = originOf(name, sources);
    return [name, origin && parseSetting(name, origin)] as const;
  });
  return Object.fromEntries(entries) as Settings;
}

export function parseSetting(name: SettingName, { value, from }: SettingOrigin): unknown {
  const parsed = SCHEMAS[name].safeParse(value);
  if (parsed.success) return parsed.data;
  const allowed = parsed.error.issues[0]?.message;
  throw usageError(
    'invalid_setting',
    `${[name, quoted(name, value), `(from ${from})`].filter(Boolean).join(' ')} is invalid: it ${allowed}.`,
    from === 'the config file'
      ? `Correct it: skinsmith config set ${name} … or skinsmith config unset ${name}`
      : undefined,
  );
}

function quoted(name: SettingName, value: unknown): string | undefined {
  return isSafeToShow(name, value) ? `"${String(value)}"` : undefined;
}

/** False for an address with a user name, password or query, which is refused and shown nowhere, not even in part. */
function isSafeToShow(name: SettingName, value: unknown): boolean {
  return name !== 'base-url' || !/[@?#]/.test(String(value));
}

/** A value as lists and reports show it. */
export function shownValue(name: SettingName, { value }: SettingOrigin): unknown {
  return isSafeToShow(name, value) ? value : 'an address that is not accepted';
}

/** The choices of a setting that takes one of a few words. */
export function settingChoices(name: SettingName): readonly string[] {
  if (name === 'format') return FORMAT_NAMES;
  const schema = SCHEMAS[name];
  return schema instanceof z.ZodEnum ? schema.options : [];
}

export function isSettingName(name: string): name is SettingName {
  return SETTING_NAMES.some((known) => known === name);
}

/** What each setting does, what it may be, and what applies without it; help and man pages are generated from this. */
export const SETTING_MEANINGS = {
  'base-url':
    'address of the service to use, such as https://api.mineskin.org (default: the embedded service)',
  visibility: 'who can find new skins: public, unlisted or private (default: public)',
  variant:
    'arm variant of new skins: auto, classic or slim; auto detects it from the picture (default: auto)',
  slots: 'maximum number of queue slots that a command uses, 1 to 100 (default: all that your plan has)',
  'poll-interval':
    'longest time between requests for the status of unfinished jobs, from 0.2s to 60s (default: 5s; for jobs --watch: 3s)',
  format:
    'what to print or write for each skin, comma-separated: see skinsmith help formats (default: text; in files, json)',
  color: 'when to use colours: auto, always or never (default: auto)',
  'user-agent': `User-Agent of requests, at most 200 ASCII characters (default: skinsmith/${VERSION})`,
  'allow-network':
    "private networks that textures may be fetched from besides the service's own host, comma-separated (default: none)",
} as const satisfies Record<SettingName, string>;

/** Environment variables and their effects; help and man pages are generated from this table. */
export const ENVIRONMENT: readonly (readonly [name: string, meaning: string])[] = [
  ['SKINSMITH_BASE_URL', 'service to use, as with --base-url'],
  [
    'SKINSMITH_<SETTING>',
    'any other setting: SKINSMITH_VISIBILITY, SKINSMITH_FORMAT and so on (see skinsmith help config set)',
  ],
  ['SKINSMITH_API_KEY', 'API key for the service, for example in CI'],
  ['SKINSMITH_NO_LOCAL', 'if set to 1, never fall back to the embedded service, as with --no-local'],
  [
    'SKINSMITH_INSECURE_HTTP',
    'if set to 1, allow sending the API key over plain http to public addresses, as with --insecure-http',
  ],
  ['SKINSMITH_CONFIG_DIR', 'folder of the config file (see skinsmith config path)'],
  [
    'SKINSMITH_DATA_DIR',
    'data folder of the embedded service, with its store and signing key; also holds the journals of batches',
  ],
  [
    'XDG_CONFIG_HOME',
    'on Linux, parent of the config folder unless SKINSMITH_CONFIG_DIR is set (default: ~/.config)',
  ],
  [
    'XDG_DATA_HOME',
    'on Linux, parent of the data folder unless SKINSMITH_DATA_DIR is set (default: ~/.local/share)',
  ],
  ['SKINSMITH_STORE', 'PostgreSQL database that serve uses as its store, as with --store'],
  ['SKINSMITH_FETCH_PROXY', 'proxy that serve uses for webhooks and picture URLs, as with --fetch-proxy'],
  ['SKINSMITH_GENERATOR', 'how serve makes skins, as with --generator'],
  ['SKINSMITH_UPSTREAM', 'service that makes the skins for serve, as with --upstream'],
  ['SKINSMITH_UPSTREAM_KEY', 'API key for that service'],
  [
    'SKINSMITH_GAME_ADDRESSES',
    "other addresses of Mojang's services, as JSON (sessionServer, services, textures, publicKeys, geyser)",
  ],
  ['SKINSMITH_LOGIN_CLIENT_ID', 'ID of your Microsoft application, as with --login-client-id of serve'],
  ['SKINSMITH_OIDC_ISSUER', 'sign-in provider of serve, as with --oidc-issuer'],
  ['SKINSMITH_OIDC_CLIENT_ID', "the service's client ID at that provider"],
  ['SKINSMITH_OIDC_SECRET', 'client secret for that provider'],
  [
    'NODE_COMPILE_CACHE',
    "folder for compiled code, which speeds up starts (default: the user's cache folder, ~/.cache)",
  ],
  ['NODE_DISABLE_COMPILE_CACHE', 'if set, keep no compiled code'],
  ['NO_COLOR', 'if set, do not use colours'],
  ['NODE_EXTRA_CA_CERTS', 'file of certificate authorities to trust besides the usual ones'],
  [
    'HTTPS_PROXY, HTTP_PROXY',
    'proxies for the service, its textures, Mojang and the sign-in provider; in lower case, too',
  ],
  [
    'NO_PROXY',
    'hosts to reach without a proxy: names, domains, addresses, networks, or *; separated by commas',
  ],
];

/** Global options. Only those that the user typed are present. */
export interface GlobalFlags {
  readonly baseUrl?: string;
  /** False: `--no-local`. */
  readonly local?: boolean;
  readonly insecureHttp?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** Milliseconds between attempts to lock the file, and before giving up. */
const LOCK_PAUSE = 50;
const LOCK_PATIENCE = 10_000;

type Keys = Record<string, string>;

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
    await this.#underLock((conf) => conf.set(name, value));
  }

  async unset(name: string): Promise<void> {
    if (existsSync(this.path)) await this.#underLock((conf) => conf.delete(name));
  }

  async apiKey(baseUrl: string): Promise<string | undefined> {
    return (await this.#keys())[baseUrl];
  }

  /** Every service with a stored key, and the key's last four characters. */
  async keyPlaces(): Promise<Readonly<Record<string, string>>> {
    const entries = Object.entries(await this.#keys());
    return Object.fromEntries(entries.map(([place, key]) => [place, key.slice(-4)]));
  }

  async keepKey(baseUrl: string, key: string): Promise<void> {
    await this.#underLock((conf) => conf.set('api-keys', { ...keysIn(conf.store), [baseUrl]: key }));
  }

  /** False if there was none. */
  async forgetKey(baseUrl: string): Promise<boolean> {
    if (!existsSync(this.path)) return false;
    return await this.#underLock((conf) => {
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
  async #underLock<T>(change: (conf: Conf<Record<string, unknown>>) => T): Promise<T> {
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
