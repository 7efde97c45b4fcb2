import { type NamePattern, parsePath } from './path-pattern.ts';
import { type Part, standFor } from './wildcards.ts';

/** A path below a folder. */
export interface PlacedPath {
  /** The names of its folders from the outermost on, then its own; each as characters. */
  readonly names: readonly (readonly string[])[];
  readonly isFolder: boolean;
}

/** A line of a `.gitignore`, or of another file with its syntax. */
export interface IgnorePattern {
  /** Whether it includes again what earlier patterns exclude. */
  readonly isNegated: boolean;
  matches(path: PlacedPath): boolean;
}

/** Undefined for a line that no path matches. */
export function parsePattern(line: string): IgnorePattern | undefined {
  const isNegated = line.startsWith('!');
  const text = withoutTrailingSpaces(isNegated ? line.slice(1) : line);
  const isFolderOnly = text.endsWith('/');
  const body = isFolderOnly ? text.slice(0, -1) : text;
  const names = parsePath(body.replace(/^\//, ''));
  if (names === undefined) return undefined;
  const matches = body.includes('/') ? pathMatcher(names) : nameMatcher(names);
  return { isNegated, matches: (path) => (path.isFolder || !isFolderOnly) && matches(path) };
}

type Matcher = (path: PlacedPath) => boolean;

/** For a pattern without a slash, which matches names at any depth. */
function nameMatcher([only = []]: readonly NamePattern[]): Matcher {
  return ({ names }) => standFor(only, names.at(-1) ?? []);
}

/** For a pattern with a slash, which is relative to its folder. */
function pathMatcher(names: readonly NamePattern[]): Matcher {
  const parts = names.map(folderPart);
  if (parts.at(-1) === 'many') parts.push(() => true); // what is in a folder, not the folder itself
  return (path) => standFor(parts, path.names);
}

/** `**` is any number of folders. */
function folderPart(name: NamePattern): Part<readonly string[]> {
  const isMany = name.length > 1 && name.every((part) => part === 'many');
  return isMany ? 'many' : (characters) => standFor(name, characters);
}

function withoutTrailingSpaces(text: string): string {
  let end = text.length;
  while (text[end - 1] === ' ' && text[end - 2] !== '\\') end--;
  return text.slice(0, end);
}
