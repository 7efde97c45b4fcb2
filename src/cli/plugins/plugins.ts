import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parsedJson, shownName } from '../../base/text.ts';
import { fieldsOf, textOf } from '../../batch/sources/skin-json.ts';
import { withoutStyle } from '../../batch/sources/skin-names.ts';
import { skinsInTree } from '../../batch/sources/skin-text.ts';
import { customSkin } from '../../textures/commands.ts';
import { profileId, type SkinData } from '../../textures/property.ts';
import { jsonDocument } from '../text/text.ts';
import { PluginFile, TextsByName, withStrings } from './plugin-files.ts';
import { EditError, YamlEdits } from './yaml-edits.ts';

export interface NamedSkin extends SkinData {
  readonly name: string;
  /** Address of its texture. */
  readonly url: string;
}

export interface OpenPlugin {
  /** The number of places for skins of a name. */
  placesOf(name: string): number;
  /**
   * Puts a skin where the plugin has the NPCs of its name. Returns their number, and the name there if that differs.
   * @throws EditError if the plugin cannot have it
   */
  put(skin: NamedSkin): { readonly places: number; readonly as?: string | undefined };
  /** All files that were read or are new, in the order in which they are written. @throws EditError */
  files(): readonly PluginFile[];
}

export interface Plugin {
  readonly name: string;
  /** What is in no other folder: by it, one of another name is recognized. */
  readonly sign?: string;
  /** The command or action that makes the plugin show the new skins. */
  readonly next: string;
  /** Whether it has places for skins of its own NPCs only; others take any name. */
  readonly hasNpcs: boolean;
  /** @throws EditError */
  readonly open: (folder: string) => OpenPlugin;
}

/**
 * The plugins whose files skins are put into. Sources: `SimpleNPCDataStore.java`, `SkinTrait.java`, `Skin.java` of CitizensDev/Citizens2;
 * `NpcManagerImpl.java`, `SkinManagerImpl.java`, `SkinCacheFile.java`, `FancyNpcsCMD.java` of FancyMcPlugins/FancyNpcs;
 * `YamlStorage.java`, `PrefetchedDescriptor.java` of Pyrbu/ZNPCsPlus; `FileAdapter.java`, `CustomSkinFile.java` of
 * SkinsRestorer/SkinsRestorer; `SkinSource.java`, `PlayerSkin.java` of NEZNAMY/TAB; `DisguiseFiles.java`, `DisguiseUtilities.java`,
 * `SerializerUserProfile.java` of libraryaddict/LibsDisguises.
 */
export const PLUGINS: readonly Plugin[] = [
  {
    name: 'FancyNpcs',
    sign: 'npcs.yml',
    next: 'To see them, type /fancynpcs reload.',
    hasNpcs: true,
    open: (folder) => new FancyNpcs(folder),
  },
  {
    name: 'Citizens',
    sign: 'saves.yml',
    next: 'To see them, type /citizens reload.',
    hasNpcs: true,
    open: (folder) => new Citizens(folder),
  },
  {
    name: 'ZNPCsPlus',
    next: 'To see them, type /npc storage reload.',
    hasNpcs: true,
    open: (folder) => new ZNpcsPlus(folder),
  },
  {
    name: 'SkinsRestorer',
    next: 'To wear one, type /skin NAME.',
    hasNpcs: false,
    open: (folder) => new SkinsRestorer(folder),
  },
  {
    name: 'TAB',
    sign: 'skincache.yml',
    next: 'To see them, write player:NAME in a layout, and type /tab reload.',
    hasNpcs: false,
    open: (folder) => new Tab(folder),
  },
  {
    name: 'LibsDisguises',
    sign: 'SavedSkins',
    next: 'To see them, type /libsdisguises reload, and then /disguise player NAME.',
    hasNpcs: false,
    open: (folder) => new LibsDisguises(folder),
  },
];

