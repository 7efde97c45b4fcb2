import ignore from 'ignore';
import { BatchSetupError } from '../../model/setup-error.ts';

export const IGNORE_FILE = '.skinsmithignore';

/** Case-sensitive like Git, so that the same folder gives the same skins on every system. */
const OPTIONS = { ignorecase: false };
const LONGEST_PATTERN = 1024;

/** Patterns of paths to skip in a folder: from ignore files, deeper ones later, then from options. */
export class IgnoreRules {
  readonly #found: readonly ignore.Pattern[];
  readonly #given: readonly ignore.Pattern[];

  private constructor(found: readonly ignore.Pattern[], given: readonly ignore.Pattern[]) {
    this.#found = found;
    this.#given = given;
  }

  /** @throws BatchSetupError for an invalid pattern */
  static given(patterns: readonly string[]): IgnoreRules {
    return new IgnoreRules([], patterns.map(verifiedPattern));
  }

  /**
   * Adds the lines of an ignore file in `folder` (`/` between segments, empty for the root folder).
   * @throws BatchSetupError for a line that is too long
   */
  withFile(folder: string, text: string): IgnoreRules {
    const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
    const patterns = lines.flatMap((line) => rebased(verifiedLine(line), folder));
    return new IgnoreRules([ignore(OPTIONS).add([...this.#found, ...patterns])], this.#given);
  }

  /**
   * Whether a path below the folder (ending with `/` for a folder) is ignored. Make one instance per folder: it
   * remembers every path it checked.
   */
  matcher(): (path: string) => boolean {
    const patterns = [...this.#found, ...this.#given];
    if (patterns.length === 0) return () => false;
    const all = ignore(OPTIONS).add(patterns);
    return (path) => all.ignores(path);
  }
}

function verifiedPattern(pattern: string): ignore.Pattern {
  if (pattern.trim() === '') throw badPattern('it is empty');
  const isComment = pattern.startsWith('#'); // only in files
  return { pattern: verifiedLine(isComment ? `\\${pattern}` : pattern) };
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

/** A line of an ignore file in `folder` as a pattern for the root folder; none for blank lines and comments. */
function rebased(line: string, folder: string): ignore.Pattern[] {
  if (folder === '' || line.startsWith('#')) return [{ pattern: line }];
  const not = line.startsWith('!') ? '!' : '';
  const body = withoutTrailingSpaces(line.slice(not.length));
  if (/^\/*$/.test(body)) return [];
  const isAnchored = body.slice(0, -1).includes('/');
  const below = isAnchored ? body.replace(/^\//, '') : `**/${body}`;
  return [{ pattern: `${not}/${folder.replaceAll(/[\\*?[\]!# ]/g, '\\$&')}/${below}` }];
}

function withoutTrailingSpaces(text: string): string {
  let end = text.length;
  while (text[end - 1] === ' ' && text[end - 2] !== '\\') end--;
  return text.slice(0, end);
}
