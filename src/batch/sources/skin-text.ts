import { hasTooManyValues, isUuid, parsedJson } from '../../base/text.ts';

/** Maximum depth, as in the game. Items with skins are not half as deep. */
const MAX_DEPTH = 64;
/** Maximum characters of a string; the game's has as many bytes. */
const MAX_STRING = 65_535;

/** The starts of groups: a compound, a list, or the components of an item. */
const GROUP = /[{[]/g;
/** A word without quotes. Between brackets, it may be the id of a component, such as `minecraft:profile`. */
const WORD = /[^\s,:;=[\]{}"']+/y;
const ID = /[^\s,;=[\]{}"']+/y;
const SPACE = /\s*/y;
const ARRAY = /[BIL];/y;

/**
 * The groups of a text in SNBT, the notation of the game's commands: a command has several, as for a selector and an item. All
 * values that are no groups are texts. The components of an item, `[profile={…}]`, are fields like those of a compound. Undefined if it cannot be
 * read.
 */
export function snbtIn(text: string): readonly unknown[] | undefined {
  if (hasTooManyValues(text)) return undefined;
  const reader = new Reader(text);
  try {
    return [...reader.groups()];
  } catch (error) {
    if (error instanceof SnbtError) return undefined;
    throw error;
  }
}

class SnbtError extends Error {
  override readonly name = 'SnbtError';
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  *groups(): Generator<unknown> {
    for (;;) {
      GROUP.lastIndex = this.#at;
      const found = GROUP.exec(this.#text);
      if (!found) return;
      this.#at = found.index;
      yield this.#value(WORD, 0);
    }
  }

  #value(word: RegExp, depth: number): unknown {
    if (depth > MAX_DEPTH) throw new SnbtError();
    if (this.#take('{')) return this.#compound(depth);
    if (this.#take('[')) return this.#list(depth);
    return this.#scalar(word);
  }

  #compound(depth: number): unknown {
    const fields: [string, unknown][] = [];
    while (!this.#take('}')) {
      const name = this.#scalar(WORD);
      if (!this.#take(':') && !this.#take('=')) throw new SnbtError(); // selectors have =
      fields.push([name, this.#value(WORD, depth + 1)]);
      this.#between('}');
    }
    return Object.fromEntries(fields);
  }

  #list(depth: number): unknown {
    const [items, fields]: [unknown[], [string, unknown][]] = [[], []];
    this.#match(ARRAY);
    while (!this.#take(']')) {
      const item = this.#value(ID, depth + 1);
      if (typeof item === 'string' && this.#take('=')) fields.push([item, this.#value(ID, depth + 1)]);
      else items.push(item);
      this.#between(']');
    }
    return fields.length > 0 ? Object.fromEntries(fields) : items;
  }

  /** Entries are separated by commas. */
  #between(end: string): void {
    this.#match(SPACE);
    if (!this.#take(',') && this.#text[this.#at] !== end) throw new SnbtError();
  }

  #scalar(word: RegExp): string {
    this.#match(SPACE);
    const quote = this.#text[this.#at];
    if (quote === '"' || quote === "'") return this.#quoted(quote);
    const found = this.#match(word);
    if (!found) throw new SnbtError();
    return found[0];
  }

  /** Reads without a regular expression: millions of escapes would overflow its stack. */
  #quoted(quote: string): string {
    const start = this.#at + 1;
    let end = start;
    while (this.#text[end] !== quote) {
      if (end >= this.#text.length || end - start > MAX_STRING) throw new SnbtError();
      end += this.#text[end] === '\\' ? 2 : 1;
    }
    this.#at = end + 1;
    return unescaped(this.#text.slice(start, end));
  }

  #take(character: string): boolean {
    this.#match(SPACE);
    const isThere = this.#text[this.#at] === character;
    if (isThere) this.#at++;
    return isThere;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found) this.#at = pattern.lastIndex;
    return found;
  }
}

function unescaped(text: string): string {
  return text.replace(/\\(?:u([\dA-Fa-f]{4})|(.))/gs, (_, digits?: string, character?: string) =>
    digits === undefined ? (character ?? '') : String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** Unchecked skin data from JSON. */
export interface SkinInJson {
  readonly value: string;
  readonly signature?: string | undefined;
  /** Its source, according to the JSON. */
  readonly source?: string | undefined;
  readonly uuid?: string | undefined;
  readonly name?: string | undefined;
  readonly variant?: string | undefined;
  readonly visibility?: string | undefined;
  /** URL of the texture beside the value. */
  readonly url?: string | undefined;
  readonly pixels?: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The skin data of a JSON object: a lockfile line, a result of ours, a skin as services answer it (either
 * version, with or without the envelope), a game profile, one of its properties, or a file of SkinsRestorer. Only known places are
 * searched, however deep the JSON is. Undefined if there is no value.
 */
export function skinInJson(json: unknown): SkinInJson | undefined {
  const item = fieldsOf(json);
  if (!item) return undefined;
  const whole = fieldsOf(item['skin']) ?? item;
  const data = dataOf(whole);
  const value = textOf(data?.['value']);
  if (!data || value === undefined) return undefined;
  const isProperty = data['name'] === 'textures';
  return {
    value,
    signature: textOf(data['signature']) || undefined,
    source: textOf(item['source']) || undefined,
    uuid: textOf(whole['uuid']) ?? textOf(whole['mineSkinId']),
    name: isProperty && data === whole ? undefined : nameIn(whole),
    variant: textOf(whole['variant']) ?? textOf(whole['skinVariant'])?.toLowerCase(),
    visibility: textOf(whole['visibility']),
    url: addressOf(whole),
    pixels: textOf(whole['pixels']),
  };
}

/** SkinsRestorer has names of its own for the name (`CustomSkinFile.java`, `PlayerSkinFile.java` of SkinsRestorer/SkinsRestorer). */
function nameIn({ name, skinName, lastKnownName }: Fields): string | undefined {
  return textOf(name) ?? textOf(skinName) ?? textOf(lastKnownName);
}

/** The places of value and signature. */
function dataOf(whole: Fields): Fields | undefined {
  const texture = fieldsOf(whole['texture']);
  const first = fieldsOf(whole['data']);
  const places = [
    whole,
    texture,
    fieldsOf(texture?.['data']),
    fieldsOf(first?.['texture']),
    propertyOf(whole['properties']),
  ];
  return places.find((place) => textOf(place?.['value']) !== undefined);
}

function propertyOf(properties: unknown): Fields | undefined {
  if (!Array.isArray(properties)) return undefined;
  return properties.map(fieldsOf).find((property) => property?.['name'] === 'textures');
}

function addressOf({ texture, url, mineSkinId }: Fields): string | undefined {
  if (mineSkinId !== undefined) return undefined; // in a file of SkinsRestorer, the URL is that of the picture
  if (typeof texture === 'string') return texture; // the lockfile's form
  const address = fieldsOf(texture)?.['url'];
  return textOf(address) ?? textOf(fieldsOf(address)?.['skin']) ?? textOf(url);
}

function fieldsOf(json: unknown): Fields | undefined {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Fields) : undefined;
}

function textOf(json: unknown): string | undefined {
  return typeof json === 'string' ? json : undefined;
}

/** Skin data in a document, and its place: `npc.3.traits.skintrait`. */
interface PlacedSkin {
  readonly place: string;
  readonly skin: SkinInJson;
}

/** The names of skin data in surrounding objects. */
interface Names {
  /** The name on a head. */
  readonly shown?: string | undefined;
  /** The name of an NPC. */
  readonly name?: string | undefined;
  readonly id?: string | undefined;
}

/**
 * All skin data in a document, at whatever depth, in the forms of plugins and of the game's items. Sources: `SkinTrait.java` of
 * CitizensDev/Citizens2 (`textureRaw`), `NpcManagerImpl.java` and `SkinData.java` of FancyMcPlugins/FancyNpcs (`skin.value`, `textureValue`),
 * `PrefetchedDescriptor.java` and `ZNpcImporter.java` of Pyrbu/ZNPCsPlus (`prefetched;…`; `skin` with `signature`).
 */
export function* skinsInTree(
  tree: unknown,
  place = '',
  around: Names = {},
  depth = 0,
): Generator<PlacedSkin, void, void> {
  if (typeof tree !== 'object' || tree === null || depth > MAX_DEPTH) return;
  const fields = tree as Fields;
  const names = { ...around, ...namesOf(fields) };
  const found = Array.isArray(tree) ? undefined : dataIn(fields);
  if (found) return yield { place, skin: { ...found, name: nameFrom(names, fields) } };
  for (const [key, below] of Object.entries(fields)) {
    const step = Array.isArray(tree) ? String(Number(key) + 1) : key;
    yield* skinsInTree(below, place === '' ? step : `${place}.${step}`, names, depth + 1);
  }
}

function dataIn(fields: Fields): Pick<SkinInJson, 'value' | 'signature'> | undefined {
  const { skin, value, textureRaw, textureValue } = fields;
  const prefetched = textOf(skin)?.startsWith(PREFETCHED) ? readSkinText(textOf(skin)!) : undefined;
  if (prefetched && 'skin' in prefetched) return prefetched.skin;
  const data = [value, fields['Value'], textureRaw, textureValue, skin]
    .map(textOf)
    .find((text) => text !== undefined && VALUE.test(text));
  if (data === undefined) return undefined;
  const signatures = [fields['signature'], fields['Signature'], fields['textureSignature']];
  return { value: data, signature: signatures.map(textOf).find(Boolean) };
}

function namesOf(fields: Fields): Names {
  const at = (key: string) => fields[key] ?? fields[`minecraft:${key}`];
  const shown = componentText(
    at('custom_name') ?? fieldsOf(fields['display'])?.['Name'] ?? fields['CustomName'],
  );
  const name = textOf(fields['name']) ?? textOf(fields['Name']);
  const id = textOf(fields['id']);
  return {
    ...(shown !== undefined && { shown }),
    ...(name !== undefined && name !== 'textures' && { name }),
    ...(id !== undefined && !id.includes(':') && { id }),
  };
}

function nameFrom({ shown, name, id }: Names, { skinName, identifier }: Fields): string | undefined {
  const own = textOf(skinName) ?? textOf(identifier);
  const all = [shown, name, own, id].map((text) => text && withoutStyle(text));
  return all.find((text) => text && !/^https?:/.test(text) && !isUuid(text));
}

/** The text of a text component, in either notation. */
function componentText(component: unknown): string | undefined {
  const text = textOf(component);
  if (text === undefined) return textOf(fieldsOf(component)?.['text']);
  const json = /^\s*["{]/.test(text) ? parsedJson(text) : undefined;
  return json === undefined ? text : (textOf(json) ?? textOf(fieldsOf(json)?.['text']));
}

/** Removes the game's colour codes and the tags of MiniMessage. */
function withoutStyle(name: string): string {
  return name
    .replace(/[&§](?:#[\da-f]{6}|[\da-fk-orx])/gi, '')
    .replace(/<[/!]?[a-z_#][^<>]{0,64}>/gi, '')
    .trim();
}

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

/** A value in the middle of a text, as in SNBT. */
const INNER_VALUE = /["':;=\s]e(?:yJ|y[A-D]|w[k-r0-3])[A-Za-z0-9+/]{60,}={0,2}["';,\s]/;
const PREFETCHED = 'prefetched;textures;';
/** What precedes the value in commands, scripts and files of Citizens, Denizen and ZNPCsPlus. */
const LEAD = /^(?:\/?npc skin -t (\S+) |(?:- |\/?ex )?adjust \S+ skin_blob:|skin_blob:|prefetched;textures;)/;

/**
 * Whether a text looks like skin data: a JSON object, SNBT or a command with a value in it, or a base64 value with or without
 * its signature.
 */
export function isSkinText(text: string): boolean {
  return OBJECT.test(text) || VALUE.test(wordsOf(text).words[0] ?? '') || isSnbt(text);
}

/** Whether a text has a value somewhere, as documents of plugins do. */
export function hasSkinValue(text: string): boolean {
  return INNER_VALUE.test(` ${text} `);
}

function isSnbt(text: string): boolean {
  return /[{[]/.test(text) && INNER_VALUE.test(text);
}

/** Reads `{…}`, a command, `value`, `value signature` (or with a semicolon) or `value signature timestamp`. */
export function readSkinText(text: string): SkinInText {
  if (text.length > LONGEST_TEXT)
    return { fault: `Skin data has at most ${LONGEST_TEXT} characters, and this has ${text.length}.` };
  if (VALUE.test(wordsOf(text).words[0] ?? '')) return readWords(wordsOf(text));
  const json = OBJECT.test(text) ? readObject(text) : undefined;
  if (json && 'skin' in json) return json;
  const [only, ...others] = isSnbt(text) ? skinsInSnbt(text) : [];
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

/** All skins of a text in SNBT, such as a command that gives a head. */
export function skinsInSnbt(text: string): readonly PlacedSkin[] {
  return [...skinsInTree(snbtIn(text) ?? [])];
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
