import { createReadStream, readdirSync } from 'node:fs';
import { lacksScheme, sentLink } from '../../base/bounded-fetch.ts';
import { bareUuid, isUuid } from '../../base/text.ts';
import { parseBedrockPlayer, saysBedrock } from '../../game/bedrock.ts';
import { DATA_URL_PREFIX, MAX_URL_LENGTH } from '../../protocol/generate.ts';
import { type BatchSource, type Coverage, type SourceContent, unusable } from '../model.ts';
import {
  baseStem,
  type FoundPath,
  findPath,
  mirroredStem,
  noSuchFile,
  similarName,
  stdinContent,
} from './files.ts';
import { folderSources, isPackFolder, isPattern, matchingFiles, PACK } from './folders.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import { isListFile, isSkinFile, pluginSources, skinFileSources, skinOnStdin } from './skin-files.ts';
import { isSkinText, readSkinText } from './skin-text.ts';
import { skinSource } from './supplied-skin.ts';

/** A text that names sources: an argument, or the source of a list's row. */
export interface NamedSources {
  readonly text: string;
  /** Absolute paths of the folders in which a relative path is searched, in this order. */
  readonly homes: readonly string[];
  /** Whether the folders of a relative path become part of the stem. */
  readonly isMirrored: boolean;
}

/** Shared by all arguments and rows of a batch. */
export interface ExpandOptions {
  readonly as: SourceSpec['as'];
  readonly recursive: boolean;
  readonly rules: IgnoreRules;
  readonly stdin: () => AsyncIterable<Uint8Array>;
  /** Records each folder that is walked to its end. */
  readonly coverage?: Coverage | undefined;
  readonly isForPack?: SourceSpec['isForPack'];
  readonly warn?: SourceRoots['warn'];
  /** The sources of a list that an argument names. Absent: in a list, which may not name another one. */
  readonly list?: (label: string) => AsyncIterable<BatchSource>;
}

type Kind = 'stdin' | 'data' | 'skin' | 'texture' | 'url' | 'user' | 'bedrock' | 'path';
type Sources = AsyncIterable<BatchSource> | [BatchSource];
type Expand = (named: NamedSources, expansion: ExpandOptions) => Sources;

const EXPANDERS = {
  stdin: ({ text }, { stdin }) => streamedSource(text, stdin()),
  data: ({ text }) => [dataSource(text)],
  skin: ({ text }) => [pastedSource(text)],
  texture: ({ text }) => [gameTextureSource(text)],
  url: ({ text }) => [urlSource(text)],
  user: ({ text }) => [userSource(text)],
  bedrock: ({ text }) => [userSource(text)],
  path: pathSources,
} satisfies Record<Kind, Expand>;

/** Characters shown of pasted text, and of data URLs. */
const SHOWN_TEXT = 30;
const SKIN_HINT =
  'Give a value, "value signature", or a JSON object with both, such as a line of skins.lock.';

/** All sources that an argument or a row stands for, as they are found. */
export function expand(named: NamedSources, expansion: ExpandOptions): Sources {
  return EXPANDERS[kindOf(named.text, expansion.as)](named, expansion);
}

/** The kind of source that a text looks like, unless the user set it. */
function kindOf(text: string, as: SourceSpec['as']): Kind {
  if (as === 'user') return 'user';
  const isData = /^data:/i.test(text);
  const isTexture = GAME_TEXTURE.test(text);
  if (as === 'url') return isData ? 'data' : isTexture || TEXTURE_HASH.test(text) ? 'texture' : 'url';
  if (text === '-') return 'stdin';
  if (as === 'file') return isSkinText(text) ? 'skin' : 'path';
  if (isData) return 'data';
  if (isTexture) return 'texture';
  if (saysBedrock(text)) return 'bedrock';
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return 'url'; // the scheme is checked there
  return isSkinText(text) ? 'skin' : 'path';
}

export function isStdin(text: string, as: SourceSpec['as']): boolean {
  return kindOf(text, as) === 'stdin';
}

export function isPath(text: string, as: SourceSpec['as']): boolean {
  return kindOf(text, as) === 'path';
}

async function* streamedSource(text: string, stream: AsyncIterable<Uint8Array>): AsyncGenerator<BatchSource> {
  const content = await stdinContent(stream);
  const skin = content.kind === 'bytes' ? await skinOnStdin(content.bytes, text) : undefined;
  yield skin ? { ...skin, label: text } : { label: text, content, stem: 'stdin' };
}

/** Skin data that was pasted. */
function pastedSource(text: string): BatchSource {
  const read = readSkinText(text);
  if ('skin' in read) return skinSource(read.skin);
  const content = unusable('invalid_skin_data', read.fault, SKIN_HINT);
  return { label: `${text.slice(0, SHOWN_TEXT)}…`, content, stem: 'value' };
}

