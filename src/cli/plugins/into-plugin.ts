import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Leftovers } from '../../base/files.ts';
import type { BatchResult } from '../../batch/model.ts';
import { withoutStyle } from '../../batch/sources/skin-names.ts';
import type { CommandContext } from '../context/context.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { clean, count, jsonLine, oneLine } from '../text/text.ts';
import type { PluginFile } from './plugin-files.ts';
import { type NamedSkin, type OpenPlugin, PLUGINS, type Plugin, pluginOf } from './plugins.ts';
import { EditError } from './yaml-edits.ts';

/** A skin that the plugin did not get, and why, as a clause. */
interface LeftSkin {
  readonly name: string;
  readonly why: string;
}

interface IntoView {
  readonly plugin: string;
  readonly carried: number;
  readonly npcs: number;
  readonly left: readonly LeftSkin[];
  readonly files: readonly { readonly file: string; readonly copy?: string }[];
}

export const INTO_FIELDS: Readonly<Record<keyof IntoView, string>> = {
  plugin: 'name of the plugin',
  carried: 'number of skins that were put into its files',
  npcs: 'number of NPCs that have them',
  left: 'skins that the plugin did not get, each with name and why',
  files: 'files that were changed, each with file and, unless it is new, copy: the file as it was',
};

/** Puts skins into the files of a plugin: where it has the NPCs of their names. */
export class IntoPlugin {
  readonly folder: string;
  readonly #plugin: Plugin;
  readonly #open: OpenPlugin;
  readonly #left: LeftSkin[] = [];
  readonly #renamed: string[] = [];
  readonly #names = new Set<string>();
  /** Names of sources whose skins have still to be made. */
  readonly #awaited: string[] = [];
  readonly #copies = new Map<PluginFile, string | undefined>();
  #carried = 0;
  #npcs = 0;
  #isWritten = false;

  /** @throws CliError if the folder is that of no plugin, or its files cannot be changed */
  constructor(given: string) {
    const found = statSync(given, { throwIfNoEntry: false });
    this.folder = found?.isFile() ? dirname(given) : given.replace(/[/\\]+$/, '');
    if (!found) throw usageError('no_such_plugin', `There is no folder ${clean(given)}.`, PLUGINS_HINT);
    const plugin = pluginOf(this.folder);
    if (!plugin)
      throw usageError(
        'no_such_plugin',
        `${clean(given)} is not a folder of a plugin that skins can be put into.`,
        PLUGINS_HINT,
      );
    this.#plugin = plugin;
    this.#open = explained(() => plugin.open(this.folder));
  }

  add({ skin, stem, source }: BatchResult): void {
    if (!skin) return;
    const name = plain(skin.name ?? nameIn(stem));
    const { value, signature, texture } = skin;
    this.#put({ name, value, signature, url: texture.url }, source);
  }

  /** A skin that has still to be made. */
  await({ stem }: Pick<BatchResult, 'stem'>): void {
    const name = plain(nameIn(stem));
    if (this.#open.placesOf(name) > 0) this.#awaited.push(name);
    else this.#left.push({ name, why: this.#noNpc });
  }

  get #noNpc(): string {
    return `${this.#plugin.name} has no NPC of this name`;
  }

