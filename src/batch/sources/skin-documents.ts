import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { countOf, decodedText, parsedJson } from '../../base/text.ts';
import { BatchSetupError } from '../model.ts';
import { baseStem } from './files.ts';
import { type SkinInJson, skinInJson } from './skin-json.ts';
import { laidOutIn } from './skin-layouts.ts';
import { isName, withoutStyle } from './skin-names.ts';
import { bare, hasSkinValue, runsIn, valuesInDocument } from './skin-runs.ts';
import { isSkinText, type PlacedSkin, readSkinText, skinsInSnbt, skinsInTree } from './skin-text.ts';

const JSON_FILE = /\.json$/i;
const YAML = /\.ya?ml$/i;
/** Commands, of which only some have skin data. */
const COMMANDS = /\.mcfunction$/i;
/** Files of SkinsRestorer, each with one skin, which may be named by the file. */
export const SKINS_RESTORER = /\.(?:customskin|playerskin|urlskin|legacyskin|skin)$/i;

const FILE_HINT =
  'Give a lockfile (skins.lock), JSON as written by generate --json and --out, or a file of a plugin.';
/** One line of a file of skins is damaged. */
export const LINE_HINT = 'Restore the file, for example from version control, or delete the line.';
const LEFT_HINT = 'Give the value and its signature as an argument.';

/** Skin data of a file, or a part of it that has none. `place`: its name in messages. */
export type FoundSkin =
  | { readonly place: string; readonly skin: SkinInJson }
  /** `isEmpty`: the whole file has nothing that looks like skin data. */
  | { readonly place: string; readonly fault: string; readonly hint: string; readonly isEmpty?: true }
  /** What has a skin whose data is elsewhere, as a sentence. */
  | { readonly note: string };

export type FaultyPart = Extract<FoundSkin, { fault: string }>;

export function faulty(place: string, fault: string, hint = FILE_HINT): FaultyPart {
  return { place, fault, hint };
}

function empty(label: string): FaultyPart {
  return { ...faulty(label, `${label} holds no skin data.`), isEmpty: true };
}

/** Maximum bytes of a document; a file with one skin per line may have any number. */
const LARGEST_DOCUMENT = 64 * 1024 * 1024;

/** The text of a document. @throws BatchSetupError, Error of the file system */
export async function readDocument(path: string): Promise<string> {
  const { size } = statSync(path);
  if (size > LARGEST_DOCUMENT)
    throw new BatchSetupError('invalid_skin_data', `The file has more than ${LARGEST_DOCUMENT} bytes.`);
  return decodedText(await readFile(path));
}

/** A document in whatever language: its values, or its lines. */
export type TextDocument =
  | { readonly tree: unknown }
  | { readonly lines: readonly string[] }
  | { readonly fault: string };

/** Reads a text by its language: JSON, YAML, or lines with commands, SNBT or values. `label`: the file's name. */
export async function readText(label: string, text: string): Promise<TextDocument> {
  if (YAML.test(label)) {
    const { readYaml } = await import('./yaml.ts'); // loaded on demand: the parser is large
    return readYaml(text);
  }
  const tree = parsedJson(text);
  if (tree !== undefined || JSON_FILE.test(label)) return { tree };
  return countOf(text, '\n') > MAX_LINES
    ? { fault: `has more than ${MAX_LINES} lines` }
    : { lines: joinedLines(text) };
}

const MAX_LINES = 1_000_000;

/** All skins of a text. What looks like skin data and is not among them is named. */
export function skinsInDocument(label: string, text: string, document: TextDocument): FoundSkin[] {
  if ('fault' in document) {
    const part = faulty(label, `${label} ${document.fault}.`);
    return [hasSkinValue(text) ? part : { ...part, isEmpty: true }];
  }
  const found = 'tree' in document ? treeSkins(label, document.tree) : lineSkins(label, text, document.lines);
  const all = [...found, ...leftIn(label, text, found)];
  return all.length === 0 ? [empty(label)] : all;
}

/** Values of a text that the reading of its structure did not find, by their lines. */
function leftIn(label: string, text: string, found: readonly FoundSkin[]): FaultyPart[] {
  const known = found.flatMap((one) => ('skin' in one ? [bare(one.skin.value)] : []));
  const seen = new Set(known);
  const left: FaultyPart[] = [];
  let count = 0;
  for (const { value, at } of valuesInDocument(text)) {
    const isPart = () => ++count <= MAX_PARTS && known.some((one) => one.includes(value)); // it goes on in the next line
    if (seen.has(value) || isPart()) continue;
    seen.add(value);
    const place = `${label}:${countOf(text.slice(0, at), '\n') + 1}`;
    left.push(
      faulty(place, `${place}: There is skin data in a place where skinsmith does not look.`, LEFT_HINT),
    );
    if (left.length > MAX_LEFT)
      return [...left, faulty(label, `${label}: There is more such data below.`, LEFT_HINT)];
  }
  return left;
}

/** Lines named where skin data was left, and values that are looked for as a part of another one. */
const MAX_LEFT = 20;
const MAX_PARTS = 300;

