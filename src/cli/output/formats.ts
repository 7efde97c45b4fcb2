import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { nearestName } from '../../base/spelling.ts';
import { decodedText, parsedJson } from '../../base/text.ts';
import { transliterated } from '../../base/transliteration.ts';
import {
  type CommandSubject,
  citizensCommand as citizens,
  customSkin,
  denizenLine,
  fancyNpcsSection,
  giveCommand as give,
  giveCommand116 as give116,
  giveCommand1205 as give1205,
  headCommand,
  mannequinCommand,
  type ProfileSkin,
  quote,
  textObjectCommand,
  UnsafeSkinDataError,
  verifyBase64,
  znpcsProperty,
} from '../../textures/commands.ts';
import { InvalidTexturesError, parseTextures } from '../../textures/property.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { clean, jsonDocument } from '../text/text.ts';
import type { FormatName, PackFormatName } from './format-names.ts';

/** A text with fields of a skin: `{{name}}`, or `{{name|json}}` with a filter that quotes it. */
interface Template {
  readonly parts: readonly (string | Field)[];
}

interface Field {
  /** Name of a field in docs/formats.md, such as `texture.url`. */
  readonly name: string;
  readonly filters: readonly FilterName[];
}

/** A skin for templates: all fields of the JSON output. */
type TemplateFields = Readonly<Record<string, unknown>>;

