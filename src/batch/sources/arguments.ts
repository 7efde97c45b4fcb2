import { createReadStream, readdirSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import { lacksScheme } from '../../base/bounded-fetch.ts';
import { isUuid } from '../../base/text.ts';
import { parseBedrockPlayer, saysBedrock } from '../../game/bedrock.ts';
import { BatchSetupError, type BatchSource, type Coverage, type SourceContent, unusable } from '../model.ts';
import {
  baseStem,
  type FoundPath,
  findPath,
  mirroredStem,
  nameStem,
  noSuchFile,
  similarName,
  stdinContent,
  withoutFileScheme,
} from './files.ts';
import { countListed, folderSources, isPackFolder, isPattern, matchingFiles, PACK } from './folders.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { type ListFile, listRows, openList, verifyList } from './lists.ts';
import {
  dataSource,
  GAME_TEXTURE,
  gameTextureSource,
  pastedSource,
  TEXTURE_HASH,
  urlSource,
  userSource,
  uuidSource,
} from './remote-sources.ts';
import type { RowOptions } from './rows.ts';
import { isListFile, isSkinFile, pluginSources, skinFileSources, skinOnStdin } from './skin-files.ts';
import { isSkinText } from './skin-text.ts';
import { skinSource } from './supplied-skin.ts';

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

/**
 * All named sources, arguments first, each as soon as it is found; nothing is stored. An invalid one is a
 * source of kind `problem`. Can be read only once.
 * @throws BatchSetupError (while it is read) when the input as a whole is invalid
 */
export function openSources(spec: SourceSpec, roots: SourceRoots): AsyncGenerator<BatchSource> {
  const sources = namedSources(spec, roots);
  return spec.fit ? fitted(sources) : sources;
}

async function* namedSources(spec: SourceSpec, roots: SourceRoots): AsyncGenerator<BatchSource> {
  const { players = [], from, as, recursive, isForPack } = spec;
  const args = argumentsOf(spec);
  const rules = IgnoreRules.given(spec.ignore);
  verifyStdinOnce(spec);
  for (const list of from) verifyList(list, roots.cwd);
  const expansion = { ...roots, as, recursive, isForPack, rules, takesLists: true };
  for (const text of args) yield* expand({ text, homes: [roots.cwd], isMirrored: false }, expansion);
  for (const player of players) yield userSource(player);
  for (const list of from) yield* listSources(list, expansion);
}

/** The arguments, those that are `file:` URLs as paths. */
function argumentsOf({ args, as }: SourceSpec): readonly string[] {
  return as === undefined || as === 'file' ? args.map(withoutFileScheme) : args;
}

/** The same sources; an HD skin is scaled down when it is read. */
async function* fitted(sources: AsyncIterable<BatchSource>): AsyncGenerator<BatchSource> {
  for await (const source of sources) {
    const { content } = source;
    const isPicture = content.kind === 'file' || content.kind === 'bytes' || content.kind === 'url';
    yield isPicture ? { ...source, content: { ...content, fit: true } } : source;
  }
}

function verifyStdinOnce({ args, from, as }: SourceSpec): void {
  const readers = args.filter((arg) => isStdin(arg, as)).length + from.filter((list) => list === '-').length;
  if (readers <= 1) return;
  throw new BatchSetupError('stdin_twice', 'Stdin can be read only once, but - is given more than once.', {
    hint: 'Use - for one source or for one list.',
  });
}

/** A text that names sources: an argument, or the source of a list's row. */
interface NamedSources {
  readonly text: string;
  /** Absolute paths of the folders in which a relative path is searched, in this order. */
  readonly homes: readonly string[];
  /** Whether the folders of a relative path become part of the stem. */
  readonly isMirrored: boolean;
}

/** Shared by all arguments and rows of a batch. */
interface ExpandOptions extends SourceRoots, Pick<SourceSpec, 'as' | 'recursive' | 'isForPack'> {
  readonly rules: IgnoreRules;
  /** Whether a list may be named: not in another one. */
  readonly takesLists: boolean;
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

/** All sources that an argument or a row stands for, as they are found. */
function expand(named: NamedSources, expansion: ExpandOptions): Sources {
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

function isStdin(text: string, as: SourceSpec['as']): boolean {
  return kindOf(text, as) === 'stdin';
}

function isPath(text: string, as: SourceSpec['as']): boolean {
  return kindOf(text, as) === 'path';
}

async function* streamedSource(text: string, stream: AsyncIterable<Uint8Array>): AsyncGenerator<BatchSource> {
  const content = await stdinContent(stream);
  const skin = content.kind === 'bytes' ? await skinOnStdin(content.bytes, text) : undefined;
  yield skin ? { ...skin, label: text } : { label: text, content, stem: 'stdin' };
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
  if (found.kind === 'file' && expansion.takesLists && isListFile(text, found.path))
    return listSources(text, expansion);
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
function isSkinPack(found: FoundPath): boolean {
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

/** Hardly any players have names of one or two characters; such a short path is more likely mistyped. */
const LIKELY_NAME = /^[A-Za-z0-9_]{3,16}$/;

/** All sources of a list. An invalid row is a source with a problem. */
async function* listSources(label: string, expansion: ExpandOptions): AsyncGenerator<BatchSource> {
  const list = openList(label, expansion);
  let isEmpty = true;
  for await (const source of rowsOf(list, { ...expansion, takesLists: false })) {
    isEmpty = false;
    yield { ...source, list: list.path };
  }
  if (list.path !== undefined && !isEmpty) expansion.coverage?.addList(list.path);
}

async function* rowsOf(list: ListFile, expansion: ExpandOptions): AsyncGenerator<BatchSource> {
  const { cwd } = expansion;
  const homes = list.path === undefined ? [cwd] : [cwd, dirname(list.path)];
  for await (const item of listRows(list.chunks, list.title, expansion)) {
    if ('fault' in item) yield badRow(list, item.line, item.fault);
    else if ('skin' in item) yield skinSource(item.skin, placeOf(list, item.line));
    else {
      const named = { text: localPath(withoutFileScheme(item.row.source), homes), homes, isMirrored: true };
      const fault = rowFault(item.row, named, expansion);
      if (fault === undefined) yield* rowSources(item.row, named, expansion);
      else yield badRow(list, item.line, fault);
    }
  }
}

/** A path that the list writes with backslashes, as on Windows, if it leads somewhere only with slashes. */
function localPath(text: string, homes: readonly string[]): string {
  if (sep === '\\' || !text.includes('\\') || findPath(text, homes).kind !== 'absent') return text;
  const path = text.replaceAll('\\', '/');
  return findPath(path, homes).kind === 'absent' ? text : path;
}

/** Problems that only the row's source shows. */
function rowFault(
  { name }: RowOptions,
  { text, homes }: NamedSources,
  { as }: ExpandOptions,
): string | undefined {
  if (isStdin(text, as)) return 'stdin can only be given as an argument';
  if (!isPath(text, as)) return undefined;
  const found = findPath(text, homes);
  if (found.kind === 'file' && isListFile(text, found.path)) return 'the source is another list';
  if (name === undefined) return undefined;
  const kind = found.kind === 'absent' && isPattern(text) ? 'pattern' : found.kind;
  const isMany = kind === 'folder' || kind === 'pattern';
  return isMany ? `the column name must be empty, since the source is a ${kind}` : undefined;
}

async function* rowSources(
  row: RowOptions,
  named: NamedSources,
  expansion: ExpandOptions,
): AsyncGenerator<BatchSource> {
  const { name, variant, visibility } = row;
  const looks = {
    ...(row.cape && { cape: pictureAt(row.cape, named.homes) }),
    ...(row.elytra && { elytra: pictureAt(row.elytra, named.homes) }),
  };
  for await (const source of expand(named, expansion)) {
    const stem = name === undefined ? source.stem : nameStem(name);
    yield { ...source, stem, name, variant, visibility, ...looks };
  }
}

/** The picture that a column names: a file or a URL. */
function pictureAt(text: string, homes: readonly string[]): SourceContent {
  if (/^https?:\/\//i.test(text)) return urlSource(text).content;
  const found = findPath(localPath(withoutFileScheme(text), homes), homes);
  if (found.kind === 'file' || found.kind === 'problem') return found;
  const hint = 'Give the path of a PNG file, or a URL.';
  return { kind: 'problem', problem: { ...noSuchFile(text), hint } };
}

function placeOf({ label }: ListFile, line: number): string {
  return `${label}:${line}`;
}

function badRow(list: ListFile, line: number, fault: string): BatchSource {
  const content = unusable('invalid_row', `Line ${line} of ${list.title}: ${fault}.`);
  const stem = `${list.path === undefined ? 'stdin' : baseStem(list.label)}-${line}`;
  return { label: placeOf(list, line), content, stem };
}

/**
 * How many sources there are, which the listings of folders tell long before all are read; undefined where only reading
 * tells: lists, packs, files with several skins.
 */
export async function countSources(spec: SourceSpec, roots: SourceRoots): Promise<number | undefined> {
  const { players = [], from, as, recursive } = spec;
  if (from.length > 0) return undefined;
  const rules = IgnoreRules.given(spec.ignore);
  let count = players.length;
  for (const text of argumentsOf(spec)) {
    const found = isPath(text, as) ? findPath(text, [roots.cwd]) : undefined;
    const isMany = found && isManySources(text, found);
    const listed =
      found?.kind === 'folder' && !isMany
        ? await countListed({ label: text, path: found.path }, { recursive, rules })
        : 1;
    if (isMany || listed === undefined) return undefined;
    count += listed;
  }
  return count;
}

/** Whether reading is the only way to tell how many sources a path stands for. */
function isManySources(text: string, found: FoundPath): boolean {
  if (found.kind === 'absent') return isPattern(text);
  if (!('path' in found)) return false;
  return isSkinPack(found) || isSkinFile(text, found.path) || isListFile(text, found.path);
}

/** Whether exactly one source is named: one player, or one argument that is not a folder, and no list. */
export async function isSingle(spec: SourceSpec, roots: SourceRoots): Promise<boolean> {
  const { players = [], from } = spec;
  const args = argumentsOf(spec);
  if (args.length + players.length !== 1 || from.length > 0) return false;
  const [only] = args;
  if (only === undefined || !isPath(only, spec.as)) return true;
  const found = findPath(only, [roots.cwd]);
  if (found.kind === 'absent') return !isPattern(only);
  if (found.kind === 'file' && isListFile(only, found.path)) return false;
  if (found.kind !== 'file' || !isSkinFile(only, found.path))
    return found.kind !== 'folder' && !isSkinPack(found);
  return await hasOneSkin(only, found.path);
}

/** Whether a lockfile or JSON file has exactly one skin. */
async function hasOneSkin(label: string, path: string): Promise<boolean> {
  let count = 0;
  for await (const _ of skinFileSources(label, path)) if (++count > 1) return false;
  return true;
}