function treeSkins(label: string, tree: unknown): FoundSkin[] {
  if (!Array.isArray(tree) || tree.length === 1)
    return itemSkins(label, Array.isArray(tree) ? tree[0] : tree);
  return tree.flatMap((item, index) => {
    const place = `${label}:${index + 1}`;
    const found = itemSkins(place, item);
    return found.length === 0 ? [faulty(place, `${place} holds no skin data.`)] : found;
  });
}

function itemSkins(label: string, item: unknown): FoundSkin[] {
  const placed = [...skinsInTree(item)];
  const [first, ...more] = placed;
  const own = more.length === 0 ? skinInJson(item) : undefined;
  if (own && (first ? own.value === first.skin.value : MAY_BE_VALUE.test(own.value)))
    return [named({ place: label, skin: { ...own, name: first?.skin.name ?? own.name } }, label)];
  const rules = namesByPlace(item);
  return placed.map(({ place, path, skin }) => {
    const name = rules.get(place) ?? rules.get(path) ?? skin.name;
    return { place: place === '' ? label : `${label}:${place}`, skin: { ...skin, ...(name && { name }) } };
  });
}

/** Text in the place of a value that may be a damaged value. */
const MAY_BE_VALUE = /^e[yw]/;

/** Names by the layouts of plugins, by the place of what they name. */
function namesByPlace(tree: unknown): ReadonlyMap<string, string> {
  const names = laidOutIn(tree).flatMap(({ path, name }) => {
    const plain = name && withoutStyle(name);
    return plain && isName(plain) ? [[path.join('.'), plain] as const] : [];
  });
  return new Map(names);
}

/** A skin that has no other name has that of its file, if SkinsRestorer names it so. */
function named(found: FoundSkin, label: string): FoundSkin {
  if (!('skin' in found) || found.skin.name !== undefined || !SKINS_RESTORER.test(label)) return found;
  return { ...found, skin: { ...found.skin, name: baseStem(label) } };
}

/**
 * The lines of a text, each at its number; one that ends with a backslash goes on in the next, as in functions. Comments are
 * empty.
 */
function joinedLines(text: string): string[] {
  const lines: string[] = [];
  let open: number | undefined;
  for (const line of text.split('\n')) {
    const isJoined = open !== undefined;
    const at = open ?? lines.length;
    const bare = line.trim();
    lines.push('');
    if (!isJoined && bare.startsWith('#')) continue;
    const isOpen = bare.endsWith('\\');
    lines[at] += isOpen ? bare.slice(0, -1) : bare;
    open = isOpen ? at : undefined;
  }
  return lines;
}

function lineSkins(label: string, text: string, lines: readonly string[]): FoundSkin[] {
  const found = [...skinsInTree(lines)].map((one) => ({ ...one, place: one.place || one.path }));
  const whole = found.length > 0 && lines.some(isOpen) ? groupSkins(label, text) : [];
  if (whole.length >= Math.max(found.length, 1)) return whole;
  const isList = !COMMANDS.test(label) && lines.filter((line) => isSkinText(line)).length > 1;
  const [only] = found;
  if (only && found.length === 1 && !isList && !COMMANDS.test(label))
    return [named({ place: label, skin: only.skin }, label)];
  if (!only && SKINS_RESTORER.test(label)) return [faulty(label, `${label}: It is not skin data.`)];
  const skins = found.map(({ place, skin }) => ({ place: `${label}:${place}`, skin }));
  return isList ? withOthers(label, lines, { found, skins }) : skins;
}

/** Whether a line has brackets that other lines close. */
function isOpen(line: string): boolean {
  return countOf(line, '{', '[') !== countOf(line, '}', ']');
}

/** The skins of a text in SNBT that has several lines. */
function groupSkins(label: string, text: string): FoundSkin[] {
  const found = [...skinsInSnbt(text)];
  const places = found.length === 1 ? () => label : (place: string) => `${label}:${place}`;
  return found.map(({ place, skin }) => ({ place: places(place), skin }));
}

/** In a list of skins, a line that has none is named, at its place. */
function withOthers(
  label: string,
  lines: readonly string[],
  { found, skins }: { found: readonly PlacedSkin[]; skins: readonly FoundSkin[] },
): FoundSkin[] {
  const numbers = found.map(({ place }) => Number.parseInt(place, 10));
  const known = new Set(numbers);
  const others = lines.flatMap((line, index): [number, FoundSkin][] => {
    const number = index + 1;
    if (line === '' || known.has(number) || runsIn(line).length > 0) return [];
    const place = `${label}:${number}`;
    const read = isSkinText(line) ? readSkinText(line) : { fault: 'It is not skin data.' };
    return [[number, 'skin' in read ? { place, skin: read.skin } : faulty(place, `${place}: ${read.fault}`)]];
  });
  const all = [...skins.map((skin, index): [number, FoundSkin] => [numbers[index]!, skin]), ...others];
  return all.toSorted(([a], [b]) => a - b).map(([, one]) => one);
}
