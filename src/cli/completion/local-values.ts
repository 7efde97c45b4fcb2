import { type Dirent, statSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isSettingName, SETTING_NAMES, settingChoices } from '../config/settings.ts';
import type { CommandContext } from '../context/context.ts';

/** The kinds of values completed from data stored on this machine. */
export type LocalKind =
  | 'jobs'
  | 'skins'
  | 'services'
  | 'settings'
  | 'setting-values'
  | 'users'
  | 'keys'
  | 'capes'
  | 'accounts'
  | 'identities';

/** A completion candidate and its description. */
export interface LocalValue {
  readonly value: string;
  readonly about?: string | undefined;
}

/** Maximum number of candidates; a longer list is no help. */
const MAX_VALUES = 200;
/** Job IDs mean little by themselves, so only a few are offered. */
const NEWEST_JOBS = 20;
const MAX_FOLDERS = 50;
/** Maximum number of bytes read from a lockfile. */
const MAX_BYTES = 1024 * 1024;

/**
 * Lists the stored values of a kind, newest first where the order is known. It neither contacts nor starts a service.
 * @param previous the preceding word on the command line
 */
export async function localValues(
  kind: LocalKind,
  previous: string,
  context: Pick<CommandContext, 'jobSources' | 'configFile' | 'seenNames'>,
  cwd = '.',
): Promise<LocalValue[]> {
  const find: Record<LocalKind, () => LocalValue[] | Promise<LocalValue[]>> = {
    jobs: async () => await jobs(context),
    skins: async () => [...(await lockedSkins(cwd)), ...(await context.seenNames.of('skins'))],
    services: async () => await services(context),
    settings: () => SETTING_NAMES.map((value) => ({ value })),
    'setting-values': async () =>
      previous === 'base-url' ? await services(context) : valuesOfSetting(previous),
    users: async () => await context.seenNames.of('users'),
    keys: async () => await context.seenNames.of('keys'),
    capes: async () => await context.seenNames.of('capes'),
    accounts: async () => await context.seenNames.of('accounts'),
    identities: async () => await context.seenNames.of('identities'),
  };
  return (await find[kind]()).slice(0, MAX_VALUES);
}

async function jobs({ jobSources }: Pick<CommandContext, 'jobSources'>): Promise<LocalValue[]> {
  const sources = [...(await jobSources.sources())];
  return sources
    .reverse()
    .slice(0, NEWEST_JOBS)
    .map(([value, about]) => ({ value, about }));
}

async function services({ configFile }: Pick<CommandContext, 'configFile'>): Promise<LocalValue[]> {
  const { 'base-url': set } = await configFile.settings();
  const places = Object.keys(await configFile.keyPlaces());
  const all = new Set([...(typeof set === 'string' ? [set] : []), ...places]);
  return [...all].map((value) => ({ value }));
}

function valuesOfSetting(name: string): LocalValue[] {
  return isSettingName(name) ? settingChoices(name).map((value) => ({ value })) : [];
}

/** Skins in the lockfiles of the current folder and its subfolders. */
async function lockedSkins(cwd: string): Promise<LocalValue[]> {
  const inside = await readdir(cwd, { withFileTypes: true });
  const folders = inside.filter((entry: Dirent) => entry.isDirectory()).slice(0, MAX_FOLDERS);
  const files = ['.', ...folders.map(({ name }) => name)].map((name) => join(cwd, name, 'skins.lock'));
  const skins = [];
  for (const file of files) if (isRegularFile(file)) skins.push(...(await skinsOf(file)));
  return skins;
}

/** Opening a pipe would wait for a writer, and the shell with it. */
function isRegularFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false; // in a folder of somebody else's, a loop of links
  }
}

async function skinsOf(lockfile: string): Promise<LocalValue[]> {
  const file = await open(lockfile);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead).split('\n').flatMap(skinOf);
  } finally {
    await file.close();
  }
}

function skinOf(line: string): LocalValue[] {
  try {
    const { uuid, source } = JSON.parse(line) as Record<string, unknown>;
    return typeof uuid === 'string' && typeof source === 'string' ? [{ value: uuid, about: source }] : [];
  } catch {
    return []; // not an entry, or truncated at the read limit
  }
}
