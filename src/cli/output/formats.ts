import { hash } from 'node:crypto';
import { parsedJson } from '../../base/json.ts';
import {
  type CommandSubject,
  citizensCommand as citizens,
  giveCommand as give,
  giveCommand116 as give116,
  giveCommand1205 as give1205,
  UnsafeSkinDataError,
} from '../../textures/commands.ts';
import { profileId } from '../../textures/property.ts';
import { CliError } from '../errors/exit.ts';
import { clean, jsonDocument } from '../text/text.ts';
import type { FormatName } from './format-names.ts';

/** The fields of a finished skin that formats need; `json` prints any others too. */
export interface SkinData {
  readonly name?: string | undefined;
  /** Base64 of the textures document. */
  readonly value: string;
  /** Base64 of the RSA signature over `value`. */
  readonly signature: string;
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
    if (!(error instanceof UnsafeSkinDataError)) throw error;
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
  /** @throws CliError for a command, when the skin data is not base64 */
  readonly render: (skin: SkinData) => Formatted;
  /** The reader identifies the file by its name, in lower case, and expects the same name in its content. */
  readonly isNamedByFile?: true;
  /** Data packs load the file only if its path is a name as Minecraft allows it. */
  readonly isFunction?: true;
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
  /** A custom skin for the `skins` folder of SkinsRestorer 15. */
  skinsrestorer: { extension: '.customskin', render: customSkin, isNamedByFile: true },
  citizens: { extension: '.citizens.txt', render: citizensCommand },
} as const satisfies Record<FormatName, Format>;

function customSkin({ name, value, signature }: SkinData): Formatted {
  const skinName = (name ?? profileId(value).uuid).toLowerCase();
  return { skinName, value, signature, dataVersion: 1 };
}

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