/** The ways to quote a field. */
const FILTERS = {
  json: (text) => quote(text),
  /** YAML reads the strings of JSON. */
  yaml: (text) => quote(text),
  snbt: (text) => `"${text.replace(/[\\"]/g, '\\$&')}"`,
  shell: (text) => `'${text.replaceAll("'", "'\\''")}'`,
  html: (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`),
} as const satisfies Readonly<Record<string, (text: string) => string>>;
type FilterName = keyof typeof FILTERS;

export const FILTER_MEANINGS: Readonly<Record<FilterName, string>> = {
  json: 'as a JSON string with quotes; numbers, booleans and lists as JSON',
  yaml: 'as a YAML string in double quotes',
  snbt: 'as a string in SNBT, the notation of commands, in double quotes',
  shell: 'as one shell word in single quotes',
  html: 'as HTML text or attribute',
};

const MAX_LENGTH = 256 * 1024;
const OF_TEMPLATES = /\.tmpl$/i;

/**
 * The text of a template, which is given itself or as the name of its file, and the extension of the files made with it:
 * that of `npc.yml.tmpl` is `.yml`. @throws CliError if it cannot be read
 */
export function readTemplate(given: string): { readonly text: string; readonly extension: string } {
  if (given.includes('{{')) return { text: given, extension: '.txt' };
  const extension = extname(given.replace(OF_TEMPLATES, '')).toLowerCase() || '.txt';
  if (extension === '.png' || extension === '.lock')
    throw invalid(`A template cannot make files that end in ${extension}.`, 'Rename it, as to npc.yml.tmpl.');
  return { text: decodedText(readTemplateFile(given)), extension };
}

function readTemplateFile(path: string): Uint8Array {
  try {
    const found = statSync(path);
    if (found.isFile() && found.size <= MAX_LENGTH) return readFileSync(path);
  } catch (cause) {
    const hint = 'Give the path of a file, or a template such as template:{{name}};{{value}};{{signature}}.';
    throw new CliError('no_such_template', `The template ${clean(path)} cannot be read.`, {
      exit: 'usage',
      hint,
      cause,
    });
  }
  throw invalid(`The template ${path} is not a file of at most ${MAX_LENGTH / 1024} KiB.`);
}

/** Matches fields. Anything else is literal. */
const FIELD = /\{\{ *([A-Za-z][\w.-]*)((?: *\| *[A-Za-z][\w-]*)*) *\}\}/g;

/**
 * Reads a template. `known`: the names of the existing fields.
 * @throws CliError for a field or filter that does not exist
 */
export function parseTemplate(text: string, known: readonly string[]): Template {
  if (text.length > MAX_LENGTH) throw invalid(`The template has more than ${MAX_LENGTH} characters.`);
  const parts: (string | Field)[] = [];
  let end = 0;
  for (const { 0: whole, 1: name = '', 2: filters = '', index } of text.matchAll(FIELD)) {
    parts.push(text.slice(end, index), fieldOf({ whole, name, filters }, known));
    end = index + whole.length;
  }
  if (parts.length === 0) throw invalid('The template has no fields, such as {{value}}.', fieldsHint(known));
  parts.push(text.slice(end));
  if (!text.endsWith('\n')) parts.push('\n');
  return { parts };
}

function fieldOf(
  { whole, name, filters }: { readonly whole: string; readonly name: string; readonly filters: string },
  known: readonly string[],
): Field {
  if (!known.includes(name)) throw unknown(`field ${whole}`, name, known, fieldsHint(known));
  const names = filters
    .split('|')
    .slice(1)
    .map((filter) => filter.trim());
  const all = Object.keys(FILTERS);
  const wrong = names.find((filter) => !all.includes(filter));
  if (wrong !== undefined) throw unknown(`filter ${wrong}`, wrong, all, `Filters: ${all.join(', ')}.`);
  return { name, filters: names as FilterName[] };
}

function unknown(what: string, name: string, known: readonly string[], hint: string): Error {
  const near = nearestName(name, known);
  const meant = near === undefined ? '' : `Did you mean ${near}? `;
  return invalid(`The template's ${what} does not exist.`, `${meant}${hint}`);
}

function fieldsHint(known: readonly string[]): string {
  return `Fields: ${known.join(', ')}.`;
}

function invalid(message: string, hint?: string): Error {
  return usageError('invalid_template', clean(message), hint);
}

/** Fills the template with a skin's fields and ends it with a line break. @throws UnsafeSkinDataError */
export function fillTemplate({ parts }: Template, skin: TemplateFields): string {
  return parts.map((part) => (typeof part === 'string' ? part : filled(part, skin))).join('');
}

function filled({ name, filters: [first, ...more] }: Field, skin: TemplateFields): string {
  const value = name.split('.').reduce<unknown>(memberOf, skin);
  if (name === 'value' || name === 'signature') verifyBase64(String(value));
  const text = clean(typeof value === 'object' ? JSON.stringify(value) : String(value ?? ''));
  const isBare = first === 'json' && value !== undefined && typeof value !== 'string';
  const start = first === undefined || isBare ? text : FILTERS[first](text);
  return more.reduce((quoted, filter) => FILTERS[filter](quoted), start);
}

/** For a list, the values of its items. */
function memberOf(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value.map((item) => memberOf(item, key));
  return (value as TemplateFields | undefined)?.[key];
}

/** A value or a signature, perhaps quoted. */
const QUOTED_DATA = /^["']?[A-Za-z0-9+/]{100,}={0,2}["']?$/;

/** Whether a text consists only of skins in this template, one after another, each with skin data. */
export function isFilled(template: Template, text: string): boolean {
  const { literals, areData } = formOf(template);
  if (!areData.includes(true)) return false;
  let at = 0;
  while (at < text.length) {
    for (const [index, literal] of literals.entries()) {
      const next = index === 0 ? at : text.indexOf(literal, at);
      if (!text.startsWith(literal, next)) return false;
      const content = text.slice(at, next);
      if (content.includes('\n') || (areData[index] && !QUOTED_DATA.test(content))) return false;
      at = next + literal.length;
    }
  }
  return at > 0;
}

/** The texts between fields, and whether the one field before each is a value or a signature. */
function formOf({ parts }: Template): { literals: readonly string[]; areData: readonly boolean[] } {
  const literals: string[] = [''];
  const areData: boolean[] = [false];
  for (const part of parts) {
    if (typeof part === 'string') literals.push((literals.pop() ?? '') + part);
    else if (literals.length > 1 && literals.at(-1) === '') areData[areData.length - 1] = false;
    else {
      literals.push('');
      areData.push(part.name === 'value' || part.name === 'signature');
    }
  }
  return { literals, areData };
}

/** The fields of a finished skin that formats need; `json` prints any others too. */
export interface SkinToFormat extends CommandSubject {
  readonly uuid?: string | undefined;
}

type Command = (skin: CommandSubject) => string;

/** The commands of the formats. @throws CliError when the skin data is not base64 */
export const giveCommand: Command = (skin) => explained(() => give(skin));
export const giveCommand1205: Command = (skin) => explained(() => give1205(skin));
export const giveCommand116: Command = (skin) => explained(() => give116(skin));
export const citizensCommand: Command = (skin) => explained(() => citizens(skin));

function explained(make: () => string): string {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof UnsafeSkinDataError || error instanceof InvalidTexturesError)) throw error;
    throw new CliError('invalid_skin_data', error.message, {
      hint: 'See what the service sent, with the format json.',
    });
  }
}