function pathSources(named: NamedSources, expansion: ExpandOptions): Sources {
  const { text, homes, isMirrored } = named;
  const found = findPath(text, homes);
  if ('path' in found && isSkinPack(found)) return bedrockPackSources(text, found.path);
  if (found.kind === 'folder') {
    const above = isMirrored ? mirroredStem(text, true) : '';
    const root = { label: text, path: found.path };
    return folderSources(root, above === '' ? '' : `${above}/`, {
      ...expansion,
      pack: bedrockPackSources,
      others: (folder, options) => pluginSources(folder, options, expansion.warn),
    });
  }
  if (found.kind === 'absent')
    return isPattern(text) ? patternSources(named, expansion) : [absentSource(named, expansion)];
  if (found.kind === 'file' && expansion.list && isListFile(text, found.path)) return expansion.list(text);
  if (found.kind === 'file' && isSkinFile(text, found.path))
    return skinFileSources(text, found.path, expansion.warn);
  if (found.kind === 'pipe') return streamedSource(text, createReadStream(found.path));
  const stem = isMirrored ? mirroredStem(text) : baseStem(text);
  return [{ label: text, content: found, stem }];
}

/** The sources that a pattern stands for, each as if it were named itself. */
async function* patternSources(named: NamedSources, expansion: ExpandOptions): AsyncGenerator<BatchSource> {
  const files = await matchingFiles(named.text, named.homes, expansion.rules);
  for (const text of files) yield* pathSources({ ...named, text }, expansion);
  if (files.length === 0) yield absentSource(named, expansion);
}

/** Whether a path leads to a skin pack of Bedrock Edition: a zip, or a folder with the two files that each has. */
export function isSkinPack(found: FoundPath): boolean {
  if (found.kind === 'file') return PACK.test(found.path) || /\.zip$/i.test(found.path);
  return found.kind === 'folder' && isPackFolder(namesIn(found.path));
}

/** None if the folder cannot be read: its walk says why. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

async function* bedrockPackSources(label: string, path: string): AsyncGenerator<BatchSource> {
  const { bedrockSources } = await import('./bedrock.ts'); // loaded on demand: it unpacks zips
  yield* bedrockSources(label, path);
}

/** A path that leads nowhere may be a texture, an address or a player, unless it is more likely mistyped. */
function absentSource({ text, homes, isMirrored }: NamedSources, expansion: ExpandOptions): BatchSource {
  if (expansion.as === undefined && TEXTURE_HASH.test(text)) return gameTextureSource(text);
  if (expansion.as === undefined && lacksScheme(text)) return urlSource(text);
  const bedrock = expansion.as === undefined ? parseBedrockPlayer(text) : undefined;
  // The rows of a list are often all players, but an argument that begins with a dot is more likely a path.
  if (bedrock !== undefined && (isMirrored || !text.startsWith('.'))) return userSource(text);
  const mayBePlayer = expansion.as === undefined && (isUuid(text) || LIKELY_NAME.test(text));
  if (mayBePlayer && isUuid(text)) return uuidSource(text);
  const neighbour = similarName(text, homes);
  // An argument with -r is meant as a folder.
  const isLikelyPath = !isMirrored && (neighbour !== undefined || expansion.recursive);
  if (mayBePlayer && !isLikelyPath) return userSource(text, { isGuess: true });
  const player = mayBePlayer || bedrock !== undefined ? text : undefined;
  const stem = isMirrored ? mirroredStem(text) : baseStem(text);
  const problem = noSuchFile(text, { neighbour, player });
  return { label: text, content: { kind: 'problem', problem }, stem };
}

const PLAYER_NAME = /^[A-Za-z0-9_]{1,16}$/;
/** Hardly any players have names of one or two characters; such a short path is more likely mistyped. */
const LIKELY_NAME = /^[A-Za-z0-9_]{3,16}$/;

/** A picture inside its own address. */
function dataSource(text: string): BatchSource {
  const label = `${text.slice(0, SHOWN_TEXT)}…`;
  return { label, content: dataContent(text), stem: 'data' };
}

function dataContent(text: string): SourceContent {
  if (text.slice(0, DATA_URL_PREFIX.length).toLowerCase() !== DATA_URL_PREFIX)
    return badUrl(`The data URL must start with ${DATA_URL_PREFIX}`);
  const base64 = text.slice(DATA_URL_PREFIX.length);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 === 1)
    return badUrl('The data after the comma of the data URL is not base64.');
  return { kind: 'bytes', bytes: Buffer.from(base64, 'base64') };
}

