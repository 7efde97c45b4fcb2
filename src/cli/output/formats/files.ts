import { hash } from 'node:crypto';
import { parsedJson } from '../../../base/parsed-json.ts';
import { jsonDocument } from '../../text/json.ts';
import { clean } from '../../text/text.ts';
import { FORMATS, type Format } from './formats.ts';
import type { FormatName } from './names.ts';
import type { SkinData } from './skin-data.ts';

/** An output file. */
export interface RenderedFile {
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
export function renderFile(name: FormatName, skin: SkinData, stem: string): RenderedFile {
  const format: Format = FORMATS[name];
  const path = filePath(name, stem);
  if (!format.isNamedByFile) return { path, text: render(format, skin) };
  return { path, text: render(format, { ...skin, name: splitStem(stem).last.toLowerCase() }) };
}

/** Returns the path of a skin's file without rendering it. */
export function filePath(name: FormatName, stem: string): string {
  const format: Format = FORMATS[name];
  if (format.isFunction) return functionPath(stem) + format.extension;
  if (!format.isNamedByFile) return stem + format.extension;
  const { folder, last } = splitStem(stem);
  return folder + last.toLowerCase() + format.extension;
}

const FUNCTION_PATH = /^[a-z0-9_./-]+$/;
/** Hexadecimal digits that tell two stems apart which differ only in what functions may not have. */
const MARK_LENGTH = 6;

/** The path of a function: in lower case, and with `_` and a mark where the stem has other characters. */
function functionPath(stem: string): string {
  const path = stem.toLowerCase();
  if (FUNCTION_PATH.test(path)) return path;
  return `${path.replace(/[^a-z0-9_./-]/g, '_')}-${hash('sha256', stem).slice(0, MARK_LENGTH)}`;
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
export function hasForm(name: FormatName, text: string): boolean {
  const sample = render(FORMATS[name], SAMPLE);
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

function render(format: Format, skin: SkinData): string {
  const formatted = format.render(skin);
  return typeof formatted === 'string' ? `${clean(formatted)}\n` : jsonDocument(formatted);
}
