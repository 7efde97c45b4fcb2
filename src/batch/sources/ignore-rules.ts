import { withoutByteOrderMark } from '../../base/text.ts';
import { BatchSetupError } from '../model.ts';

export const IGNORE_FILE = '.skinsmithignore';

const LONGEST_PATTERN = 1024;

/** Patterns relative to a folder, and how deep that folder is. */
interface PlacedPatterns {
  readonly depth: number;
  readonly patterns: readonly IgnorePattern[];
}

/**
 * Patterns of paths to skip in a folder: from ignore files, deeper ones later, then from options. Case-sensitive like Git,
 * so that the same folder gives the same skins on every system.
 */
export class IgnoreRules {
  readonly #found: readonly PlacedPatterns[];
  readonly #given: PlacedPatterns;
  /** All that have patterns, those that take precedence first. */
  readonly #ranked: readonly PlacedPatterns[];

  private constructor(found: readonly PlacedPatterns[], given: PlacedPatterns) {
    this.#found = found;
    this.#given = given;
    this.#ranked = [given, ...found.toReversed()].filter(({ patterns }) => patterns.length > 0);
  }

  /** @throws BatchSetupError for an invalid pattern */
  static given(patterns: readonly string[]): IgnoreRules {
    return new IgnoreRules([], { depth: 0, patterns: parsed(patterns.map(verifiedPattern)) });
  }

