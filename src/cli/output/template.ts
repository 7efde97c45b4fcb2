import { readFileSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { decodedText } from '../../base/text.ts';
import { nearestName } from '../../batch/sources/files.ts';
import { quote, verifyBase64 } from '../../textures/commands.ts';
import { CliError, usageError } from '../errors/exit.ts';
import { clean } from '../text/text.ts';

/** A text with fields of a skin: `{{name}}`, or `{{name|json}}` with a filter that quotes it. */
export interface Template {
  readonly parts: readonly (string | Field)[];
}

interface Field {
  /** Name of a field in docs/formats.md, such as `texture.url`. */
  readonly name: string;
  readonly filters: readonly FilterName[];
}

/** A skin for templates: all fields of the JSON output. */
export type TemplateFields = Readonly<Record<string, unknown>>;

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
const DATA = /^["']?[A-Za-z0-9+/]{100,}={0,2}["']?$/;

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
      if (content.includes('\n') || (areData[index] && !DATA.test(content))) return false;
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