/** The plugin of a folder: by its name, else by what is in it. */
export function pluginOf(folder: string): Plugin | undefined {
  const named = PLUGINS.find(({ name }) => name.toLowerCase() === basename(folder).toLowerCase());
  const has = (sign: string) => statSync(join(folder, sign), { throwIfNoEntry: false }) !== undefined;
  return named ?? PLUGINS.find(({ sign }) => sign !== undefined && has(sign));
}

/** Places by the names of NPCs: as they are shown, without colours; in any case, if there is none in that case. */
class NpcNames<T> {
  readonly #exact = new Map<string, T[]>();
  readonly #folded = new Map<string, T[]>();

  add(name: string, place: T): void {
    const plain = shownName(withoutStyle(name));
    for (const [names, key] of [
      [this.#exact, plain],
      [this.#folded, plain.toLowerCase()],
    ] as const)
      names.set(key, [...(names.get(key) ?? []), place]);
  }

  find(name: string): readonly T[] {
    const plain = shownName(withoutStyle(name));
    return this.#exact.get(plain) ?? this.#folded.get(plain.toLowerCase()) ?? [];
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** @throws EditError for an NPC that is something else */
function verifyPlayer(type: string | undefined): void {
  if (type !== undefined && type.toUpperCase() !== 'PLAYER')
    throw new EditError(`its NPC is not a player (${type.toLowerCase()}), so it shows no skin`);
}

/** A file in YAML that has one NPC under each key of a section. */
abstract class NpcFile implements OpenPlugin {
  readonly #file: PluginFile;
  protected readonly edits: YamlEdits;
  readonly #section: string;
  readonly #names = new NpcNames<{ readonly key: string; readonly npc: Fields }>();

  constructor(path: string, section: string) {
    this.#file = new PluginFile(path);
    if (this.#file.isNew) throw new EditError(`${path} is not there`);
    this.edits = new YamlEdits(this.#file.text, path);
    this.#section = section;
    const all = fieldsOf(fieldsOf(this.edits.tree)?.[section]) ?? {};
    for (const [key, one] of Object.entries(all)) {
      const npc = fieldsOf(one);
      if (npc) this.#names.add(textOf(npc['name']) ?? key, { key, npc });
    }
  }

  placesOf(name: string): number {
    return this.#names.find(name).length;
  }

  put(skin: NamedSkin) {
    const places = this.#names.find(skin.name);
    for (const { npc } of places) this.verify(npc);
    for (const { key, npc } of places) this.setSkin([this.#section, key], npc, skin);
    return { places: places.length };
  }

  files(): readonly PluginFile[] {
    this.#file.wanted = this.edits.result();
    return [this.#file];
  }

  /** @throws EditError for an NPC that shows no skin of its own */
  protected abstract verify(npc: Fields): void;
  protected abstract setSkin(path: readonly string[], npc: Fields, skin: NamedSkin): void;
}

/**
 * An NPC names only the source of its skin; the data is in a cache file, which never expires with a time to live of 0. NPCs of older
 * versions contain the data themselves.
 */
class FancyNpcs extends NpcFile {
  readonly #folder: string;
  readonly #cached = new Map<string, PluginFile>();

  constructor(folder: string) {
    super(join(folder, 'npcs.yml'), 'npcs');
    this.#folder = folder;
  }

  protected verify(npc: Fields): void {
    verifyPlayer(textOf(npc['type']));
    const mirrors = [npc['mirrorSkin'], fieldsOf(npc['skin'])?.['mirrorSkin']];
    if (mirrors.some((one) => String(one) === 'true'))
      throw new EditError('its NPC mirrors the skin of whoever looks at it');
  }

  protected setSkin(path: readonly string[], npc: Fields, { url, value, signature }: NamedSkin): void {
    const hasOwn = fieldsOf(npc['skin'])?.['value'] !== undefined;
    const own: Record<string, string> = hasOwn ? { value, signature } : {};
    this.edits.set(path, { skin: { identifier: url, variant: 'AUTO', ...own } });
    const skinData = { identifier: url, variant: 'AUTO', textureValue: value, textureSignature: signature };
    const file = new PluginFile(join(this.#folder, '.data', 'skins', `${cacheName(url)}.json`));
    file.wanted = JSON.stringify({ skinData, lastUpdated: 0, timeToLive: 0 });
    this.#cached.set(url, file);
  }

  override files(): readonly PluginFile[] {
    return [...this.#cached.values(), ...super.files()];
  }
}

/** Characters of the longest name of a file in the cache. */
const LONGEST_NAME = 240;

function cacheName(url: string): string {
  const name = Buffer.from(url).toString('base64');
  if (name.length > LONGEST_NAME)
    throw new EditError('the address of its texture is too long for a file of the cache');
  return name;
}

/**
 * Citizens accepts the data if the name of the skin equals the name that it stored. The name is a key too long for a player, because
 * Citizens would look up a shorter one as a player's. Versions without traits stored all of this as metadata.
 */
class Citizens extends NpcFile {
  constructor(folder: string) {
    super(join(folder, 'saves.yml'), 'npc');
  }

  protected verify(npc: Fields): void {
    verifyPlayer(textOf(fieldsOf(npc['traits'])?.['type']));
  }

  protected setSkin(path: readonly string[], npc: Fields, { value, signature }: NamedSkin): void {
    const key = profileId(value).uuid;
    const metadata = fieldsOf(npc['metadata']);
    const traits = fieldsOf(npc['traits']);
    const isOld = !traits?.['skintrait'] && OLD_SKIN.some((field) => metadata && field in metadata);
    const names = textOf(npc['traitnames']);
    const hasTrait = names === undefined || names.split(',').includes('skintrait');
    if (isOld)
      this.edits.set(path, {
        metadata: {
          'player-skin-name': key,
          'player-skin-textures': value,
          'player-skin-signature': signature,
          'player-skin-use-latest-skin': false,
          'cached-skin-uuid-name': key,
        },
      });
    else
      this.edits.set(path, {
        ...(!hasTrait && { traitnames: `${names},skintrait` }),
        traits: { skintrait: { skinName: key, textureRaw: value, signature, updateSkins: false } },
        metadata: { 'cached-skin-uuid-name': key },
      });
  }
}

const OLD_SKIN = ['player-skin-textures', 'player-skin-name'];

/** Files in a folder that are read. */
const MAX_FILES = 20_000;

class ZNpcsPlus implements OpenPlugin {
  readonly #names = new NpcNames<{ readonly file: PluginFile; readonly edits: YamlEdits }>();
  readonly #changed = new Map<PluginFile, YamlEdits>();

  constructor(folder: string) {
    const data = join(folder, 'data');
    if (!existsSync(data)) throw new EditError(`${data} is not there`);
    const files = readdirSync(data).filter((file) => /\.yml$/i.test(file));
    if (files.length > MAX_FILES) throw new EditError(`${data} has more than ${MAX_FILES} files`);
    for (const name of files) {
      const file = new PluginFile(join(data, name));
      const edits = new YamlEdits(file.text, file.name);
      const id = textOf(fieldsOf(edits.tree)?.['id']) ?? name.replace(/\.yml$/i, '');
      this.#names.add(id, { file, edits });
    }
  }

  placesOf(name: string): number {
    return this.#names.find(name).length;
  }

  put({ name, value, signature }: NamedSkin) {
    const places = this.#names.find(name);
    for (const { edits } of places) verifyPlayer(textOf(fieldsOf(edits.tree)?.['type']));
    for (const { file, edits } of places) {
      edits.set(['properties'], { skin: `prefetched;textures;${value};${signature};` });
      this.#changed.set(file, edits);
    }
    return { places: places.length };
  }

  files(): readonly PluginFile[] {
    for (const [file, edits] of this.#changed) file.wanted = edits.result();
    return [...this.#changed.keys()];
  }
}

const SAME_NAME = 'another skin has this name, or the same in another case';

/** One file of each name, in lower case. */
abstract class FileEach implements OpenPlugin {
  protected readonly all = new Map<string, PluginFile>();

  placesOf(): number {
    return 1;
  }

  put(skin: NamedSkin) {
    const name = skin.name.toLowerCase();
    this.place(name, skin);
    return { places: 1, ...(name !== skin.name && { as: name }) };
  }

  files(): readonly PluginFile[] {
    return [...this.all.values()];
  }

  protected abstract place(name: string, skin: NamedSkin): void;

  /** @throws EditError if the name was given to another skin of this run */
  protected open(path: string): PluginFile {
    if (this.all.has(path)) throw new EditError(SAME_NAME);
    const file = new PluginFile(path);
    this.all.set(path, file);
    return file;
  }

  /** A file with one skin in JSON, as it is but for value and signature; `fresh`: a new one. */
  protected replaceIn(file: PluginFile, { value, signature }: NamedSkin, fresh: string): void {
    if (file.text.trim() === '') {
      file.wanted = fresh;
      return;
    }
    const [skin, ...others] = [...skinsInTree(parsedJson(file.text))];
    const before = skin?.skin;
    if (!before?.signature || others.length > 0)
      throw new EditError(`${file.name} contains something besides one skin`);
    file.wanted = withStrings(
      file.text,
      new Map([
        [before.value, value],
        [before.signature, signature],
      ]),
      file.name,
    );
  }
}

/** What no file system, or that of some server, takes as a name. */
const NO_FILE = /[<>:"/\\|?*\p{Cc}]|^\.|[. ]$/u;

class SkinsRestorer extends FileEach {
  readonly #folder: string;

  constructor(folder: string) {
    super();
    this.#folder = join(folder, 'skins');
  }

  protected place(name: string, skin: NamedSkin): void {
    if (NO_FILE.test(name)) throw new EditError('no file can have this name');
    const file = this.open(join(this.#folder, `${name}.customskin`));
    this.replaceIn(file, skin, jsonDocument(customSkin({ ...skin, name })));
  }
}

class Tab implements OpenPlugin {
  readonly #file: PluginFile;
  readonly #edits: YamlEdits;

  constructor(folder: string) {
    this.#file = new PluginFile(join(folder, 'skincache.yml'));
    this.#edits = new YamlEdits(this.#file.text, this.#file.name);
  }

  placesOf(): number {
    return 1;
  }

  put({ name, value, signature }: NamedSkin) {
    this.#edits.set(['players'], { [name]: [value, signature] });
    return { places: 1 };
  }

  files(): readonly PluginFile[] {
    this.#file.wanted = this.#edits.result();
    return [this.#file];
  }
}

/** Names that the plugin keeps in files of their own; it has all others in one. */
const OWN_FILE = /^[\w.!@#$^+=-]{1,32}$/;

class LibsDisguises extends FileEach {
  readonly #folder: string;
  readonly #isOld: boolean;
  /** Names that no file of their own can have. */
  #others: TextsByName | undefined;

  constructor(folder: string) {
    super();
    const has = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false }) !== undefined;
    this.#isOld = has('GameProfiles') && !has('SavedSkins');
    this.#folder = join(folder, this.#isOld ? 'GameProfiles' : 'SavedSkins');
  }

  protected place(name: string, skin: NamedSkin): void {
    const profile = JSON.stringify(this.#profileOf(skin));
    if (OWN_FILE.test(name) && name !== 'sanity.json' && !NO_FILE.test(name))
      this.replaceIn(this.open(join(this.#folder, name)), skin, profile);
    else if (this.#isOld) throw new EditError('this version of LibsDisguises cannot keep the name');
    else this.#placeAmongOthers(name, profile);
  }

  #profileOf({ name, value, signature }: NamedSkin) {
    const { uuid: id } = profileId(value);
    const properties = [{ name: 'textures', value, signature }];
    return this.#isOld ? { id, name, properties } : { uuid: id, name, textureProperties: properties };
  }

  #placeAmongOthers(name: string, profile: string): void {
    this.#others ??= new TextsByName(this.open(join(this.#folder, 'sanity.json')));
    if (this.#others.has(name)) throw new EditError(SAME_NAME);
    this.#others.set(name, profile);
  }

  override files(): readonly PluginFile[] {
    this.#others?.apply();
    return super.files();
  }
}
