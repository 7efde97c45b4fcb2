import { readFileSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { nearestName } from '../../base/spelling.ts';
import { bareUuid, decodedText, isUuid } from '../../base/text.ts';
import { quote, verifyBase64 } from '../../textures/commands.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { clean } from '../text/text.ts';

/** A text with fields of a skin: `{{name}}`, or `{{name|json}}` with a filter. */
export interface Template {
  /** What each skin gets. */
  readonly parts: readonly Part[];
  /** What stands once before and after all skins of a file, if the template has three parts. */
  readonly frame: Frame | undefined;
}

interface Frame {
  readonly head: readonly Part[];
  readonly foot: readonly Part[];
}

type Part = string | Field | Separator;

interface Field {
  /** Name of a field in docs/formats.md, such as `texture.url`. */
  readonly name: string;
  readonly filters: readonly Filter[];
}

/** A text between two skins. */
interface Separator {
  readonly separator: string;
}

/** A skin for templates: all fields of the JSON output. */
export type TemplateFields = Readonly<Record<string, unknown>>;

/** Fields of a skin's place in its file. */
export const FILE_FIELDS = {
  number: "the skin's place in the file, from 1",
  count: 'number of skins in the file; also before and after them',
} as const;

/** The ways to write a field. */
const FILTERS = {
  json: (text) => quote(text),
  /** YAML reads the strings of JSON. */
  yaml: (text) => quote(text),
  snbt: (text) => `"${text.replace(/[\\"]/g, '\\$&')}"`,
  shell: (text) => `'${text.replaceAll("'", "'\\''")}'`,
  html: (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`),
  dashed: (text) => (isUuid(text) ? bareUuid(text).replace(UUID_PARTS, '$1-$2-$3-$4-$5') : text),
  ints: (text) => (isUuid(text) ? intsOf(bareUuid(text)).join(',') : text),
  words: (text, words) => {
    const [classic = '', slim = ''] = words.split(',');
    if (text === 'classic') return classic.trim();
    return text === 'slim' ? slim.trim() : text;
  },
  from: (text, first) => (/^\d+$/.test(text) ? String(Number(text) - 1 + Number(first)) : text),
} as const satisfies Readonly<Record<string, (text: string, argument: string) => string>>;
type FilterName = keyof typeof FILTERS;

interface Filter {
  readonly name: FilterName;
  /** What follows the colon. */
  readonly argument: string;
}

const UUID_PARTS = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;

/** The filters that take an argument, what it must look like, and an example of it. */
const ARGUMENTS: Partial<Record<FilterName, { readonly form: RegExp; readonly example: string }>> = {
  words: { form: /^[^,]*,[^,]*$/, example: 'words:CLASSIC,SLIM' },
  from: { form: /^-?\d{1,9}$/, example: 'from:0' },
};

export const FILTER_MEANINGS: Readonly<Record<string, string>> = {
  json: 'as a JSON string with quotes; numbers, booleans and lists as JSON',
  yaml: 'as a YAML string in double quotes',
  snbt: 'as a string in SNBT, the notation of commands, in double quotes',
  shell: 'as one shell word in single quotes',
  html: 'as HTML text or attribute',
  dashed: 'a UUID with dashes',
  ints: 'a UUID as four numbers with commas, as in [I;{{uuid|ints}}] of SNBT',
  'words:A,B': 'the variant in other words: the first for classic arms, the second for slim ones',
  'from:N': 'a number that counts from N, as in {{number|from:0}}',
};

function intsOf(uuid: string): number[] {
  return [0, 8, 16, 24].map((at) => Number.parseInt(uuid.slice(at, at + 8), 16) | 0);
}

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
    throw invalidTemplate(
      `A template cannot make files that end in ${extension}.`,
      'Rename it, as to npc.yml.tmpl.',
    );
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
  throw invalidTemplate(`The template ${path} is not a file of at most ${MAX_LENGTH / 1024} KiB.`);
}

const DIVIDER = /^---8<---[ \t]*(?:\r?\n|$)/m;

/**
 * Reads a template. `known`: the names of the existing fields.
 * @throws CliError for a field or filter that does not exist
 */
export function parseTemplate(text: string, known: readonly string[]): Template {
  if (text.length > MAX_LENGTH) throw invalidTemplate(`The template has more than ${MAX_LENGTH} characters.`);
  const texts = text.split(DIVIDER);
  if (texts.length === 1) return { parts: skinParts(text, known), frame: undefined };
  const [head = '', skin = '', foot = ''] = texts;
  if (texts.length !== 3)
    throw invalidTemplate(
      `The template has ${texts.length - 1} ${texts.length === 2 ? 'line' : 'lines'} ---8<---.`,
      'Use two of them, one before and one after the text for each skin, or none.',
    );
  const ofFile = ['count'];
  return {
    parts: skinParts(skin, known),
    frame: { head: partsOf(head, ofFile), foot: partsOf(foot, ofFile) },
  };
}

function skinParts(text: string, known: readonly string[]): readonly Part[] {
  const fields = [...known, ...Object.keys(FILE_FIELDS)];
  const parts = partsOf(text, fields);
  if (!parts.some((part) => typeof part === 'object' && 'name' in part))
    throw invalidTemplate('The template has no fields, such as {{value}}.', fieldsHint(fields));
  return parts;
}

/** Matches fields. Anything else is literal. */
const FIELD =
  /\{\{ *(?:separator:([^{}\n]*)|([A-Za-z][\w.-]*)((?: *\| *[A-Za-z][\w-]*(?::[^|{}\n]*)?)*) *)\}\}/g;

/** The parts of a text; one that is not empty ends with a line break. */
function partsOf(text: string, known: readonly string[]): readonly Part[] {
  const parts: Part[] = [];
  let end = 0;
  for (const { 0: whole, 1: separator, 2: name = '', 3: filters = '', index } of text.matchAll(FIELD)) {
    parts.push(text.slice(end, index));
    parts.push(separator === undefined ? fieldOf({ whole, name, filters }, known) : { separator });
    end = index + whole.length;
  }
  parts.push(text.slice(end));
  if (text !== '' && !text.endsWith('\n')) parts.push('\n');
  return parts;
}

function fieldOf(
  { whole, name, filters }: { readonly whole: string; readonly name: string; readonly filters: string },
  known: readonly string[],
): Field {
  if (!known.includes(name)) throw unknown(`field ${whole}`, name, known, fieldsHint(known));
  return { name, filters: filters.split('|').slice(1).map(filterOf) };
}

function filterOf(text: string): Filter {
  const [name = '', ...rest] = text.trim().split(':');
  const all = Object.keys(FILTERS);
  if (!all.includes(name)) throw unknown(`filter ${name}`, name, all, `Filters: ${all.join(', ')}.`);
  const filter = name as FilterName;
  const argument = rest.join(':');
  const expected = ARGUMENTS[filter];
  if (expected ? !expected.form.test(argument) : rest.length > 0)
    throw invalidTemplate(
      `The template's filter ${text.trim()} is not complete.`,
      `Write ${expected?.example ?? name}.`,
    );
  return { name: filter, argument };
}

function unknown(what: string, name: string, known: readonly string[], hint: string): Error {
  const near = nearestName(name, known);
  const meant = near === undefined ? '' : `Did you mean ${near}? `;
  return invalidTemplate(`The template's ${what} does not exist.`, `${meant}${hint}`);
}

function fieldsHint(known: readonly string[]): string {
  return `Fields: ${known.join(', ')}.`;
}

export function invalidTemplate(message: string, hint?: string): Error {
  return usageError('invalid_template', clean(message), hint);
}

/** A file of one skin. @throws UnsafeSkinDataError */
export function fillTemplate(template: Template, skin: TemplateFields): string {
  return fillAll(template, [skin]);
}

/** A file of all these skins. @throws UnsafeSkinDataError */
export function fillAll({ parts, frame }: Template, skins: readonly TemplateFields[]): string {
  const count = skins.length;
  const filled = skins.map((skin, index) => fill(parts, { ...skin, number: index + 1, count }));
  if (!frame) return filled.join('');
  return [fill(frame.head, { count }), ...filled, fill(frame.foot, { count })].join('');
}

function fill(parts: readonly Part[], skin: TemplateFields): string {
  const isLast = skin['number'] === skin['count'];
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      return 'name' in part ? fieldText(part, skin) : isLast ? '' : part.separator;
    })
    .join('');
}

