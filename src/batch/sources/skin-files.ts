import { isUtf8 } from 'node:buffer';
import { closeSync, createReadStream, openSync, readSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodedText, parsedJson, utf16Of } from '../../base/text.ts';
import { BatchSetupError, type BatchSource, unusable } from '../model.ts';
import { baseStem, fileProblem, readLines } from './files.ts';
import { type WalkOptions, type WalkRoot, walkFolder } from './folders.ts';
import {
  hasSkinValue,
  isSkinText,
  readSkinText,
  type SkinInJson,
  skinInJson,
  skinsInSnbt,
  skinsInTree,
} from './skin-text.ts';
import { skinSource } from './supplied-skin.ts';

/** Maximum bytes of a JSON document; a file with one skin per line may have any number. */
const LARGEST_DOCUMENT = 64 * 1024 * 1024;
const DOCUMENT = /\.json$/i;
const PICTURE = /\.png$/i;
const LINES = /\.(?:lock|ndjson|jsonl)$/i;
const YAML = /\.ya?ml$/i;
/** Commands, of which only some have skin data. */
const COMMANDS = /\.mcfunction$/i;
/** Files of SkinsRestorer, each with one skin, which may be named by the file. */
const SKINS_RESTORER = /\.(?:customskin|playerskin|urlskin|legacyskin|skin)$/i;