/** Renders a finished skin in one format: a text, or a value to be written as JSON. */
export type Formatted = string | Readonly<Record<string, unknown>>;

export interface Format {
  /** File extension of this format, including the dot. */
  readonly extension: string;
  /** `stem`, `index`: path and position of the source. @throws CliError for a command, when the skin data is not base64 */
  readonly render: (skin: SkinToFormat, stem?: string, index?: number) => Formatted;
  /** Its name, if it is one of ours with options. */
  readonly name?: FormatName;
  /** What we write in it, if that shows in the text alone. */
  readonly form?: RegExp;
  /** The reader identifies the file by its name, in lower case, and expects the same name in its content. */
  readonly isNamedByFile?: true;
  /** Data packs load the file only if its path is a name as Minecraft allows it. */
  readonly isFunction?: true;
  /** What it is made with; one file may then have several skins. */
  readonly template?: () => Template;
}

/** A format of ours by its name, or one of the user's own. */
export type FormatLike = FormatName | Format;

export function formatOf(format: FormatLike): Format {
  return typeof format === 'string' ? FORMATS[format] : format;
}

/** A format that a template makes. */
export function templateFormat(extension: string, template: () => Template): Format {
  return { extension, render: (skin) => explained(() => fillTemplate(template(), { ...skin })), template };
}

const FIELDS = { value: '{{value}}', signature: '{{signature}}' };
const YAML_FIELDS = {
  url: '{{texture.url|yaml}}',
  value: '{{value|yaml}}',
  signature: '{{signature|yaml}}',
};

/**
 * Formats made with nothing but templates, those in `examples/formats/`. They use only fields that every skin has: the
 * list of all fields belongs to the results.
 */
export const TEMPLATES = {
  denizen: denizenLine(FIELDS),
  fancynpcs: fancyNpcsSection(YAML_FIELDS),
  znpcs: znpcsProperty(FIELDS),
  profile:
    '{\n  "id": {{uuid|json}},\n  "name": {{name|json}},\n  "properties": [\n    {\n      "name": "textures",\n' +
    '      "value": {{value|json}},\n      "signature": {{signature|json}}\n    }\n  ]\n}\n',
  html:
    '<figure class="skin" data-variant="{{variant|html}}" data-value="{{value|html}}" data-signature="{{signature|html}}">\n' +
    '  <img src="{{texture.url|html}}" alt="Skin {{name|html}}" width="256" style="image-rendering: pixelated">\n' +
    '  <figcaption>{{name|html}}</figcaption>\n</figure>\n',
} as const satisfies Partial<Record<FormatName, string>>;

const USED_FIELDS = ['uuid', 'name', 'variant', 'value', 'signature', 'texture.url'];

function example(extension: string, name: keyof typeof TEMPLATES): Format {
  return templateFormat(extension, () => parseTemplate(TEMPLATES[name], USED_FIELDS));
}

/** The same as a value: in a pipe one line, with --json part of the document. */
function asJson(format: Format): Format {
  return { ...format, render: (skin) => JSON.parse(String(format.render(skin))) };
}

