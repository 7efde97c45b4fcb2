import { type Dirent, statSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Argument, Command, Option } from 'commander';
import { parsedJson } from '../../base/text.ts';
import { isSettingName, SETTING_NAMES, settingChoices } from '../config/settings.ts';
import type { CommandContext, CommandModule } from '../context/context.ts';
import { COMMAND_GROUPS, shownCommands, TOPIC_SUMMARIES } from '../help/help-page.ts';
import { FORMAT_NAMES } from '../output/format-names.ts';
import { REPORT_KINDS } from '../output/reports/report.ts';
import { tabRows } from '../text/text.ts';

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

interface LocalValue {
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
  const file = await configFile();
  const { 'base-url': set } = await file.settings();
  const places = Object.keys(await file.keyPlaces());
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
    return false; // in a folder of someone else's, a loop of links
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

/** None for a line that is not an entry, or was truncated at the read limit. */
function skinOf(line: string): LocalValue[] {
  const { uuid, source } = Object(parsedJson(line)) as Record<string, unknown>;
  return typeof uuid === 'string' && typeof source === 'string' ? [{ value: uuid, about: source }] : [];
}

/** The possible completions where the user pressed Tab. */
interface ShellCompletion {
  /** Paths that the shell offers beside the values. */
  readonly paths: 'files' | 'folders' | 'none';
  /** The start of the current word, up to the part that values and paths complete, such as `--format=json,`. */
  readonly lead: string;
  readonly values: readonly LocalValue[];
}

interface Possible {
  readonly words?: readonly string[];
  /** Whether it is a comma-separated list of the words. */
  readonly isList?: boolean;
  /** Values that this machine has stored. */
  readonly stored?: LocalKind;
  readonly paths?: ShellCompletion['paths'];
}

const FILES: Possible = { paths: 'files' };
/** Free text. */
const TEXT: Possible = {};
const STORED_SETTINGS: Possible = { stored: 'settings' };
const STORED_USERS: Possible = { stored: 'users' };
/** A skin of the service, beside the files that may be drawn. */
const SKIN_OR_FILE: Possible = { stored: 'skins', paths: 'files' };

/** Possible values by placeholder name. Any other placeholder is free text. */
const BY_PLACEHOLDER: Readonly<Record<string, Possible>> = {
  source: FILES,
  path: FILES,
  file: FILES,
  list: FILES,
  folder: { paths: 'folders' },
  formats: { words: FORMAT_NAMES, isList: true },
  scopes: { words: ['read', 'generate', 'skins', 'account', 'operator'], isList: true },
  'kind=file': { words: REPORT_KINDS.map((kind) => `${kind}=`), paths: 'files' },
  who: { words: ['game'] },
  topic: { words: [...Object.values(COMMAND_GROUPS).flat(), ...TOPIC_SUMMARIES.map(([name]) => name)] },
  job: { stored: 'jobs' },
  uuid: { stored: 'skins' },
  url: { stored: 'services' },
  id: { stored: 'keys' },
  user: STORED_USERS,
  account: { stored: 'accounts' },
  cape: { stored: 'capes' },
};

/** Possible values of ambiguous placeholders, by command and placeholder. */
const BY_PLACE: Readonly<Record<string, Possible>> = {
  'config get name': STORED_SETTINGS,
  'config set name': STORED_SETTINGS,
  'config set value': { stored: 'setting-values' },
  'config unset name': STORED_SETTINGS,
  'identities delete id': { stored: 'identities' },
  'preview source': SKIN_OR_FILE,
  'render source': SKIN_OR_FILE,
  'serve id': TEXT,
  'serve scopes': TEXT,
  'users get name': STORED_USERS,
  'users edit name': STORED_USERS,
  'users invite name': STORED_USERS,
  'users uninvite name': STORED_USERS,
  'users disable name': STORED_USERS,
  'users enable name': STORED_USERS,
};

/**
 * Completes a command line.
 * @param program the command tree; the commands that the line names must be loaded
 * @param typed the words before the current one, without the program's name
 * @param stored finds the values of a kind, by the word before
 */
export async function completionOf(
  program: Command,
  typed: readonly string[],
  current: string,
  stored: (kind: LocalKind, previous: string) => Promise<LocalValue[]>,
): Promise<ShellCompletion> {
  const { command, path, count, hasEnded, pending } = walk(program, typed);
  const offer = async (possible: Possible, lead = '') =>
    await offered(possible, lead, current, async (kind) => await stored(kind, typed.at(-1) ?? ''));
  if (pending) return await offer(valuesOf(pending, path));
  if (!hasEnded && current.startsWith('-')) {
    const lead = /^--[^=]+=/.exec(current)?.[0];
    if (lead === undefined) return { paths: 'none', lead: '', values: optionsOf(command, program) };
    const option = optionNamed(lead.slice(0, -1), command, program);
    return await offer(option && takesValue(option) ? valuesOf(option, path) : TEXT, lead);
  }
  const children = shownCommands(command);
  if (children.length > 0) {
    const values = children.map((child) => ({ value: child.name(), about: child.summary() }));
    return { paths: 'none', lead: '', values };
  }
  const argument = argumentAt(command, count);
  return await offer(argument ? valuesOf(argument, path) : TEXT);
}

interface Place {
  readonly command: Command;
  /** Words after the program's name, such as `skins list`. */
  readonly path: string;
  readonly count: number;
  readonly hasEnded: boolean;
  readonly pending: Option | undefined;
}

function walk(program: Command, typed: readonly string[]): Place {
  let command = program;
  const path = [];
  let count = 0;
  let hasEnded = false;
  let pending: Option | undefined;
  for (const word of typed) {
    const child = shownCommands(command).find((each) => each.name() === word);
    if (pending) pending = undefined;
    else if (!hasEnded && word === '--') hasEnded = true;
    else if (!hasEnded && /^-./.test(word)) {
      const option = optionNamed(word, command, program);
      pending = option && takesValue(option) ? option : undefined;
    } else if (child) {
      command = child;
      path.push(word);
    } else count++;
  }
  return { command, path: path.join(' '), count, hasEnded, pending };
}

/** The last argument may be one that can be repeated. */
function argumentAt({ registeredArguments }: Command, count: number): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[count] ?? (last?.variadic ? last : undefined);
}

