import { isUtf8 } from 'node:buffer';
import { closeSync, createReadStream, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { decodedText, parsedJson, utf16Of } from '../../base/text.ts';
import { InvalidTexturesError, parseTexturesValue } from '../../textures/property.ts';
import { BatchSetupError, type BatchSource, unusable } from '../model.ts';
import { fileProblem } from './files.ts';
import { type WalkOptions, type WalkRoot, walkFolder } from './folders.ts';
import { readLines } from './rows.ts';
import {
  type FoundSkin,
  faulty,
  LINE_HINT,
  readDocument,
  readText,
  SKINS_RESTORER,
  skinsInDocument,
  type TextDocument,
} from './skin-documents.ts';
import { fieldsOf, type SkinInJson, textOf } from './skin-json.ts';
import { type LaidOut, laidOutIn, originOf, SKIN_LAYOUTS } from './skin-layouts.ts';
import { hasSkinValue } from './skin-runs.ts';
import { isSkinText, readSkinText, skinsInTree } from './skin-text.ts';
import { skinSource } from './supplied-skin.ts';

export type { FaultyPart, FoundSkin } from './skin-documents.ts';

const PICTURE = /\.png$/i;
const LINES = /\.(?:lock|ndjson|jsonl)$/i;
/** Files that plugins, functions and data packs keep skin data in. */
const DOCUMENT = /\.(?:json|ya?ml|mcfunction|snbt|properties)$/i;

/** Bytes at the start of a file that tell skin data from a picture. */
const START = 64 * 1024;

/**
 * Whether a file has skin data: a lockfile, JSON, a plugin's YAML, or a text of whatever name with a value in its first 64 KiB.
 * `name`: as written.
 */
export function isSkinFile(name: string, path: string): boolean {
  if ([DOCUMENT, LINES, SKINS_RESTORER].some((kind) => kind.test(name))) return true;
  if (PICTURE.test(name)) return false;
  const start = startOf(path);
  if (start.includes(0) && utf16Of(start) === undefined) return false; // no text
  const text = decodedText(start);
  return /^\s*[{[]/.test(text) || hasSkinValue(text);
}

const LIST = /\.(?:csv|tsv|ndjson|jsonl)$/i;

/** Whether a file is a list of sources by its name, and not one of skin data by its start. `name`: as written. */
export function isListFile(name: string, path: string): boolean {
  if (!LIST.test(name)) return false;
  const text = decodedText(startOf(path));
  if (LINES.test(name))
    return (
      textOf(fieldsOf(parsedJson(firstLine(text)))?.['source']) !== undefined &&
      !hasSkinValue(firstLine(text))
    );
  return !hasSkinValue(text) || /(?:^|[,;\t])"?source\b/i.test(firstLine(text));
}

function firstLine(text: string): string {
  return text.trimStart().split('\n', 1)[0]!;
}

/** Empty if it is no file or cannot be read: reading it as a source says why. */
function startOf(path: string): Buffer {
  try {
    if (!statSync(path).isFile()) return Buffer.alloc(0);
    const fd = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(START);
      return bytes.subarray(0, readSync(fd, bytes));
    } finally {
      closeSync(fd);
    }
  } catch {
    return Buffer.alloc(0);
  }
}

/** Called with a sentence about what has a skin whose data is elsewhere. */
type Warn = (message: string) => void;

/** All skins of a file as sources, each with its name there. `label`: the file's name in messages. */
export async function* skinFileSources(
  label: string,
  path: string,
  warn: Warn = () => {},
): AsyncGenerator<BatchSource> {
  try {
    yield* sourcesOf(label, skinsInFile(label, path), warn);
  } catch (error) {
    yield { label, content: { kind: 'problem', problem: fileProblem(label, error) }, stem: 'skins' };
  }
}

/** The same skins as sources. Of several, it says how many have no signature: each of these is to be made. */
async function* sourcesOf(
  label: string,
  skins: AsyncIterable<FoundSkin>,
  warn: Warn,
): AsyncGenerator<BatchSource> {
  let [all, unsigned] = [0, 0];
  for await (const found of skins) {
    if ('note' in found) {
      warn(found.note);
      continue;
    }
    if ('skin' in found) all++;
    if ('skin' in found && found.skin.signature === undefined) unsigned++;
    yield asSource(found);
  }
  if (all > 1 && unsigned > 0) warn(`${label}: ${all} skins, ${unsigned} without a signature.`);
}

function asSource(found: Exclude<FoundSkin, { note: string }>): BatchSource {
  if ('skin' in found) return skinSource(found.skin, found.place);
  const { place, fault: message, hint } = found;
  return { label: place, content: unusable('invalid_skin_data', message, hint), stem: 'skins' };
}

/** All skin data of a file. @throws Error of the file system */
export async function* skinsInFile(label: string, path: string): AsyncGenerator<FoundSkin> {
  try {
    if (LINES.test(path)) return yield* lineSkins(label, path);
    const text = await readDocument(path);
    const document = await readText(label, text);
    const found = skinsInDocument(label, text, document);
    const beside = 'tree' in document ? await skinsBeside({ label, path, tree: document.tree, found }) : [];
    const hasBeside = beside.some((one) => 'skin' in one);
    yield* [...found.filter((one) => !hasBeside || !isEmpty(one)), ...beside];
  } catch (error) {
    if (!(error instanceof BatchSetupError)) throw error;
    yield faulty(label, error.message);
  }
}

function isEmpty(found: FoundSkin): boolean {
  return 'isEmpty' in found && found.isEmpty === true;
}

async function* lineSkins(label: string, path: string): AsyncGenerator<FoundSkin> {
  for await (const line of readLines(createReadStream(path), label)) {
    const place = `${label}:${line.number}`;
    if ('fault' in line) yield faulty(place, `Line ${line.number} of ${label}: ${line.fault}.`, LINE_HINT);
    else if (line.text.trim() !== '') yield lineSkin(place, line.text);
  }
}

function lineSkin(place: string, text: string): FoundSkin {
  if (!isSkinText(text)) return faulty(place, `${place}: It is not skin data.`, LINE_HINT);
  const read = readSkinText(text);
  return 'skin' in read ? { place, skin: read.skin } : faulty(place, `${place}: ${read.fault}`, LINE_HINT);
}

/**
 * The skins in a folder of a plugin, and in the folders in it in which plugins keep skins: those of its files with skin data, by
 * name. Files that plugins have for something else, such as `config.yml`, are left out.
 */
export async function* pluginSkins(root: WalkRoot, options: WalkOptions): AsyncGenerator<FoundSkin> {
  for (const { label, path } of options.recursive ? [root] : [root, ...skinFolders(root)]) {
    for await (const { place, files } of walkFolder({ label, path }, { ...options, names: PLUGIN_FILES }))
      for (const file of files) yield* pluginFileSkins(join(label, place, file), join(path, place, file));
  }
}

/** Where ZNPCsPlus, SkinsRestorer and LibsDisguises (later and earlier) keep skins. */
const SKIN_FOLDERS = /^(?:data|skins|SavedSkins|GameProfiles)$/i;

function skinFolders({ label, path }: WalkRoot): WalkRoot[] {
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && SKIN_FOLDERS.test(entry.name))
    .map(({ name }) => ({ label: join(label, name), path: join(path, name) }));
}

async function* pluginFileSkins(label: string, path: string): AsyncGenerator<FoundSkin> {
  if (!isSkinFile(label, path)) return;
  for await (const found of skinsInFile(label, path)) if (!isEmpty(found)) yield found;
}

/** Sources that are the skins of a plugin's folder. */
export async function* pluginSources(
  root: WalkRoot,
  options: WalkOptions,
  warn: Warn = () => {},
): AsyncGenerator<BatchSource> {
  yield* sourcesOf(root.label, pluginSkins(root, options), warn);
}

/** LibsDisguises gives the files of its profiles no extension. */
const PLUGIN_FILES =
  /^[^.]+$|\.(?:customskin|playerskin|urlskin|legacyskin|skin|ya?ml|json|mcfunction|snbt|txt|properties|conf)$/i;

/** Skin data piped in instead of a picture; undefined if the bytes are not skin data. `label`: the stream's name. */
export async function skinOnStdin(bytes: Uint8Array, label: string): Promise<BatchSource | undefined> {
  if (!STARTS_AS_TEXT.test(decodedText(bytes.subarray(0, 256))) || !isText(bytes)) return undefined;
  const text = decodedText(bytes).trim();
  const skins = skinTexts(text);
  if (skins.length > 1)
    return severalSkins(skins.length, label, `Read them as a list, one per line: --from ${label}`);
  const [only = ''] = skins;
  const isWords = isSkinText(only) && (/^\s*\{/.test(only) || !only.includes('\n'));
  const read = isWords ? readSkinText(only) : undefined;
  if (read && 'skin' in read) return skinSource(read.skin);
  const [first, ...more] = hasSkinValue(text) ? await skinsInStream(label, text) : [];
  if (first && more.length === 0) return skinSource(first.skin);
  if (first) return severalSkins(1 + more.length, label, 'Save it as a file and use that as the source.');
  return read && asSource(faulty(label, read.fault));
}

/** The skins of a document whose language no extension tells. */
async function skinsInStream(label: string, text: string) {
  const documents: TextDocument[] = [await readText('.yml', text), await readText('', text)];
  const [found = []] = documents
    .map((document) => skinsInDocument(label, text, document).filter((one) => 'skin' in one))
    .filter(({ length }) => length > 0);
  return found;
}

/** What text starts with; a PNG file starts differently. */
const STARTS_AS_TEXT = /^[\s!-~\uFEFF]/;

function isText(bytes: Uint8Array): boolean {
  return utf16Of(bytes) !== undefined || isUtf8(bytes);
}

/** The members of a JSON list, otherwise the lines if each is skin data, otherwise the whole text. */
function skinTexts(text: string): string[] {
  const json = parsedJson(text);
  if (Array.isArray(json)) return json.map((item) => JSON.stringify(item));
  const lines = json === undefined ? text.split('\n').filter((line) => isSkinText(line)) : [];
  return lines.length > 1 ? lines : [text];
}

function severalSkins(count: number, label: string, hint: string): BatchSource {
  const place = label === '-' ? 'Stdin' : label;
  const message = `${place} holds ${count} skins, but ${label === '-' ? label : 'it'} stands for one source.`;
  return { label, content: unusable('several_skins', message, hint), stem: 'stdin' };
}

interface ReadFile {
  readonly label: string;
  readonly path: string;
  readonly tree: unknown;
  readonly found: readonly FoundSkin[];
}

type Lacking = LaidOut & { readonly origin: string };

/**
 * NPCs whose file says only what their skin was made from, with the skin data that the plugin has in a cache beside it; and
 * a note on those whose skin is not there either.
 */
async function skinsBeside({ label, path, tree, found }: ReadFile): Promise<FoundSkin[]> {
  const lacking = lackingIn(label, tree, found);
  const caches = new Map(
    lacking.map(({ layout }) => [layout.plugin, new SkinCache(dirname(path), layout.plugin)]),
  );
  const [skins, others]: [FoundSkin[], Lacking[]] = [[], []];
  for (const one of lacking) {
    const skin = await caches.get(one.layout.plugin)!.find(one.origin);
    if (skin)
      skins.push({ place: `${label}:${one.path.join('.')}`, skin: { ...skin, name: one.name ?? skin.name } });
    else others.push(one);
  }
  return [...skins, ...notesOn(label, others)];
}

/** NPCs for which the document has an origin, but no data in any of the plugin's layouts. */
function lackingIn(label: string, tree: unknown, found: readonly FoundSkin[]): Lacking[] {
  const places = found.flatMap((one) => ('skin' in one ? [one.place] : []));
  const withData = new Set(places.map((place) => npcIn(place.slice(label.length + 1).split('.'))));
  return laidOutIn(tree).flatMap((one) => {
    const origin = originOf(one);
    return origin === undefined || withData.has(npcIn(one.path)) ? [] : [{ ...one, origin }];
  });
}

/** The keys of an NPC: all layouts that have an origin have their NPCs at the second level. */
function npcIn(path: readonly string[]): string {
  return path.slice(0, 2).join('.');
}

/** Characters whose base64 can be the name of a file. */
const LONGEST_ORIGIN = 1_000;
/** Files of a cache that are searched for a player's name. */
const MAX_FILES = 10_000;

/** The skin data that FancyNpcs has for addresses and files by themselves, and for players by their UUIDs. */
class SkinCache {
  readonly #pattern: string | undefined;
  readonly #folder: string;
  #players: ReadonlyMap<string, SkinInJson> | undefined;

  constructor(folder: string, plugin: string) {
    this.#pattern = SKIN_LAYOUTS.find((one) => one.plugin === plugin && one.file.startsWith('.'))?.file;
    this.#folder = folder;
  }

  async find(origin: string): Promise<SkinInJson | undefined> {
    if (this.#pattern === undefined || origin.length > LONGEST_ORIGIN) return undefined;
    const own = await this.#read(this.#pattern.replace('*', Buffer.from(origin).toString('base64')));
    if (own || !PLAYER.test(origin)) return own;
    this.#players ??= await this.#readPlayers(dirname(this.#pattern));
    return this.#players.get(origin.toLowerCase());
  }

  async #read(file: string): Promise<SkinInJson | undefined> {
    const text = await readDocument(join(this.#folder, file)).catch(() => undefined); // a cache may lack anything
    const [first] = skinsInTree(text === undefined ? undefined : parsedJson(text));
    return first?.skin;
  }

  /** The skins of players, by their names in the values. */
  async #readPlayers(place: string): Promise<ReadonlyMap<string, SkinInJson>> {
    const players = new Map<string, SkinInJson>();
    for (const file of filesIn(join(this.#folder, place)).slice(0, MAX_FILES)) {
      const skin = await this.#read(join(place, file));
      const name = skin && playerOf(skin);
      if (name !== undefined) players.set(name.toLowerCase(), skin!);
    }
    return players;
  }
}

const PLAYER = /^\w{1,16}$/;

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // without a cache
  }
}

function playerOf({ value }: SkinInJson): string | undefined {
  try {
    return parseTexturesValue(value).profileName;
  } catch (error) {
    if (!(error instanceof InvalidTexturesError)) throw error;
    return undefined;
  }
}

/** NPCs named in a note. */
const MAX_SHOWN = 5;

function notesOn(label: string, lacking: readonly Lacking[]): FoundSkin[] {
  if (lacking.length === 0) return [];
  const shown = lacking.slice(0, MAX_SHOWN).map(({ name, origin }) => `${name ?? 'one'} (${origin})`);
  const rest = lacking.length > MAX_SHOWN ? ` and ${lacking.length - MAX_SHOWN} more` : '';
  const npcs =
    lacking.length === 1
      ? '1 NPC has a skin whose data is'
      : `${lacking.length} NPCs have skins whose data is`;
  return [{ note: `${label}: ${npcs} not stored with the plugin: ${shown.join(', ')}${rest}.` }];
}
