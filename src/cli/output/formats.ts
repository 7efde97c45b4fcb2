import { hash } from 'node:crypto';
import { parsedJson } from '../../base/text.ts';
import { transliterated } from '../../base/transliteration.ts';
import type { FinishedSkin } from '../../batch/model.ts';
import {
  type CommandSubject,
  citizensCommand as citizens,
  customSkin,
  giveCommand as give,
  giveCommand116 as give116,
  giveCommand1205 as give1205,
  headCommand,
  mannequinCommand,
  type ProfileSkin,
  textObjectCommand,
  UnsafeSkinDataError,
} from '../../textures/commands.ts';
import { InvalidTexturesError, parseTextures } from '../../textures/property.ts';
import { CliError } from '../errors/exit.ts';
import { clean, jsonDocument } from '../text/text.ts';
import type { FormatName, PackFormatName } from './format-names.ts';
import { TEMPLATES, USED_FIELDS } from './plugin-templates.ts';
import { fillAll, fillTemplate, isFilled, parseTemplate, type Template } from './templates.ts';

/** The fields of a finished skin that formats need; `json` prints any others too. */
export type SkinToFormat = CommandSubject & Partial<Pick<FinishedSkin, 'uuid'>>;

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

export function templateFormat(extension: string, template: () => Template): Format {
  return { extension, render: (skin) => explained(() => fillTemplate(template(), { ...skin })), template };
}

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
  geyser: example('.geyser.yml', 'geyser'),
  tab: example('.tab.yml', 'tab'),
  deluxemenus: example('.deluxemenus.yml', 'deluxemenus'),
  shopguiplus: example('.shopguiplus.yml', 'shopguiplus'),
  'loot-table': example('.loot-table.json', 'loot-table'),
  profile: asJson(example('.profile.json', 'profile')),
  html: example('.html', 'html'),
} as const satisfies Record<FormatName, Format>;

/** One file of several skins, in a format made with a template. @throws CliError when the skin data is not base64 */
export function renderAll(template: Template, skins: readonly SkinToFormat[]): string {
  return explained(() =>
    fillAll(
      template,
      skins.map((skin) => ({ ...skin })),
    ),
  );
}

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
export function sampleOf(template: Template): string {
  const uuid = '0'.repeat(32);
  return fillAll(
    template,
    ['first', 'second'].map((name) => ({ ...SAMPLE, uuid, name })),
  );
}

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
