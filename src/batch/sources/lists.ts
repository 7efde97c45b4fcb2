import { accessSync, constants, createReadStream, statSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { parsedJson } from '../../base/text.ts';
import { BatchSetupError, type BatchSource, type SourceContent, unusable } from '../model.ts';
import {
  type ExpandOptions,
  expand,
  isPath,
  isSkinPack,
  isStdin,
  type NamedSources,
  type SourceRoots,
  type SourceSpec,
  urlSource,
  userSource,
} from './arguments.ts';
import {
  baseStem,
  type FoundPath,
  fileProblem,
  findPath,
  type Line,
  nameStem,
  noSuchFile,
  readLines,
  withoutFileScheme,
} from './files.ts';
import { countListed, isPattern } from './folders.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { checkedRow, LineReader, type ListRow, type RowOptions, UnknownColumns } from './rows.ts';
import { isListFile, isSkinFile, skinFileSources } from './skin-files.ts';
import { skinInJson } from './skin-json.ts';
import { skinSource } from './supplied-skin.ts';

/** All sources of a list. An invalid row is a source with a problem. */
async function* listSources(
  label: string,
  roots: SourceRoots,
  expansion: ExpandOptions,
): AsyncGenerator<BatchSource> {
  const list = openList(label, roots);
  let isEmpty = true;
  for await (const source of rowsOf(list, roots, expansion)) {
    isEmpty = false;
    yield { ...source, list: list.path };
  }
  if (list.path !== undefined && !isEmpty) expansion.coverage?.addList(list.path);
}

async function* rowsOf(
  list: ListFile,
  roots: SourceRoots,
  expansion: ExpandOptions,
): AsyncGenerator<BatchSource> {
  const homes = list.path === undefined ? [roots.cwd] : [roots.cwd, dirname(list.path)];
  const { warn } = roots;
  for await (const item of listRows(list.chunks, list.title, { warn, isForPack: expansion.isForPack })) {
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

interface RowReading {
  readonly warn?: ((message: string) => void) | undefined;
  /** Whether the columns that only packs have are known. */
  readonly isForPack?: boolean | undefined;
}

/**
 * The rows of a list, each as soon as its line arrives; the first line that is not blank decides between
 * NDJSON, CSV and plain lines. `title`: the list's name in messages.
 * @throws BatchSetupError for binary data
 */
export async function* listRows(
  chunks: AsyncIterable<Uint8Array>,
  title: string,
  { warn = () => {}, isForPack }: RowReading = {},
): AsyncGenerator<ListRow> {
  const lines = new LineReader(readLines(chunks, title));
  try {
    const first = await firstLine(lines);
    const list = { lines, title, unknown: new UnknownColumns(title, warn, isForPack) };
    if (first !== undefined) yield* rowsAfter(first, list);
  } finally {
    await lines.close();
  }
}

async function firstLine(lines: LineReader): Promise<Line | undefined> {
  let line = await lines.next();
  while (line !== undefined && 'text' in line && line.text.trim() === '') line = await lines.next();
  return line;
}

/** What in the first line means CSV: column separators, or the name of one. */
const SEPARATOR = /[,;\t]|^"?sep=/i;

interface List {
  readonly lines: LineReader;
  readonly title: string;
  readonly unknown: UnknownColumns;
}

async function* rowsAfter(first: Line, list: List): AsyncGenerator<ListRow> {
  const { lines, title, unknown } = list;
  const text = textOfLine(first);
  const isObject = text.startsWith('{');
  if (/source/i.test(text) || (!isObject && SEPARATOR.test(text))) {
    const csv = await import('./csv.ts'); // loaded on demand: the parser is large
    const delimiter = csv.namedDelimiter(text);
    const header = delimiter === undefined ? first : await firstLine(lines);
    if (header === undefined) return;
    const shape = csv.csvShape(textOfLine(header), delimiter);
    if (shape !== undefined) {
      unknown.tell(shape.columns);
      return yield* csv.csvRows(lines, shape);
    }
    if (header !== first) return yield* rowsAfter(header, list);
    const columns = isObject ? undefined : csv.foreignColumns(text, { isTable: /\.[ct]sv$/i.test(title) });
    if (columns !== undefined) throw noSourceColumn(title, columns);
  }
  lines.putBack([first]);
  yield* eachLine(lines, isObject ? (line, json) => jsonRow(line, json, unknown) : plainRow);
}

function textOfLine(line: Line): string {
  return 'text' in line ? line.text.trim() : '';
}

function noSourceColumn(title: string, columns: readonly string[]): BatchSetupError {
  const message = `No column "source" in ${title}; found: ${columns.join(', ')}.`;
  const hint = 'Name the column with the paths, URLs or players "source".';
  return new BatchSetupError('no_source_column', message, { hint });
}

type ToRow = (line: number, text: string) => ListRow | undefined;

async function* eachLine(lines: LineReader, toRow: ToRow): AsyncGenerator<ListRow> {
  for (let line = await lines.next(); line !== undefined; line = await lines.next()) {
    if ('fault' in line) yield { line: line.number, fault: line.fault };
    else {
      const text = line.text.trim();
      const row = text === '' ? undefined : toRow(line.number, text);
      if (row !== undefined) yield row;
    }
  }
}

function plainRow(line: number, text: string): ListRow | undefined {
  return text.startsWith('#') ? undefined : { line, row: { source: text } };
}

function jsonRow(line: number, text: string, unknown: UnknownColumns): ListRow {
  const value = parsedJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { line, fault: 'it is not a JSON object' };
  const skin = skinInJson(value);
  if (skin) return { line, skin };
  unknown.tell(Object.keys(value));
  return checkedRow(line, value);
}

const HINT = 'Give --from a text file with a source per line, CSV or NDJSON, or - for stdin.';

/** A list of sources. */
interface ListFile {
  /** As the user wrote it. */
  readonly label: string;
  /** Its name in messages. */
  readonly title: string;
  /** Its absolute path; undefined for stdin. */
  readonly path: string | undefined;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Checks before the batch starts that a list can be read. @throws BatchSetupError */
function verifyList(label: string, cwd: string): void {
  if (label === '-') return;
  try {
    const path = resolve(cwd, label);
    if (statSync(path).isDirectory())
      throw new BatchSetupError('not_a_list', `${label} is a folder, not a list.`, { hint: HINT });
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw listTrouble(label, error);
  }
}

/** Opens the list only when it is read. */
function openList(label: string, { cwd, stdin }: SourceRoots): ListFile {
  if (label === '-') {
    const title = 'the list on stdin';
    return { label, title, path: undefined, chunks: read(title, stdin) };
  }
  const path = resolve(cwd, label);
  const chunks = read(label, () => createReadStream(path));
  return { label, title: label, path, chunks };
}

async function* read(title: string, open: () => AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* open();
  } catch (error) {
    throw listTrouble(title, error);
  }
}

function listTrouble(title: string, error: unknown): BatchSetupError {
  if (error instanceof BatchSetupError) return error;
  const { code, message } = fileProblem(title, error);
  const isAbsent = code === 'no_such_file';
  return new BatchSetupError(code, isAbsent ? `No list ${title}.` : message, {
    hint: isAbsent ? HINT : undefined,
    cause: error,
  });
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
  const { stdin, coverage, warn } = roots;
  const expansion: ExpandOptions = { as, recursive, rules, isForPack, stdin, coverage, warn };
  const list = (label: string) => listSources(label, roots, expansion);
  for (const text of args)
    yield* expand({ text, homes: [roots.cwd], isMirrored: false }, { ...expansion, list });
  for (const player of players) yield userSource(player);
  for (const list of from) yield* listSources(list, roots, expansion);
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

function verifyStdinOnce({ args, from, as }: SourceSpec): void {
  const readers = args.filter((arg) => isStdin(arg, as)).length + from.filter((list) => list === '-').length;
  if (readers <= 1) return;
  throw new BatchSetupError('stdin_twice', 'Stdin can be read only once, but - is given more than once.', {
    hint: 'Use - for one source or for one list.',
  });
}
