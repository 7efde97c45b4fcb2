import { type Dirent, readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { decodedText } from '../../base/text.ts';
import { BatchSetupError, type BatchSource, type Coverage, type SourceProblem } from '../model.ts';
import { fileProblem } from './files.ts';
import { IGNORE_FILE, IgnoreRules } from './ignore-rules.ts';

/** Maximum folders searched to suggest where PNG files are. */
const HINT_FOLDERS = 256;

interface FolderOptions extends WalkOptions {
  readonly coverage?: Coverage | undefined;
  /** The skins of a skin pack of Bedrock Edition. `label`: its name in messages. */
  readonly pack: (label: string, path: string) => AsyncIterable<BatchSource>;
  /** The sources of a folder without pictures. */
  readonly others?: (root: WalkRoot, options: WalkOptions) => AsyncIterable<BatchSource>;
}

/**
 * A source per PNG file of a folder, and per skin of the skin packs in it. `above`: the stem prefix, empty or ending with
 * `/`. An empty folder is a source with a problem.
 */
export async function* folderSources(
  root: WalkRoot,
  above: string,
  options: FolderOptions,
): AsyncGenerator<BatchSource> {
  let [isEmpty, isThinned, isWhole] = [true, false, true];
  for await (const step of walkFolder(root, options)) {
    isWhole &&= step.problems.every(({ name }) => name !== ''); // a folder that cannot be read
    isEmpty &&= !step.isPack && step.files.length + step.problems.length === 0;
    isThinned ||= step.isThinned;
    yield* stepSources(root, above, step, options.pack);
  }
  if (isWhole) options.coverage?.addFolder({ path: root.path, recursive: options.recursive, isEmpty });
  if (!isEmpty) return;
  let hasOthers = false;
  for await (const other of isThinned ? [] : (options.others?.(root, options) ?? [])) {
    hasOthers = true;
    yield other;
  }
  if (hasOthers) return;
  const hint = isThinned ? `See what --ignore and ${IGNORE_FILE} leave out.` : await hintBelow(root, options);
  const problem = { code: 'empty_folder', message: `No PNG files in ${root.label}.`, hint };
  yield problemSource(root.label, folderStem(root, above, ''), problem);
}

async function* stepSources(
  root: WalkRoot,
  above: string,
  step: FolderStep,
  pack: FolderOptions['pack'],
): AsyncGenerator<BatchSource> {
  const stems = step.place === '' ? above : `${above}${step.place}/`;
  const labels = folderPrefix(join(root.label, step.place));
  const paths = folderPrefix(join(root.path, step.place));
  if (step.isPack) yield* within(stems, pack(labelOf(root, step.place), join(root.path, step.place)));
  for (const { name, problem } of step.problems) {
    if (name === '')
      yield problemSource(labelOf(root, step.place), folderStem(root, above, step.place), problem);
    else yield problemSource(labels + name, stems + withoutExtension(name), problem);
  }
  for (const name of step.files) {
    if (PACK.test(name)) {
      yield* within(`${stems}${name.replace(PACK, '')}/`, pack(labels + name, paths + name));
      continue;
    }
    const content = { kind: 'file', path: paths + name } as const;
    yield { label: labels + name, content, stem: stems + withoutExtension(name) };
  }
}

/** Output names of a pack's skins are in a folder called like the pack. */
async function* within(stems: string, sources: AsyncIterable<BatchSource>): AsyncGenerator<BatchSource> {
  for await (const source of sources) yield { ...source, stem: stems + source.stem };
}

function folderStem(root: WalkRoot, above: string, place: string): string {
  return above + (place === '' ? basename(root.path) : place);
}

/** The path prefix, joined once: joining is most of the work for a large folder. */
function folderPrefix(folder: string): string {
  return join(folder, '_').slice(0, -1);
}

function withoutExtension(name: string): string {
  return name.replace(/\.png$/i, '');
}

function problemSource(label: string, stem: string, problem: SourceProblem): BatchSource {
  return { label, content: { kind: 'problem', problem }, stem };
}

async function hintBelow(root: WalkRoot, options: WalkOptions): Promise<string | undefined> {
  if (options.recursive) return undefined;
  let seen = 0;
  for await (const { files } of walkFolder(root, { ...options, recursive: true })) {
    if (files.length > 0) return 'Use -r to include subfolders.';
    if (++seen === HINT_FOLDERS) return undefined;
  }
  return undefined;
}

const MAX_DEPTH = 64;
/**
 * Entries after which the walk yields to the event loop, so that Ctrl-C works: thousands of patterns may take some
 * milliseconds for each.
 */
const TURN = 16;
const MAX_IGNORE_FILE_BYTES = 64 * 1024;

export interface WalkRoot {
  readonly label: string;
  /** Absolute. */
  readonly path: string;
}

/** The name of a walked folder in results. */
function labelOf(root: WalkRoot, place: string): string {
  return place === '' ? root.label : join(root.label, place);
}

interface FolderStep {
  /** The folder's path below the root, `/` between segments; empty for the root. */
  readonly place: string;
  /** Names of the files found, sorted by code units. */
  readonly files: readonly string[];
  /** Unusable entries by name; the folder itself under an empty name. */
  readonly problems: readonly { readonly name: string; readonly problem: SourceProblem }[];
  /** Whether ignore rules excluded entries here. */
  readonly isThinned: boolean;
  /** Whether the folder is a skin pack of Bedrock Edition: its pictures are not files found. */
  readonly isPack?: boolean;
}

/** How many sources a folder has, as its listing tells; undefined where only reading does: packs, or no pictures. */
export async function countListed(root: WalkRoot, options: WalkOptions): Promise<number | undefined> {
  let count = 0;
  for await (const { files, problems, isPack } of walkFolder(root, options)) {
    if (isPack || files.some((name) => PACK.test(name))) return undefined;
    count += files.length + problems.length;
  }
  return count === 0 ? undefined : count;
}

interface Visit {
  readonly place: string;
  readonly depth: number;
  /** The folders on the path to it. */
  readonly above: Branch | undefined;
  readonly rules: IgnoreRules;
}

interface Branch {
  readonly id: string;
  readonly above: Branch | undefined;
}

export interface WalkOptions {
  readonly recursive: boolean;
  readonly rules: IgnoreRules;
  /** The files to find. Default: PNG files and skin packs of Bedrock Edition; folders of these are not searched. */
  readonly names?: RegExp;
}

const PICTURES = /\.(?:png|mcpack|mcaddon|mctemplate)$/i;
export const PACK = /\.(?:mcpack|mcaddon|mctemplate)$/i;
/** The files that each skin pack has, in any case. */
const PACK_FILES = ['manifest.json', 'skins.json'];

/** Whether a folder with these files is a skin pack. */
export function isPackFolder(names: readonly string[]): boolean {
  return PACK_FILES.every((file) => names.some((name) => name.toLowerCase() === file));
}

/**
 * The folder and, recursively, all below it: files before subfolders, sorted, without hidden ones. Follows
 * links to folders unless they lead back to a folder on the path.
 */
export async function* walkFolder(root: WalkRoot, options: WalkOptions): AsyncGenerator<FolderStep> {
  const pending: Visit[] = [{ place: '', depth: 0, above: undefined, rules: options.rules }];
  for (let visit = pending.pop(); visit !== undefined; visit = pending.pop()) {
    const seen = await see(root, visit, options);
    if (seen === undefined) continue;
    yield seen.step;
    for (const below of seen.below.toReversed()) pending.push(below);
  }
}

interface Seen {
  readonly step: FolderStep;
  readonly below: readonly Visit[];
}

/** Undefined for a folder that is on its own path. */
async function see(
  root: WalkRoot,
  visit: Visit,
  { recursive, names = PICTURES }: WalkOptions,
): Promise<Seen | undefined> {
  const { place, depth, above } = visit;
  const label = labelOf(root, place);
  if (depth > MAX_DEPTH)
    return failed(place, { code: 'too_deep', message: `${label} is more than ${MAX_DEPTH} folders deep.` });
  try {
    const path = join(root.path, place);
    const branch = { id: identityOf(path), above };
    if (isOnTheWay(branch.id, above)) return undefined;
    const entries = await readdir(path, { withFileTypes: true });
    if (names === PICTURES && isPackFolder(entries.map(({ name }) => name)))
      return { step: { place, files: [], problems: [], isThinned: false, isPack: true }, below: [] };
    const rules = rulesIn(path, place, entries, visit.rules);
    const content = await sorted(entries, { path, label, place, recursive, rules, names });
    const inside = { depth: depth + 1, above: branch, rules };
    const below = content.folders.map((name) => ({ place: joined(place, name), ...inside }));
    return { step: { place, ...content }, below };
  } catch (error) {
    return failed(place, folderProblem(label, error));
  }
}

function failed(place: string, problem: SourceProblem): Seen {
  return { step: { place, files: [], problems: [{ name: '', problem }], isThinned: false }, below: [] };
}

function folderProblem(label: string, error: unknown): SourceProblem {
  if (!(error instanceof BatchSetupError)) return fileProblem(label, error);
  return { code: error.code, message: `${join(label, IGNORE_FILE)}: ${error.message}`, hint: error.hint };
}

function identityOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev}:${ino}`;
}

function isOnTheWay(id: string, branch: Branch | undefined): boolean {
  for (let one = branch; one !== undefined; one = one.above) if (one.id === id) return true;
  return false;
}

function rulesIn(path: string, place: string, entries: readonly Dirent[], rules: IgnoreRules): IgnoreRules {
  if (!entries.some((entry) => entry.name === IGNORE_FILE)) return rules;
  const file = join(path, IGNORE_FILE);
  const found = statSync(file);
  if (found.isDirectory()) return rules; // as git does
  if (!found.isFile() || found.size > MAX_IGNORE_FILE_BYTES) {
    const limit = `It must be a file of at most ${MAX_IGNORE_FILE_BYTES / 1024} KiB.`;
    throw new BatchSetupError('invalid_pattern', limit);
  }
  return rules.withFile(place, decodedText(readFileSync(file)));
}

type FolderToWalk = WalkRoot & Required<WalkOptions> & Pick<FolderStep, 'place'>;

interface Content extends Omit<FolderStep, 'place'> {
  readonly folders: readonly string[];
}

async function sorted(entries: readonly Dirent[], folder: FolderToWalk): Promise<Content> {
  const [files, folders, problems]: [string[], string[], FolderStep['problems'][number][]] = [[], [], []];
  let isThinned = false;
  for (const [index, entry] of entries.entries()) {
    if (index % TURN === TURN - 1 && folder.rules.arePresent) await turn();
    const { name } = entry;
    if (name.startsWith('.')) continue;
    const kind = kindOf(entry, folder);
    if (kind === undefined) continue;
    if (folder.rules.ignores(joined(folder.place, kind === 'folder' ? `${name}/` : name))) isThinned = true;
    else if (kind === 'file') files.push(name);
    else if (kind === 'folder') folders.push(name);
    else problems.push({ name, problem: kind });
  }
  problems.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { files: files.sort(), folders: folders.sort(), problems, isThinned };
}

/** Undefined for entries that the walk skips. Only links need a stat. */
function kindOf(entry: Dirent, folder: FolderToWalk): 'file' | 'folder' | SourceProblem | undefined {
  const isNamed = folder.names.test(entry.name);
  if (!isNamed && !folder.recursive) return undefined;
  const isLink = entry.isSymbolicLink();
  const kind = isLink ? targetOf(entry.name, folder) : entry.isDirectory() ? 'folder' : 'file';
  if (kind === 'folder') return folder.recursive ? 'folder' : undefined;
  return isNamed ? kind : undefined;
}

function targetOf(name: string, folder: FolderToWalk): 'file' | 'folder' | SourceProblem {
  try {
    return statSync(join(folder.path, name)).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    return fileProblem(join(folder.label, name), error);
  }
}

function joined(place: string, name: string): string {
  return place === '' ? name : `${place}/${name}`;
}

/** Whether a path may be a pattern, as shells know them: Windows' shells, and lists, leave it to the program. */
export function isPattern(text: string): boolean {
  return /[*?[]/.test(text);
}

/**
 * The files that a pattern stands for, in the first of these folders that has any: paths as the pattern would be typed. Hidden
 * files and what the rules ignore are left out.
 */
export async function matchingFiles(
  pattern: string,
  homes: readonly string[],
  rules: IgnoreRules,
): Promise<readonly string[]> {
  const steps = pattern.replaceAll(sep, '/').split('/');
  const fixed = steps.slice(0, steps.findIndex(isPattern));
  const wanted = IgnoreRules.given([`/${steps.slice(fixed.length).join('/')}`]);
  const label = fixed.join('/') || (pattern.startsWith('/') ? '/' : '.');
  const recursive = steps.length - fixed.length > 1;
  for (const home of homes) {
    const found: string[] = [];
    const root = { label, path: resolve(home, label) };
    for await (const { place, files } of walkFolder(root, { recursive, rules, names: /./ })) {
      const below = files.map((name) => (place === '' ? name : `${place}/${name}`));
      found.push(...below.filter((path) => wanted.ignores(path)));
    }
    if (found.length > 0) return found.map((path) => [...fixed, path].join('/'));
  }
  return [];
}