/** URLs of the game's textures, with or without the scheme. */
const GAME_TEXTURE = /^(?:https?:\/\/)?textures\.minecraft\.net\/texture\/([0-9a-f]{32,64})\/?(?:[?#].*)?$/i;

/** The hash of such a texture alone. */
const TEXTURE_HASH = /^[0-9a-f]{64}$/i;

/** A texture of the game, identified by its hash however its URL is written. */
function gameTextureSource(text: string): BatchSource {
  const texture = (GAME_TEXTURE.exec(text)?.[1] ?? text).toLowerCase();
  const url = `https://textures.minecraft.net/texture/${texture}`;
  return { label: shortened(text), content: { kind: 'url', url }, stem: texture };
}

/** A UUID without a stated kind: a skin at the service, else a player. */
function uuidSource(text: string): BatchSource {
  const uuid = bareUuid(text);
  return { label: text, content: { kind: 'uuid', uuid }, stem: uuid };
}

/** A picture for the service to fetch. */
export function urlSource(typed: string): BatchSource {
  const text = lacksScheme(typed) ? `https://${typed}` : typed;
  const url = URL.parse(text);
  return {
    label: shortened(shownUrl(typed, url)),
    content: urlContent(text, url),
    stem: url === null ? 'url' : urlStem(url),
  };
}

function urlContent(text: string, url: URL | null): SourceContent {
  if (url === null) return badUrl('The URL is not valid.');
  if (!/^https?:$/.test(url.protocol)) return badUrl('Only http and https URLs can be used.');
  if (url.username !== '' || url.password !== '')
    return badUrl(
      'The URL contains a user name or password, which the service would see. Remove it, or download with --fetch-locally.',
    );
  if (text.length > MAX_URL_LENGTH) return badUrl(`The URL is longer than ${MAX_URL_LENGTH} characters.`);
  return { kind: 'url', url: sentLink(url) ?? text };
}

function badUrl(message: string): SourceContent {
  return unusable('invalid_image_url', message, 'Save the picture as a file and give that.');
}

/** The URL without user name and password. If the parser finds no host, it is unclear which part an @ ends. */
function shownUrl(text: string, url: URL | null): string {
  if (!text.includes('@')) return text;
  if (url === null || url.host === '') return 'URL (may contain a password)';
  if (url.username === '' && url.password === '') return text;
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  return shown.href;
}

function shortened(label: string): string {
  return label.length > MAX_URL_LENGTH ? `${label.slice(0, MAX_URL_LENGTH)}…` : label;
}

function urlStem(url: URL): string {
  const segment = url.pathname.split('/').at(-1)!;
  const name = decoded(segment)
    .replace(/\.png$/i, '')
    .replaceAll('/', '_');
  return name === '' ? url.hostname : name;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // a stray % is part of the name
  }
}

/** A player's skin, by UUID or name, of either edition. `isGuess`: the text counts as a player because nothing else matched. */
export function userSource(text: string, { isGuess = false } = {}): BatchSource {
  const bedrock = parseBedrockPlayer(text);
  const typed = text.replace(/^(?:bedrock:)?\.?/i, '');
  if (bedrock !== undefined)
    return { label: text, content: { kind: 'bedrock', player: bedrock, typed }, stem: typed };
  if (isUuid(text)) {
    const user = bareUuid(text);
    return { label: text, content: { kind: 'user', user }, stem: user };
  }
  if (!PLAYER_NAME.test(text)) return { label: text, content: noPlayer(text), stem: text };
  return {
    label: text,
    content: { kind: 'user', user: text.toLowerCase(), typed: text, ...(isGuess && { isGuess }) },
    stem: text,
  };
}

function noPlayer(text: string): SourceContent {
  const hint =
    'Name a player by a UUID (32 hexadecimal digits, or 36 characters with dashes) or a name of at most 16 letters, digits and _; ' +
    'a player of Bedrock Edition by bedrock:Name, .Name or an XUID.';
  return unusable('invalid_user', `${text} is neither a player's UUID nor a name.`, hint);
}

/** The sources that a user named, as the command line takes them. */
export interface SourceSpec {
  /** Paths, URLs, UUIDs, players' names, pasted skin data, `-` for stdin. */
  readonly args: readonly string[];
  /** Players, by UUID or name. Default: none. */
  readonly players?: readonly string[];
  /** Lists of more sources: paths, or `-` for stdin. */
  readonly from: readonly string[];
  /** Whether to recurse into subfolders. */
  readonly recursive: boolean;
  /** Patterns, as in a .gitignore, of files to skip in each folder. */
  readonly ignore: readonly string[];
  /** Whether HD skins are scaled down instead of refused. Default: false. */
  readonly fit?: boolean;
  /** The kind of every argument and row. Absent: each is judged by what it looks like. */
  readonly as?: 'file' | 'url' | 'user';
  /** Whether lists may have the columns that only packs have. */
  readonly isForPack?: boolean | undefined;
}

/** Where relative paths and `-` lead. */
export interface SourceRoots {
  /** Absolute path. */
  readonly cwd: string;
  readonly stdin: () => AsyncIterable<Uint8Array>;
  /** Called with a sentence about each unusable part of a list. */
  readonly warn?: (message: string) => void;
  /** Records the folders and lists that are read whole. */
  readonly coverage?: Coverage | undefined;
}