  /**
   * Adds the lines of an ignore file in `folder` (`/` between segments, empty for the root folder).
   * @throws BatchSetupError for a line that is too long
   */
  withFile(folder: string, text: string): IgnoreRules {
    const lines = withoutByteOrderMark(text).split(/\r?\n/);
    const patterns = parsed(lines.map(verifiedLine).filter((line) => !line.startsWith('#')));
    const depth = folder === '' ? 0 : folder.split('/').length;
    return new IgnoreRules([...this.#found, { depth, patterns }], this.#given);
  }

  get arePresent(): boolean {
    return this.#ranked.length > 0;
  }

  /**
   * Whether a path below the root folder is ignored, provided that none of its folders is. The path of a folder ends
   * with `/`.
   */
  ignores(path: string): boolean {
    if (!this.arePresent) return false;
    const isFolder = path.endsWith('/');
    const names = (isFolder ? path.slice(0, -1) : path).split('/').map((name) => [...name]);
    for (const { depth, patterns } of this.#ranked) {
      const placed = { names: names.slice(depth), isFolder };
      const last = patterns.findLast((pattern) => pattern.matches(placed));
      if (last) return !last.isNegated;
    }
    return false;
  }
}

function parsed(lines: readonly string[]): IgnorePattern[] {
  return lines.map(parsePattern).filter((pattern) => pattern !== undefined);
}

function verifiedPattern(pattern: string): string {
  if (pattern.trim() === '') throw badPattern('it is empty');
  return verifiedLine(pattern);
}

function verifiedLine(line: string): string {
  if (line.length > LONGEST_PATTERN) throw badPattern(`it is longer than ${LONGEST_PATTERN} characters`);
  return line;
}

function badPattern(trouble: string): BatchSetupError {
  return new BatchSetupError('invalid_pattern', `Invalid ignore pattern: ${trouble}.`, {
    hint: 'Patterns are written as in a .gitignore, such as drafts/ or *-old.png.',
  });
}

/** A path below a folder. */
interface PlacedPath {
  /** The names of its folders from the outermost on, then its own; each as characters. */
  readonly names: readonly (readonly string[])[];
  readonly isFolder: boolean;
}

/** A line of a `.gitignore`, or of another file with its syntax. */
interface IgnorePattern {
  /** Whether it includes again what earlier patterns exclude. */
  readonly isNegated: boolean;
  matches(path: PlacedPath): boolean;
}

/** Undefined for a line that no path matches. */
function parsePattern(line: string): IgnorePattern | undefined {
  const isNegated = line.startsWith('!');
  const text = withoutTrailingSpaces(isNegated ? line.slice(1) : line);
  const isFolderOnly = text.endsWith('/');
  const body = isFolderOnly ? text.slice(0, -1) : text;
  const names = new PatternParser([...body.replace(/^\//, '')]).parse();
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
function folderPart(name: NamePattern): PatternPart<readonly string[]> {
  const isMany = name.length > 1 && name.every((part) => part === 'many');
  return isMany ? 'many' : (characters) => standFor(name, characters);
}

function withoutTrailingSpaces(text: string): string {
  let end = text.length;
  while (text[end - 1] === ' ' && text[end - 2] !== '\\') end--;
  return text.slice(0, end);
}

type Test = (character: string) => boolean;

/** The POSIX classes, of ASCII characters only, as in Git. */
const CLASSES: ReadonlyMap<string, RegExp> = new Map([
  ['alnum', /[0-9A-Za-z]/],
  ['alpha', /[A-Za-z]/],
  ['blank', /[ \t]/],
  ['cntrl', /\p{Cc}/u],
  ['digit', /[0-9]/],
  ['graph', /[!-~]/],
  ['lower', /[a-z]/],
  ['print', /[ -~]/],
  ['punct', /[!-/:-@[-`{-~]/],
  ['space', /[\t-\r ]/],
  ['upper', /[A-Z]/],
  ['xdigit', /[0-9A-Fa-f]/],
]);

/** The pattern of one name, character by character. */
type NamePattern = readonly PatternPart<string>[];

class PatternParser {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(characters: readonly string[]) {
    this.#characters = characters;
  }

  /** The names that a pattern consists of, as Git reads it. Undefined for one that matches nothing: `[a` or `a\`. */
  parse(): NamePattern[] | undefined {
    const names: PatternPart<string>[][] = [[]];
    while (this.#at < this.#characters.length) {
      if (this.#skipsSlash()) names.push([]);
      else {
        const part = this.#part();
        if (part === undefined) return undefined;
        names.at(-1)?.push(part);
      }
    }
    return names;
  }

  #skipsSlash(): boolean {
    if (this.#next() === '\\' && this.#next(1) === '/') this.#at++;
    return this.#skips('/');
  }

  #part(): PatternPart<string> | undefined {
    if (this.#skips('*')) return 'many';
    if (this.#skips('?')) return () => true;
    if (this.#skips('[')) return this.#set();
    const only = this.#character();
    return only === undefined ? undefined : (character) => character === only;
  }

  /** A set in brackets. A `]` right after the opening bracket is a member. */
  #set(): Test | undefined {
    const isNegated = this.#skips('!') || this.#skips('^');
    const tests: Test[] = [];
    do {
      const test = this.#class() ?? this.#range();
      if (test === undefined) return undefined;
      tests.push(test);
    } while (!this.#skips(']'));
    return (character) => tests.some((test) => test(character)) !== isNegated;
  }

  /** A class such as `[:digit:]`. An unknown one has no members. */
  #class(): Test | undefined {
    if (this.#next() !== '[' || this.#next(1) !== ':') return undefined;
    const end = this.#characters.indexOf(']', this.#at + 2);
    if (end < this.#at + 3 || this.#characters[end - 1] !== ':') return undefined;
    const name = this.#characters.slice(this.#at + 2, end - 1).join('');
    this.#at = end + 1;
    return (character) => CLASSES.get(name)?.test(character) ?? false;
  }

  /** A range such as `a-z`, or a single character. A range that runs backwards matches only its first character. */
  #range(): Test | undefined {
    const first = this.#character();
    const isRange = this.#next() === '-' && this.#next(1) !== ']';
    if (isRange) this.#at++;
    const last = isRange ? this.#character() : first;
    if (first === undefined || last === undefined) return undefined;
    return (character) => character === first || (first < character && character <= last);
  }

  /** The next character, which a backslash may protect. */
  #character(): string | undefined {
    this.#skips('\\');
    return this.#characters[this.#at++];
  }

  #next(further = 0): string | undefined {
    return this.#characters[this.#at + further];
  }

  #skips(character: string): boolean {
    const isNext = this.#next() === character;
    if (isNext) this.#at++;
    return isNext;
  }
}

/**
 * One part of a pattern: `many` matches any number of items, including none; a function matches one item that passes.
 */
type PatternPart<T> = 'many' | ((item: T) => boolean);

/**
 * Whether the parts, in order, match all the items. Takes at most as many steps as the product of both lengths: at a
 * mismatch only the last `many` takes one more item, because the parts before it match already. A regular expression
 * would try every way to split the items, which can take forever.
 */
function standFor<T>(parts: readonly PatternPart<T>[], items: readonly T[]): boolean {
  let [part, item, many, given] = [0, 0, -1, 0];
  while (item < items.length) {
    const one = parts[part];
    if (one === 'many') [many, given] = [part++, item];
    else if (one?.(items[item] as T)) [part, item] = [part + 1, item + 1];
    else if (many === -1) return false;
    else [part, item] = [many + 1, ++given];
  }
  while (parts[part] === 'many') part++;
  return part === parts.length;
}