/** Bytes at the start of a file that tell skin data from a picture. */
const START = 256;
/** JSON, the base64 of JSON, or what commands and plugins put before it. */
const STARTS_AS_SKIN_DATA =
  /^\s*(?:[{[]|e(?:yJ|y[A-D]|w[k-r0-3])[A-Za-z0-9+/]{40}|\/?(?:minecraft:)?(?:give|summon|setblock|item|npc skin) |(?:- )?adjust \S+ skin_blob:|prefetched;)/;

/**
 * Whether a file has skin data: a lockfile, JSON, a plugin's YAML, or any other file that starts as those do, such as one of
 * SkinsRestorer's. `name`: as written.
 */
export function isSkinFile(name: string, path: string): boolean {
  if ([DOCUMENT, LINES, YAML, COMMANDS, SKINS_RESTORER].some((kind) => kind.test(name))) return true;
  return !PICTURE.test(name) && STARTS_AS_SKIN_DATA.test(startOf(path));
}

/** Empty if it is no file or cannot be read: reading it as a source says why. */
function startOf(path: string): string {
  try {
    if (!statSync(path).isFile()) return '';
    const fd = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(START);
      return decodedText(bytes.subarray(0, readSync(fd, bytes)));
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}

const FILE_HINT =
  'Give a lockfile (skins.lock), JSON as written by generate --json and --out, or a file of a plugin.';
/** One line of a file of skins is damaged. */
const LINE_HINT = 'Restore the file, for example from version control, or delete the line.';

/** Skin data of a file, or a part of it that has none. `place`: its name in messages. */
export type FoundSkin =
  | { readonly place: string; readonly skin: SkinInJson }
  | { readonly place: string; readonly fault: string; readonly hint: string };

/** All skins of a file as sources, each with its name there. `label`: the file's name in messages. */
export async function* skinFileSources(label: string, path: string): AsyncGenerator<BatchSource> {
  try {
    for await (const found of skinsInFile(label, path)) yield asSource(found);
  } catch (error) {
    yield { label, content: { kind: 'problem', problem: fileProblem(label, error) }, stem: 'skins' };
  }
}

function asSource(found: FoundSkin): BatchSource {
  if ('skin' in found) return skinSource(found.skin, found.place);
  const { place, fault: message, hint } = found;
  return { label: place, content: unusable('invalid_skin_data', message, hint), stem: 'skins' };
}

/** All skin data of a file. @throws Error of the file system */
export async function* skinsInFile(label: string, path: string): AsyncGenerator<FoundSkin> {
  try {
    if (LINES.test(path)) yield* lineSkins(label, path);
    else if (YAML.test(path)) yield* await yamlSkins(label, await readDocument(path));
    else yield* textSkins(label, await readDocument(path));
  } catch (error) {
    if (!(error instanceof BatchSetupError)) throw error;
    yield faulty(label, error.message);
  }
}

async function* lineSkins(label: string, path: string): AsyncGenerator<FoundSkin> {
  for await (const line of readLines(createReadStream(path), label)) {
    const place = `${label}:${line.number}`;
    if ('fault' in line) yield faulty(place, `Line ${line.number} of ${label}: ${line.fault}.`, LINE_HINT);
    else if (line.text.trim() !== '') yield lineSkin(place, line.text);
  }
}

function lineSkin(place: string, text: string, otherHint = LINE_HINT): FoundSkin {
  if (!isSkinText(text)) return faulty(place, `${place}: It is not skin data.`, otherHint);
  const read = readSkinText(text);
  return 'skin' in read ? { place, skin: read.skin } : faulty(place, `${place}: ${read.fault}`, LINE_HINT);
}

/** The skins of a whole text: a JSON document, a skin on each line, or SNBT. */
function* textSkins(label: string, text: string): Generator<FoundSkin> {
  const json = parsedJson(text);
  if (json !== undefined || DOCUMENT.test(label)) return yield* documentSkins(label, json);
  const lines = text.split('\n').map((line) => line.trim());
  const isOneText = lines.filter((line) => isSkinText(line)).length < 2;
  if (isOneText && !COMMANDS.test(label)) return yield* wholeSkins(label, text.trim(), FILE_HINT);
  const isLeftOut = (line: string) =>
    line === '' || line.startsWith('#') || (COMMANDS.test(label) && !isSkinText(line));
  if (lines.every(isLeftOut)) return yield faulty(label, `${label} holds no skin data.`);
  for (const [at, line] of lines.entries())
    if (!isLeftOut(line)) yield* wholeSkins(`${label}:${at + 1}`, line);
}

/** A text that has one skin, or in SNBT any number. `otherHint`: for a text that is something else. */
function* wholeSkins(place: string, text: string, otherHint?: string): Generator<FoundSkin> {
  const [first, ...more] = skinsInSnbt(text);
  if (!first || more.length === 0) return yield named(lineSkin(place, text, otherHint), place);
  yield* [first, ...more].map((one) => ({ ...one, place: `${place}:${one.place}` }));
}

/** A skin that has no other name has that of its file, if SkinsRestorer names it so. */
function named(found: FoundSkin, label: string): FoundSkin {
  if (!('skin' in found) || found.skin.name !== undefined || !SKINS_RESTORER.test(label)) return found;
  return { ...found, skin: { ...found.skin, name: baseStem(label) } };
}

function* documentSkins(label: string, json: unknown): Generator<FoundSkin> {
  const items: unknown[] = Array.isArray(json) ? json : [json];
  for (const [position, item] of items.entries()) {
    const place = items.length === 1 ? label : `${label}:${position + 1}`;
    const skin = skinInJson(item);
    if (skin) yield named({ place, skin }, label);
    else yield* treeSkins(place, item);
  }
  if (items.length === 0) yield faulty(label, `${label} holds no skin data.`);
}

/** Skin data anywhere in a document. */
function* treeSkins(label: string, tree: unknown): Generator<FoundSkin> {
  let isEmpty = true;
  for (const { place, skin } of skinsInTree(tree)) {
    isEmpty = false;
    yield { place: place === '' ? label : `${label}:${place}`, skin };
  }
  if (isEmpty) yield faulty(label, `${label} holds no skin data.`);
}

async function yamlSkins(label: string, text: string): Promise<Iterable<FoundSkin>> {
  const { readYaml } = await import('./yaml.ts'); // loaded on demand: the parser is large
  const read = readYaml(text);
  return 'fault' in read ? [faulty(label, `${label} ${read.fault}.`)] : treeSkins(label, read.tree);
}

/** @throws BatchSetupError, Error of the file system */
async function readDocument(path: string): Promise<string> {
  const { size } = statSync(path);
  if (size > LARGEST_DOCUMENT)
    throw new BatchSetupError('invalid_skin_data', `The file has more than ${LARGEST_DOCUMENT} bytes.`);
  return decodedText(await readFile(path));
}

function faulty(place: string, fault: string, hint = FILE_HINT): FoundSkin {
  return { place, fault, hint };
}

/**
 * The skins in a folder of a plugin, as SkinsRestorer's `skins`: those of its files with skin data, by name. Files that plugins
 * have for something else, such as `config.yml`, are left out.
 */
export async function* pluginSkins(root: WalkRoot, options: WalkOptions): AsyncGenerator<FoundSkin> {
  for await (const { place, files } of walkFolder(root, { ...options, names: PLUGIN_FILES })) {
    for (const file of files) {
      const label = join(root.label, place, file);
      let isFirst = true;
      for await (const found of skinsInFile(label, join(root.path, place, file))) {
        if (isFirst && 'fault' in found && !SKINS_RESTORER.test(file)) break;
        isFirst = false;
        yield found;
      }
    }
  }
}

/** Sources that are the skins of a plugin's folder. */
export async function* pluginSources(root: WalkRoot, options: WalkOptions): AsyncGenerator<BatchSource> {
  for await (const found of pluginSkins(root, options)) yield asSource(found);
}

const PLUGIN_FILES = /\.(?:customskin|playerskin|urlskin|legacyskin|skin|ya?ml|json)$/i;

/** Skin data piped in instead of a picture; undefined if the bytes are not skin data. `label`: the stream's name. */
export async function skinOnStdin(bytes: Uint8Array, label: string): Promise<BatchSource | undefined> {
  if (!STARTS_AS_TEXT.test(decodedText(bytes.subarray(0, START))) || !isText(bytes)) return undefined;
  const text = decodedText(bytes).trim();
  const skins = skinTexts(text);
  if (skins.length > 1)
    return severalSkins(skins.length, label, `Read them as a list, one per line: --from ${label}`);
  const [only = ''] = skins;
  const read = isSkinText(only) ? readSkinText(only) : undefined;
  if (read && 'skin' in read) return skinSource(read.skin);
  const [first, ...more] = hasSkinValue(text) ? await skinsInDocument(label, text) : [];
  if (first && more.length === 0) return skinSource(first.skin);
  if (first) return severalSkins(1 + more.length, label, 'Save it as a file and use that as the source.');
  return read && asSource(faulty(label, read.fault));
}

/** The skins of a document as plugins write it, in whatever language. */
async function skinsInDocument(label: string, text: string) {
  const yaml = parsedJson(text) === undefined ? await yamlSkins(label, text) : [];
  const found = [...textSkins(label, text), ...yaml];
  return found.filter((one) => 'skin' in one);
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
