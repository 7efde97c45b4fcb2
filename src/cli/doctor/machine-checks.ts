import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, constants, open, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { reasonOf } from '../../base/error-reasons.ts';
import { VERSION } from '../../base/version.ts';
import {
  ENVIRONMENT,
  envNameOf,
  isSettingName,
  originOf,
  parseSetting,
  SETTING_NAMES,
  type SettingName,
  type SettingOrigin,
  shownValue,
} from '../config/settings.ts';
import type { CommandContext } from '../context/context.ts';
import { CliError } from '../errors/exit.ts';
import { type Check, type CheckFinding, ok, problem, warning } from './check.ts';

/** Reports the program's version and platform. On an unsupported Node the program does not start. */
export const programCheck: Check = {
  needs: [],
  look: async () =>
    ok(`skinsmith ${VERSION} on Node ${process.versions.node} (${process.platform} ${process.arch}).`),
};

/** Checks that each setting is valid, and reports its origin and what it overrides. */
export const settingsCheck: Check = {
  needs: ['config'],
  look: async (setup) => {
    const origins = await setup.origins();
    const wrong = [...origins].flatMap(([name, origin]) => faultOf(name, origin));
    const [first] = wrong;
    if (first) return problem(wrong.map(({ message }) => message).join(' '), first.hint);
    const file = await (await setup.context.configFile()).settings();
    const [variables, keys] = [
      unknownVariables(setup.context),
      Object.keys(file).filter((name) => !isSettingName(name)),
    ];
    if (variables.length + keys.length > 0) {
      const hint = keys.length > 0 ? KEY_HINT : VARIABLE_HINT;
      return warning(`${[...variables, ...keys].join(', ')}: unknown setting.`, hint);
    }
    const hidden = SETTING_NAMES.flatMap((name) => hiddenIn(name, { origins, file }));
    if (hidden.length > 0)
      return warning(hidden.join(' '), 'Unset the variable, or the setting in the file.');
    if (origins.size === 0) return ok('Nothing is set: the defaults apply.');
    return ok(`${[...origins].map(([name, { from }]) => `${name} from ${from}`).join(', ')}.`);
  },
};

const KEY_HINT = 'Remove it from the config file; skinsmith help config set lists the settings.';
const VARIABLE_HINT = 'Unset it; skinsmith help environment lists the variables.';

function faultOf(name: SettingName, origin: SettingOrigin): CliError[] {
  try {
    parseSetting(name, origin);
    return [];
  } catch (error) {
    if (error instanceof CliError) return [error];
    throw error;
  }
}

function unknownVariables({ env }: Pick<CommandContext, 'env'>): string[] {
  const named = ENVIRONMENT.flat().flatMap((text) => text.match(/SKINSMITH_[A-Z_]+/g) ?? []);
  const known = new Set([...named, ...SETTING_NAMES.map(envNameOf)]);
  return Object.keys(env).filter((name) => name.startsWith('SKINSMITH_') && !known.has(name));
}

function hiddenIn(
  name: SettingName,
  {
    origins,
    file,
  }: { origins: ReadonlyMap<SettingName, SettingOrigin>; file: Readonly<Record<string, unknown>> },
): string[] {
  const seen = origins.get(name);
  const beneath = originOf(name, { flags: {}, env: {}, file });
  if (!seen?.from.startsWith('SKINSMITH_') || !beneath) return [];
  if (String(seen.value) === String(beneath.value)) return [];
  return [
    `${seen.from} (${shownValue(name, seen)}) overrides ${name} in the config file (${shownValue(name, beneath)}).`,
  ];
}

/** Free space below which a warning is given: a store and its journal grow. */
const LITTLE_SPACE = 100 * 1024 * 1024;

/**
 * Checks that a folder is writable, or can be created. Only a write proves it: permissions do not apply to every user,
 * and a file system may be read-only or full.
 */