const COMMANDS = {
  'give-texture': (skin) => headCommand(skin),
  mannequin: (skin) => mannequinCommand(skin),
  'text-object': textObjectCommand,
} as const satisfies Record<PackFormatName, (skin: ProfileSkin) => string>;

const VALUE = String.raw`properties:\{textures:\["[A-Za-z0-9+/]{40,}={0,2}"\]\}`;
const located = (folder: string) => `"[a-z0-9_.-]+:entity/${folder}/[a-z0-9_./-]+"`;
const TEXTURE = `texture:${located('player')}(?:,cape:${located('cape')})?(?:,elytra:${located('elytra')})?`;
const LOOK = String.raw`\{(?:${VALUE}|${TEXTURE})(?:,model:(?:wide|slim))?\}`;
const NAME = String.raw`\{text:"(?:[^"\\]|\\.)*"(?:,italic:false)?\}`;

/** A whole file of ours with one command. */
const FORMS = {
  'give-texture': new RegExp(String.raw`^give @p player_head\[profile=${LOOK}(?:,custom_name=${NAME})?\]\n$`),
  mannequin: new RegExp(String.raw`^summon mannequin ~ ~ ~ \{profile:${LOOK}(?:,description:${NAME})?\}\n$`),
  'text-object': new RegExp(String.raw`^tellraw @a \{object:player,player:${LOOK}\}\n$`),
} as const satisfies Record<PackFormatName, RegExp>;

/** A skin for a command that needs no signature. */
export function packCommand(format: PackFormatName, skin: ProfileSkin): string {
  return COMMANDS[format](skin);
}

/** Where a pack has the skins of results. */
export interface PackLooks {
  /** `stem`, `index`: path and position of the source. @throws CliError if the pack lacks it */
  lookOf(skin: SkinToFormat, stem: string | undefined, index: number | undefined): Partial<ProfileSkin>;
}

/**
 * A command for Minecraft 1.21.9 and later, which needs no signature. `pack`: that has the textures; without one, the
 * command has the address of the texture.
 */
export function packFormat(name: PackFormatName, pack?: PackLooks): Format {
  const render = (skin: SkinToFormat, stem?: string, index?: number) =>
    explained(() => {
      const { skin: texture } = parseTextures(skin.value);
      if (!texture) throw new InvalidTexturesError('The value contains no skin.');
      const { url, variant } = texture;
      return COMMANDS[name]({ name: skin.name, variant, look: { url }, ...pack?.lookOf(skin, stem, index) });
    });
  return { extension: `.${name}.mcfunction`, isFunction: true, render, name, form: FORMS[name] };
}

export const FORMATS = {
  json: { extension: '.json', render: (skin) => ({ ...skin }) },
  value: { extension: '.value', render: ({ value }) => value },
  signature: { extension: '.signature', render: ({ signature }) => signature },
  /** The game profile's textures property. */
  property: {
    extension: '.property.json',
    render: ({ value, signature }) => ({ name: 'textures', value, signature }),
  },
  give: { extension: '.mcfunction', render: giveCommand, isFunction: true },
  'give-1.20.5': { extension: '.1.20.5.mcfunction', render: giveCommand1205, isFunction: true },
  'give-1.16': { extension: '.1.16.mcfunction', render: giveCommand116, isFunction: true },
  'give-texture': packFormat('give-texture'),
  mannequin: packFormat('mannequin'),
  'text-object': packFormat('text-object'),
  /** A custom skin for the `skins` folder of SkinsRestorer 15. */
  skinsrestorer: { extension: '.customskin', render: customSkin, isNamedByFile: true },
  citizens: { extension: '.citizens.txt', render: citizensCommand },
  denizen: example('.denizen.txt', 'denizen'),
  fancynpcs: example('.fancynpcs.yml', 'fancynpcs'),
  znpcs: example('.znpcs.yml', 'znpcs'),
  profile: asJson(example('.profile.json', 'profile')),
  html: example('.html', 'html'),
} as const satisfies Record<FormatName, Format>;

