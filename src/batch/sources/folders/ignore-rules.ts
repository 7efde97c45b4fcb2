import { withoutMark } from '../../../base/parsed-json.ts';
import { BatchSetupError } from '../../model/setup-error.ts';
import { type IgnorePattern, parsePattern } from './ignore-pattern.ts';

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
    const lines = withoutMark(text).split(/\r?\n/);
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