/** A command has the program's options besides its own. */
function allOptions(command: Command, program: Command): Option[] {
  return [...new Set([command, program])].flatMap((each) => each.createHelp().visibleOptions(each));
}

function namesOf({ short, long }: Option): string[] {
  return [short, long].filter((name) => name !== undefined && name !== null);
}

function optionNamed(name: string, command: Command, program: Command): Option | undefined {
  return allOptions(command, program).find((option) => namesOf(option).includes(name));
}

function optionsOf(command: Command, program: Command): LocalValue[] {
  const values = allOptions(command, program).flatMap((option) =>
    namesOf(option).map((value) => [value, option.description] as const),
  );
  return [...new Map(values.toReversed())].toReversed().map(([value, about]) => ({ value, about }));
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

function valuesOf(one: Argument | Option, path: string): Possible {
  if (one.argChoices) return { words: one.argChoices };
  const placeholder = 'flags' in one ? (/[<[](.*?)[\]>]/.exec(one.flags)?.[1] ?? '') : one.name();
  return BY_PLACE[`${path} ${placeholder}`] ?? BY_PLACEHOLDER[placeholder] ?? TEXT;
}

async function offered(
  { words = [], isList, stored, paths = 'none' }: Possible,
  lead: string,
  current: string,
  find: (kind: LocalKind) => Promise<LocalValue[]>,
): Promise<ShellCompletion> {
  const value = current.slice(lead.length);
  const values = words.map((word) => ({ value: word }));
  if (isList) return { paths, lead: lead + value.slice(0, value.lastIndexOf(',') + 1), values };
  const before = words.find((word) => word.endsWith('=') && value.startsWith(word));
  if (before !== undefined) return { paths, lead: lead + before, values: [] };
  if (words.length > 0) return { paths: 'none', lead, values };
  return { paths, lead, values: stored ? await find(stored) : [] };
}

/** Internal: the scripts of `completion` call it. No help shows it. */
export const complete = {
  description: 'Print what can follow on a command line, for completion scripts.',
  examples: {},
  output: [],
  declare: (command) =>
    command
      .option('--current <word>', 'the word to complete', '')
      .argument('[word...]', 'the words before it'),
  run: runComplete,
} satisfies CommandModule;

/** `typed`: the words before the one to complete, without the program's name. */
async function runComplete(
  this: Command,
  typed: readonly string[],
  { current }: { readonly current: string },
  context: CommandContext,
): Promise<void> {
  const { paths, lead, values } = await completionOf(
    this.parent ?? this,
    typed,
    current,
    async (kind, previous) => await localValues(kind, previous, context),
  );
  context.io.out.write(tabRows([[paths, lead], ...values.map(({ value, about }) => [value, about])]));
}
