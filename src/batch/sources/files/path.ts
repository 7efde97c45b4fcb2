import { statSync } from 'node:fs';
import { isAbsolute, parse, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SourceProblem } from '../../model/source.ts';
import { brokenLink, fileProblem } from './file-problem.ts';

/** What a path leads to; `absent`: nothing. `path` is absolute. */
export type Found =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'folder'; readonly path: string }
  /** What a shell makes of `<(…)`. */
  | { readonly kind: 'pipe'; readonly path: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'problem'; readonly problem: SourceProblem };

const ABSENT: Found = { kind: 'absent' };

/** Looks for a path in each of these folders in turn. */
export function findPath(text: string, homes: readonly string[]): Found {
  for (const path of new Set(homes.map((home) => resolve(home, text)))) {
    const found = findAt(text, path);
    if (found.kind !== 'absent') return found;
  }
  return ABSENT;
}

function findAt(label: string, path: string): Found {
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