/** An output file. */
interface RenderedFile {
  /** Path relative to the output folder, with `/` between segments. */
  readonly path: string;
  /** The whole text, including the final line break. */
  readonly text: string;
}

/**
 * Renders a skin as a separate file. `stem` is its path relative to the output folder, with `/` between segments and no
 * extension. Formats identified by file name put the last segment in lower case, so their stems must differ in more
 * than case.
 * @throws CliError for a command, when the skin data is not base64
 */
export function renderFile(
  wanted: FormatLike,
  skin: SkinToFormat,
  stem: string,
  index?: number,
): RenderedFile {
  const format = formatOf(wanted);
  const path = filePath(format, stem);
  if (!format.isNamedByFile) return { path, text: render(format, skin, stem, index) };
  return { path, text: render(format, { ...skin, name: splitStem(stem).last.toLowerCase() }) };
}

/** Returns the path of a skin's file without rendering it. */
export function filePath(wanted: FormatLike, stem: string): string {
  const format = formatOf(wanted);
  if (format.isFunction) return functionPath(stem) + format.extension;
  if (!format.isNamedByFile) return stem + format.extension;
  const { folder, last } = splitStem(stem);
  return folder + last.toLowerCase() + format.extension;
}

const FUNCTION_PATH = /^[a-z0-9_./-]+$/;
/** Hexadecimal digits that tell two stems apart which differ only in what functions may not have. */
const MARK_LENGTH = 6;

/** The path of a function: in lower case and Latin letters, with a mark where the stem has other characters. */
function functionPath(stem: string): string {
  const path = stem.toLowerCase();
  if (FUNCTION_PATH.test(path)) return path;
  const latin = transliterated(path.normalize('NFKC')).replace(/[^a-z0-9_./-]/g, '_');
  return `${latin}-${hash('sha256', stem).slice(0, MARK_LENGTH)}`;
}

/** Any skin data: what its files have in common is the form of the format. */
const SAMPLE = {
  uuid: '',
  variant: 'classic',
  visibility: 'public',
  value: 'eyJ0ZXh0dXJlcyI6e319',
  signature: 'c2lnbmF0dXJlc2lnbmF0dXJl',
  texture: { url: '', hash: '' },
};
/** A value or a signature is longer than this. */
const DATA = /[A-Za-z0-9+/]{100,}={0,2}/;

/** Whether a text is what we write in this format for some skin. */
export function hasForm(wanted: FormatLike, text: string): boolean {
  const format = formatOf(wanted);
  if (format.template) return isFilled(format.template(), text);
  if (format.form) return format.form.test(text);
  const sample = render(format, SAMPLE);
  if (!DATA.test(text)) return false;
  if (sample.startsWith('{')) return text.startsWith('{') && fieldsOf(text) === fieldsOf(sample);
  return /^[^\n]+\n$/.test(text) && wordsOf(text) === wordsOf(sample);
}

/** The fields of a JSON document in our layout, without the name, which a skin may lack. */
function fieldsOf(text: string): string | undefined {
  const json = parsedJson(text);
  if (typeof json !== 'object' || json === null || jsonDocument(json) !== text) return undefined;
  return Object.keys(json)
    .filter((field) => field !== 'name')
    .join();
}

/** A command without what differs between skins: data and numbers. */
function wordsOf(line: string): string {
  return line.split(/[[{]/, 1)[0]!.replace(/[A-Za-z0-9+/=-]{20,}|\n/g, '');
}

function splitStem(stem: string): { folder: string; last: string } {
  const at = stem.lastIndexOf('/') + 1;
  return { folder: stem.slice(0, at), last: stem.slice(at) };
}

function render(format: Format, skin: SkinToFormat, stem?: string, index?: number): string {
  const formatted = format.render(skin, stem, index);
  if (format.template && typeof formatted === 'string') return formatted;
  return typeof formatted === 'string' ? `${clean(formatted)}\n` : jsonDocument(formatted);
}