function fieldText({ name, filters: [first, ...more] }: Field, skin: TemplateFields): string {
  const value = name.split('.').reduce<unknown>(memberOf, skin);
  if (name === 'value' || name === 'signature') verifyBase64(String(value));
  const text = clean(typeof value === 'object' ? JSON.stringify(value) : String(value ?? ''));
  const isBare = first?.name === 'json' && value !== undefined && typeof value !== 'string';
  const start = first === undefined || isBare ? text : filtered(text, first);
  return more.reduce(filtered, start);
}

function filtered(text: string, { name, argument }: Filter): string {
  return FILTERS[name](text, argument);
}

/** For a list, the values of its items. */
function memberOf(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value.map((item) => memberOf(item, key));
  return (value as TemplateFields | undefined)?.[key];
}

/** A value, a signature or the hash of a texture, perhaps quoted. */
const QUOTED_DATA = /^["']?(?:[A-Za-z0-9+/]{100,}={0,2}|[0-9a-f]{56,64})["']?$/;
const DATA_FIELDS: ReadonlySet<string> = new Set(['value', 'signature', 'texture.hash']);

/** Whether a text consists only of skins in this template, one after another, each with skin data. */
export function isFilled({ parts, frame }: Template, text: string): boolean {
  const [between, last] = [formOf(parts, true), formOf(parts, false)];
  if (!between.areData.includes(true)) return false;
  const start = frame ? endOfForm(formOf(frame.head, false), text, 0) : 0;
  if (start === undefined) return false;
  const foot = frame && formOf(frame.foot, false);
  for (let at = start; ; ) {
    if (at > start && (foot ? endOfForm(foot, text, at) : at) === text.length) return true;
    const next = endOfForm(between, text, at) ?? endOfForm(last, text, at);
    if (next === undefined || next === at) return false;
    at = next;
  }
}

interface Form {
  readonly literals: readonly string[];
  readonly areData: readonly boolean[];
}

/** Where a form that begins at a place of a text ends; undefined if there is something else. */
function endOfForm({ literals, areData }: Form, text: string, start: number): number | undefined {
  let at = start;
  for (const [index, literal] of literals.entries()) {
    const next = index === 0 ? at : text.indexOf(literal, at);
    if (next < 0 || !text.startsWith(literal, next)) return undefined;
    const content = text.slice(at, next);
    if (content.includes('\n') || (areData[index] && !QUOTED_DATA.test(content))) return undefined;
    at = next + literal.length;
  }
  return at;
}

/** The texts between fields, and whether the one field before each is skin data. */
function formOf(parts: readonly Part[], isBetween: boolean): Form {
  const literals: string[] = [''];
  const areData: boolean[] = [false];
  for (const part of parts) {
    const isField = typeof part === 'object' && 'name' in part;
    if (!isField) literals.push((literals.pop() ?? '') + literalOf(part, isBetween));
    else if (literals.length > 1 && literals.at(-1) === '') areData[areData.length - 1] = false;
    else {
      literals.push('');
      areData.push(DATA_FIELDS.has(part.name));
    }
  }
  return { literals, areData };
}

function literalOf(part: string | Separator, isBetween: boolean): string {
  if (typeof part === 'string') return part;
  return isBetween ? part.separator : '';
}
