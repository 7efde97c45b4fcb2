import { lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, parse, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MAX_SLIPS, slipsBetween } from '../../base/spelling.ts';
import { endSentence } from '../../base/text.ts';
import { type SourceContent, type SourceProblem, unusable } from '../model.ts';

/** What a path leads to; `absent`: nothing. `path` is absolute. */
export type FoundPath =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'folder'; readonly path: string }
  /** What a shell makes of `<(…)`. */
  | { readonly kind: 'pipe'; readonly path: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'problem'; readonly problem: SourceProblem };

const ABSENT: FoundPath = { kind: 'absent' };

/** Looks for a path in each of these folders in turn. */
export function findPath(text: string, homes: readonly string[]): FoundPath {
  for (const path of new Set(homes.map((home) => resolve(home, text)))) {
    const found = findAt(text, path);
    if (found.kind !== 'absent') return found;
  }
  return ABSENT;
}

function findAt(label: string, path: string): FoundPath {
  if (label === '') return ABSENT;
  try {
    const stats = statSync(withEndOf(label, path), { throwIfNoEntry: false });
    if (stats === undefined) {
      const problem = brokenLink(label, path);
      return problem ? { kind: 'problem', problem } : ABSENT;
    }
    return { kind: stats.isDirectory() ? 'folder' : stats.isFIFO() ? 'pipe' : 'file', path };
  } catch (error) {
    const problem = fileProblem(label, error);
    return problem.code === 'no_such_file' ? ABSENT : { kind: 'problem', problem };
  }
}

/** `resolve` drops a trailing slash, which says that a folder is meant. */
function withEndOf(label: string, path: string): string {
  return label.replaceAll(sep, '/').endsWith('/') ? path + sep : path;
}

/** The path that a `file:` URL names; any other text as it is. */
export function withoutFileScheme(text: string): string {
  if (!/^file:\/\//i.test(text)) return text;
  try {
    return fileURLToPath(text);
  } catch {
    return text; // such as one on another host
  }
}

/** A file's base name without extension. */
export function baseStem(text: string): string {
  return parse(text).name;
}

/**
 * The stem of a path including its folders, if they are below the base folder.
 * `isFolder`: the stem is that of a folder, which has no extension.
 */
export function mirroredStem(text: string, isFolder = false): string {
  const segments = text
    .replaceAll(sep, '/')
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.');
  if (isAbsolute(text) || segments.includes('..')) return isFolder ? '' : baseStem(text);
  const last = segments.pop() ?? '';
  return [...segments, isFolder ? last : baseStem(last)].join('/');
}

/** A name as a stem: a slash in it begins no folder. */
export function nameStem(name: string): string {
  return name.replaceAll('/', '_');
}

/** `neighbour`: a similar existing name; `player`: the name, if it could also be a player's. */
export function noSuchFile(label: string, { neighbour, player }: Meant = {}): SourceProblem {
  const asked = neighbour === undefined ? '' : `Did you mean ${neighbour}? `;
  const asPlayer = player === undefined ? '' : `For the player of that name: --player ${player}`;
  return {
    code: 'no_such_file',
    message:
      label === '' ? 'The name of a file or folder is empty.' : `No file or folder ${endSentence(label)}`,
    hint: `${asked}${asPlayer}`.trim() || pathHint(label),
  };
}

function pathHint(label: string): string {
  // Node cannot name such a file: each byte that is not UTF-8 became this character.
  if (label.includes('\uFFFD'))
    return 'File names must be valid UTF-8: rename those that show a \uFFFD here.';
  return 'Give the path of a PNG file, a folder of them, or - for stdin.';
}

/** A link whose target does not exist; undefined for any other path. */
function brokenLink(label: string, path: string): SourceProblem | undefined {
  if (!isLink(path)) return undefined;
  const message = `${label} is a symbolic link to something that does not exist.`;
  return { code: 'no_such_file', message };
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

interface Meant {
  readonly neighbour?: string | undefined;
  readonly player?: string | undefined;
}

/** Node's error codes for paths that do not exist. No path contains a zero byte. */
const ABSENCES = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE']);
const REFUSALS = new Set(['EACCES', 'EPERM']);

/** The file system's error about this one path, so that the next one is still worth trying. @throws any other error, such as an AbortError */
export function fileProblem(label: string, error: unknown): SourceProblem {
  const { code, name, message, path } = error as NodeJS.ErrnoException;
  if (code === undefined || name === 'AbortError') throw error;
  if (ABSENCES.has(code)) return brokenLink(label, path ?? '') ?? noSuchFile(label);
  if (REFUSALS.has(code)) return { code: 'eacces', message: `${label}: Permission denied.` };
  if (code === 'ELOOP') return { code: 'not_a_file', message: `${label} is a symbolic link loop.` };
  return { code: code.toLowerCase(), message: `${label}: ${message}.` };
}

/** Maximum entries of a folder to search. */
const MAX_ENTRIES = 10_000;
/** Letters of a name, beyond the first two, per allowed typo. */
const LETTERS_A_SLIP = 4;

/**
 * The folder (with a trailing slash) or PNG file whose name is similar to a path that does not exist, written
 * in the same form as that path. Undefined if there is none.
 */
export function similarName(text: string, homes: readonly string[]): string | undefined {
  const wanted = basename(text);
  if (wanted === '') return undefined;
  const most = Math.min(MAX_SLIPS, Math.ceil((wanted.length - 2) / LETTERS_A_SLIP));
  const near = homes
    .flatMap((home) => entriesOf(dirname(resolve(home, text))))
    .map((name) => ({ name, slips: slipsBetween(wanted, name) }))
    .filter(({ slips }) => slips <= most)
    .toSorted((a, b) => a.slips - b.slips)[0];
  const found = near && text.slice(0, text.lastIndexOf(wanted)) + near.name;
  return found?.normalize() === text.normalize() ? undefined : found; // a name that Node cannot write looks the same
}

/** Folders and PNG files: nothing else is a source. */
function entriesOf(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).slice(0, MAX_ENTRIES);
    return entries.flatMap((entry) => {
      if (entry.isDirectory()) return [`${entry.name}/`];
      return /\.png$/i.test(entry.name) ? [entry.name] : [];
    });
  } catch {
    return []; // a folder that cannot be read has no neighbours to offer
  }
}

/** Maximum bytes of a picture: far above any skin, so that the check can still say what it is. */
export const MAX_PICTURE_BYTES = 8 * 1024 * 1024;

/** The content of stdin: a picture, or text for the caller to parse. */
export async function stdinContent(stdin: AsyncIterable<Uint8Array>): Promise<SourceContent> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of stdin) {
      size += chunk.length;
      if (size > MAX_PICTURE_BYTES)
        return unusable('invalid_image', 'The data on stdin is too large for a skin.');
      chunks.push(chunk);
    }
  } catch (error) {
    return { kind: 'problem', problem: fileProblem('stdin', error) };
  }
  if (size === 0) return unusable('empty_input', 'Stdin is empty.');
  return { kind: 'bytes', bytes: Buffer.concat(chunks) };
}