export async function lookAtFolder(folder: string): Promise<CheckFinding> {
  try {
    const existing = await nearestFolder(folder);
    if (existing === folder) await tryToWrite(folder);
    else await access(existing, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = await statfs(existing);
    const space = bavail * bsize;
    const state = existing === folder ? 'can be written' : 'is created when needed';
    const detail = `${folder} ${state}; ${sizeText(space)} free.`;
    return space < LITTLE_SPACE ? warning(detail, 'Free some space on that disk.') : ok(detail);
  } catch (error) {
    return problem(`${folder} cannot be used: ${reasonFor(folder, error)}.`);
  }
}

/** Names the folder above it that is the cause, if there is one. @throws errors that do not come from the file system */
function reasonFor(folder: string, error: unknown): string {
  const { code, path = folder } = error as NodeJS.ErrnoException;
  const meaning = reasonOf(code);
  if (meaning === undefined) throw error;
  return path.startsWith(folder) ? meaning : `${path}: ${meaning}`;
}

/**
 * The folder itself, or the existing ancestor in which it would be created.
 * @throws Error of the file system, such as ENOTDIR
 */
async function nearestFolder(folder: string): Promise<string> {
  try {
    if ((await stat(folder)).isDirectory()) return folder;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if ((code !== 'ENOENT' && code !== 'ENOTDIR') || dirname(folder) === folder) throw error;
    return await nearestFolder(dirname(folder));
  }
  throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR', path: folder });
}

async function tryToWrite(folder: string): Promise<void> {
  const path = join(folder, `.doctor-${randomUUID()}`);
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile('skinsmith doctor was here\n');
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

function sizeText(bytes: number): string {
  const mebibytes = bytes / 1024 / 1024;
  return mebibytes < 1024 ? `${mebibytes.toFixed(0)} MiB` : `${(mebibytes / 1024).toFixed(1)} GiB`;
}

/** The files that users other than their owner may read. Windows has no such modes. */
async function readableByOthers(paths: readonly string[]): Promise<string[]> {
  if (process.platform === 'win32') return [];
  const open = await Promise.all(paths.map(async (path) => ({ path, mode: await modeOf(path) })));
  return open.filter(({ mode }) => (mode & 0o077) !== 0).map(({ path }) => path);
}

/** 0 if the file does not exist. */
async function modeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).mode;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 0;
    throw error;
  }
}

/** Checks the config file: readable, private to its owner, and in a writable folder. */
export const configCheck: Check = {
  needs: [],
  look: async ({ context: { configFile, folders } }) => {
    const file = await configFile();
    await file.settings(); // throws if the file is invalid
    const folder = await lookAtFolder(folders.config);
    if (folder.result === 'problem') {
      // Not a problem for the other checks: commands work with the existing settings.
      const detail = `${folder.detail} Settings and API keys cannot be stored.`;
      return warning(detail, 'Make it writable, or choose another: SKINSMITH_CONFIG_DIR');
    }
    const { path } = file;
    if (!existsSync(path)) return { ...folder, detail: `${path} does not exist: the defaults apply.` };
    if ((await readableByOthers([path])).length > 0) {
      return warning(`${path} holds API keys and can be read by others.`, `chmod 600 ${path}`);
    }
    return folder.result === 'ok' ? ok(`${path} is fine.`) : folder;
  },
};

/** Files of the service that only their owner may read: private skins and signing secrets. */
const SECRETS = ['skinsmith.db', 'signing-key.pem', 'account-key'];

/** Checks the data folder: writable, with free space, its secrets private to its owner. */
export const dataCheck: Check = {
  needs: [],
  look: async ({ context: { folders } }) => {
    const folder = await lookAtFolder(folders.data);
    if (folder.result === 'problem') {
      return problem(folder.detail, 'Make it writable, or choose another: SKINSMITH_DATA_DIR');
    }
    const open = await readableByOthers(SECRETS.map((name) => join(folders.data, name)));
    if (open.length === 0) return folder;
    return warning(`Others can read ${open.join(', ')}.`, `chmod 600 ${open.join(' ')}`);
  },
};