  #put(skin: NamedSkin, source: string): void {
    const { name } = skin;
    if (this.#names.has(name)) {
      this.#left.push({ name, why: `another source has this name too (${source})` });
      return;
    }
    this.#names.add(name);
    try {
      const { places, as } = this.#open.put(skin);
      if (places === 0) this.#left.push({ name, why: this.#noNpc });
      else this.#carried++;
      this.#npcs += places;
      if (as !== undefined) this.#renamed.push(`${name} is ${as}`);
    } catch (error) {
      if (!(error instanceof EditError)) throw error;
      this.#left.push({ name, why: error.message });
    }
  }

  /** Writes the files: none, if one of them has changed meanwhile. @throws CliError */
  write(now: number): void {
    const leftovers = new Leftovers(now);
    const files = this.#changed();
    for (const file of files) file.verifyUnchanged();
    for (const file of files) this.#copies.set(file, file.write(leftovers));
    this.#isWritten = true;
  }

  #changed(): readonly PluginFile[] {
    const files = explained(() => this.#open.files());
    return files.filter(({ hasChanged }) => hasChanged);
  }

  /** Says what was done, or would be. Returns whether the plugin has all skins. */
  async tell({ flags, io, messages }: CommandContext): Promise<boolean> {
    const files = this.#isWritten ? [...this.#copies.keys()] : this.#changed();
    if (flags.json) {
      if (!flags.quiet) io.err.write(jsonLine({ into: this.#view(files) }));
      return this.#left.length === 0;
    }
    if (!this.#isWritten) for (const file of files) for (const line of changeOf(file)) messages.say(line);
    if (this.#carried > 0 || this.#awaited.length === 0) messages.say(this.#sentence(files));
    for (const line of listed(this.#left.map(({ name, why }) => `Not put in: ${name}: ${why}.`)))
      messages.say(line);
    if (this.#renamed.length > 0)
      messages.say(`${this.#plugin.name} has names in lower case: ${short(this.#renamed)}.`);
    if (this.#awaited.length > 0) messages.say(`To be made first, then put in: ${short(this.#awaited)}.`);
    if (files.length === 0) return this.#left.length === 0;
    const held = heldWorld(this.folder);
    if (held !== undefined)
      await messages.warn(
        `A server seems to be running: ${clean(held)} is locked. It may overwrite this change. Stop it first, or make it reload the files at once.`,
      );
    if (this.#isWritten) messages.say(this.#plugin.next);
    return this.#left.length === 0;
  }

  #sentence(files: readonly PluginFile[]): string {
    const skins = `${count(this.#carried)} ${this.#carried === 1 ? 'skin' : 'skins'}`;
    const npcs = this.#plugin.hasNpcs ? ` (${count(this.#npcs)} ${this.#npcs === 1 ? 'NPC' : 'NPCs'})` : '';
    if (files.length === 0) return `${skins} into ${clean(this.folder)}${npcs}: nothing had to be changed.`;
    const old = files.filter(({ isNew }) => !isNew);
    const names = placesText(files);
    if (!this.#isWritten) return `Would put ${skins} into ${names}${npcs}. Everything else in it stays.`;
    const kept =
      old.length === 0
        ? ''
        : ` The files as they were: ${short(old.map((file) => basename(this.#copies.get(file) ?? '')))}.`;
    return `Put ${skins} into ${names}${npcs}. Everything else in it is unchanged.${kept}`;
  }

  #view(files: readonly PluginFile[]): IntoView {
    return {
      plugin: this.#plugin.name,
      carried: this.#carried,
      npcs: this.#npcs,
      left: this.#left,
      files: files.map((file) => {
        const copy = this.#copies.get(file);
        return { file: file.name, ...(copy !== undefined && { copy }) };
      }),
    };
  }
}

const PLUGINS_HINT = `Name the folder of ${PLUGINS.map(({ name }) => name).join(', ')}, such as plugins/FancyNpcs.`;

function nameIn(stem: string): string {
  return stem.slice(stem.lastIndexOf('/') + 1);
}

/** The files that were there by their names, and the number of those that are new. */
function placesText(files: readonly PluginFile[]): string {
  const [old, fresh] = [files.filter(({ isNew }) => !isNew), files.filter(({ isNew }) => isNew)];
  const names = short((old.length > 0 ? old : fresh).map(({ name }) => name));
  if (old.length === 0 || fresh.length === 0) return names;
  return `${names} and ${count(fresh.length)} new ${fresh.length === 1 ? 'file' : 'files'}`;
}

/** A name without colours, if there is more in it. */
function plain(name: string): string {
  return withoutStyle(name) || name;
}

/** @throws CliError if the files cannot be read or changed */
function explained<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof EditError)) throw error;
    throw new CliError('plugin_unusable', `${clean(error.message)}.`, {
      hint: 'Nothing was changed.',
      cause: error,
    });
  }
}

/** Names in a sentence. */
const MAX_NAMES = 3;
/** Lines about single skins. */
const MAX_LINES = 10;
/** Characters of a line of a change. */
const MAX_LINE = 78;

function short(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map((name) => clean(name));
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${count(more)} more` : shown.join(', ');
}

function listed(lines: readonly string[]): readonly string[] {
  const shown = lines.slice(0, MAX_LINES).map((line) => clean(line));
  return lines.length > shown.length
    ? [...shown, `… and ${count(lines.length - shown.length)} more.`]
    : shown;
}

/** The lines that a change takes out and puts in: those that both texts begin and end with are left out. */
function changeOf({ name, text, wanted }: PluginFile): readonly string[] {
  const [before, after] = [text.split('\n'), wanted.split('\n')];
  const lines: string[] = [];
  let [at, to] = [0, 0];
  while ((at < before.length || to < after.length) && lines.length <= MAX_LINES) {
    if (before[at] === after[to]) {
      at++;
      to++;
      continue;
    }
    const isAdded = !before.slice(at).includes(after[to] ?? '');
    const isGone = !after.slice(to).includes(before[at] ?? '');
    if (at < before.length && (isGone || to >= after.length)) lines.push(`${at + 1} - ${before[at++]}`);
    else if (isAdded || at >= before.length) lines.push(`${to + 1} + ${after[to++]}`);
    else at++;
  }
  const all = lines
    .filter((line) => line.trim() !== '')
    .map((line) => `  ${oneLine(line.trimEnd(), MAX_LINE)}`);
  const shown = all.slice(0, MAX_LINES).map((line) => clean(line));
  return [`${clean(name)}:`, ...shown, ...(all.length > shown.length ? ['  …'] : [])];
}

/** Folders of a server that may be worlds. */
const MAX_FOLDERS = 200;

/**
 * The file by which a server that runs holds one of its worlds, if the plugin's folder is one of a server's `plugins`: Minecraft keeps
 * it locked, and leaves it there when it stops.
 * @param locks the list of locks of the system, where Linux has it
 */
export function heldWorld(pluginFolder: string, locks = '/proc/locks'): string | undefined {
  const server = dirname(dirname(resolve(pluginFolder)));
  return worldsIn(server)
    .map((world) => join(server, world, 'session.lock'))
    .find((file) => isHeld(file, locks));
}

function worldsIn(server: string): readonly string[] {
  try {
    const folders = readdirSync(server, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return folders.slice(0, MAX_FOLDERS).map(({ name }) => name);
  } catch {
    return []; // not the folder of a server, or not readable
  }
}

function isHeld(file: string, locks: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) return false;
  const listed = readableText(locks);
  if (listed !== undefined) return new RegExp(`:${found.ino} `).test(listed);
  return readableText(file) === undefined; // Windows lets nobody read a file that is locked
}

function readableText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
