import { isUuid, parsedJson } from '../../base/text.ts';
import { fieldsOf, type SkinInJson, skinInJson } from './skin-json.ts';
import { bestName, isPlainName, type Names, namesBelow, namesIn } from './skin-names.ts';
import { hasSkinValue, nameBeside, paired, type Run, runsIn } from './skin-runs.ts';
import { snbtIn } from './snbt.ts';

/** Finds skin data: in a text that was pasted, and anywhere in a document. */

/** The start of base64 of a JSON object: `{` and a quote or white space. Shorter text is no textures document. */
const VALUE = /^e(?:yJ|y[A-D]|w[k-r0-3])[A-Za-z0-9+/]{60,}={0,2}$/;
/** `{` and what may follow it in an object; a path may start with a brace as well. */
const OBJECT = /^\s*\{\s*["}]/;
/** The third line of SkinsRestorer's old files: for a skin that never expires, almost the largest number of 64 bits. */
const TIMESTAMP = /^-?\d{1,19}$/;
/** Maximum characters of pasted skin data. */
const LONGEST_TEXT = 64 * 1024;

/** Skin data, or the problem as a sentence. */
type SkinInText = { readonly skin: SkinInJson } | { readonly fault: string };

/** What precedes the value in commands, scripts and files of Citizens, Denizen and ZNPCsPlus. */
const LEAD = /^(?:\/?npc skin -t (\S+) |(?:- |\/?ex )?adjust \S+ skin_blob:|skin_blob:|prefetched;textures;)/;

/**
 * Whether a text looks like skin data: a JSON object, SNBT or a command with a value in it, or a base64 value with or without
 * its signature.
 */
export function isSkinText(text: string): boolean {
  return OBJECT.test(text) || VALUE.test(wordsOf(text).words[0] ?? '') || isSnbt(text);
}

function isSnbt(text: string): boolean {
  return /[{[]/.test(text) && hasSkinValue(text);
}

/** Reads `{…}`, a command, `value`, `value signature` (or with a semicolon) or `value signature timestamp`. */
export function readSkinText(text: string): SkinInText {
  if (text.length > LONGEST_TEXT)
    return { fault: `Skin data has at most ${LONGEST_TEXT} characters, and this has ${text.length}.` };
  if (VALUE.test(wordsOf(text).words[0] ?? '')) return readWords(wordsOf(text));
  const json = OBJECT.test(text) ? readObject(text) : undefined;
  if (json && 'skin' in json) return json;
  const [only, ...others] = isSnbt(text) ? skinsInTree([text]) : [];
  if (!only) return json ?? { fault: 'The text has no texture value.' };
  return others.length === 0
    ? { skin: only.skin }
    : { fault: 'The text has several skins. Save it as a file and use that as the source.' };
}

function readObject(text: string): SkinInText {
  const json = parsedJson(text);
  if (json === undefined) return { fault: 'The text starts like a JSON object but is not valid JSON.' };
  const skin = skinInJson(json);
  return skin ? { skin } : { fault: 'The JSON object has no texture value.' };
}

interface Words {
  readonly words: readonly string[];
  /** The name of the skin in a command. */
  readonly name?: string | undefined;
  readonly areSeparated: boolean;
}

function readWords({
  words: [value = '', signature, third, ...more],
  name,
  areSeparated,
}: Words): SkinInText {
  const isName = areSeparated && third !== undefined && /^[\w.-]{1,64}$/.test(third);
  if (more.length > 0 || (third !== undefined && !TIMESTAMP.test(third) && !isName))
    return { fault: 'The text has more than a value and its signature.' };
  const called = isName ? third : name;
  return { skin: { value, signature, ...(called !== undefined && !isUuid(called) && { name: called }) } };
}

/** Plugins separate a value from its signature with a semicolon as well; Denizen puts a name after them. */
function wordsOf(text: string): Words {
  const start = text.slice(0, LONGEST_TEXT).trim();
  const lead = LEAD.exec(start);
  const rest = start.slice(lead?.[0].length ?? 0);
  const words = rest.split(/\s*;\s*|\s+/).filter((word, index) => word !== '' || index === 0);
  return { words, name: lead?.[1], areSeparated: rest.includes(';') };
}

const MAX_DEPTH = 64;
/** Texts in JSON or SNBT that may stand in one another. */
const MAX_NESTED = 8;

/** Skin data in a document, and its place: `npc.3.traits.skintrait`. */
export interface PlacedSkin {
  /** Of the list or object that has it; of itself, if that has several. */
  readonly place: string;
  /** Of itself. */
  readonly path: string;
  readonly skin: SkinInJson;
}

/** Where the walk is. */
interface Spot {
  readonly path: readonly string[];
  readonly names: Names;
  /** How many texts it is in. */
  readonly nested: number;
  /** Whether keys may be names. Those of SNBT are Minecraft's. */
  readonly hasKeys: boolean;
}

/** A run in a text that a list or an object has. */
interface Leaf extends Run {
  readonly key: string;
  readonly whole: string;
}

type Part = Leaf | { readonly below: () => Generator<PlacedSkin> };

/**
 * All skin data in a document, in its order, at whatever depth and under whatever keys: it is known by what it is, and named
 * by what stands around it. Texts in it may have documents of their own.
 */
export function* skinsInTree(tree: unknown): Generator<PlacedSkin> {
  yield* skinsAt(tree, { path: [], names: {}, nested: 0, hasKeys: true });
}

/** The same for a text in SNBT, such as a command. */
export function* skinsInSnbt(text: string): Generator<PlacedSkin> {
  yield* skinsAt(snbtIn(text), { path: [], names: {}, nested: 1, hasKeys: false });
}

function* skinsAt(node: unknown, spot: Spot): Generator<PlacedSkin> {
  if (typeof node !== 'object' || node === null || spot.path.length > MAX_DEPTH) return;
  const isList = Array.isArray(node);
  const fields = isList ? undefined : fieldsOf(node);
  const here = fields ? { ...spot, names: namesIn(fields, spot.names, spot.path.at(-1)) } : spot;
  const parts = Object.entries(node).flatMap(([key, child]) =>
    partsOf(child, isList ? String(Number(key) + 1) : key, here),
  );
  const pairs = paired(parts.filter((part) => 'kind' in part));
  const signatures = new Map(pairs.map(({ run, signature }) => [run, signature]));
  for (const part of parts) {
    if ('below' in part) yield* part.below();
    else if (part.kind === 'value')
      yield placed(part, signatures.get(part), { spot: here, isOnly: pairs.length === 1 });
  }
}

/** What a child has: runs, or what is below it. */
function partsOf(child: unknown, key: string, spot: Spot): Part[] {
  const below = () => ({
    ...spot,
    path: [...spot.path, key],
    names: namesBelow(spot.names, key, spot.hasKeys),
  });
  if (typeof child === 'object') return [{ below: () => skinsAt(child, below()) }];
  if (typeof child !== 'string') return [];
  const runs = runsIn(child);
  if (runs.length === 0) return signatureIn(child, key);
  const inner = spot.nested < MAX_NESTED ? documentIn(child, runs) : undefined;
  if (inner !== undefined) return [{ below: () => skinsInText(inner, below()) }];
  return runs.map((run) => ({ ...run, key, whole: child }));
}

/** A signature of no size that one has, if its key says so: it is cut, and not absent. */
function signatureIn(text: string, key: string): Leaf[] {
  if (text === '' || !/^(?:texture)?signature$/i.test(key)) return [];
  return [{ kind: 'signature', text, at: 0, key, whole: text }];
}

interface Inner {
  readonly tree: unknown;
  readonly hasKeys: boolean;
}

/** The document that a text is, or the groups of one in SNBT that have its first value. */
function documentIn(text: string, runs: readonly Run[]): Inner | undefined {
  const value = runs.find(({ kind }) => kind === 'value');
  if (!value || !/[{[]/.test(text)) return undefined;
  const json =
    text.trimStart().startsWith('{') || text.trimStart().startsWith('[') ? parsedJson(text) : undefined;
  if (json !== undefined) return { tree: json, hasKeys: true };
  const groups = snbtIn(text);
  return groups && hasText(groups, value.text) ? { tree: groups, hasKeys: false } : undefined;
}

function hasText(node: unknown, text: string): boolean {
  if (typeof node === 'string') return node.includes(text);
  return typeof node === 'object' && node !== null && Object.values(node).some((one) => hasText(one, text));
}

/** Skin data of a text. If it is only one, its place is that of the text. */
function* skinsInText({ tree, hasKeys }: Inner, spot: Spot): Generator<PlacedSkin> {
  const found = [...skinsAt(tree, { path: [], names: spot.names, nested: spot.nested + 1, hasKeys })];
  const place = spot.path.join('.');
  for (const one of found) yield { ...one, place: found.length === 1 ? place : `${place}:${one.place}` };
}

/** `isOnly`: it is the only one in its list or object. */
function placed(
  run: Leaf,
  signature: string | undefined,
  { spot, isOnly }: { spot: Spot; isOnly: boolean },
): PlacedSkin {
  const names = namesBelow(spot.names, run.key, spot.hasKeys);
  const own = isOnly || !isPlainName(run.key) ? undefined : names.key;
  const name = nameBeside(run.whole, run) ?? own ?? bestName(names);
  const path = [...spot.path, run.key].join('.');
  const place = isOnly ? spot.path.join('.') : path;
  return { place, path, skin: { value: run.text, ...(signature && { signature }), ...(name && { name }) } };
}
