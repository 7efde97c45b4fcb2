import ignore from 'ignore';
import { BatchSetupError } from '../setup-error.ts';

export const IGNORE_FILE = '.skinsmithignore';

/** Git's own patterns tell `A.png` from `a.png`, and so the same folder gives the same skins everywhere. */
const OPTIONS = { ignorecase: false };
const LONGEST_PATTERN = 1024;

/** What to leave out of a folder: the patterns of ignore files, deeper ones later, then those given beside them. */
export class IgnoreRules {
  readonly #found: readonly ignore.Pattern[];
  readonly #given: readonly ignore.Pattern[];

  private constructor(found: readonly ignore.Pattern[], given: readonly ignore.Pattern[]) {
    this.#found = found;
    this.#given = given;
  }

  /** @throws BatchSetupError for a pattern that can mean nothing */
  static given(patterns: readonly string[]): IgnoreRules {
    return new IgnoreRules([], patterns.map(verifiedPattern));
  }

  /**
   * With the lines of an ignore file in `folder` (`/` between segments, empty for the folder itself).
   * @throws BatchSetupError for a line that is too long
   */
  withFile(folder: string, text: string): IgnoreRules {
    const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
    const patterns = lines.flatMap((line) => rebased(verifiedLine(line), folder));
    return new IgnoreRules([ignore(OPTIONS).add([...this.#found, ...patterns])], this.#given);
  }

  /**
   * Whether a path below the folder (`/` at the end of a folder's) is left out.
   * Make one per folder: it remembers every path that it was asked about.
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
  const isComment = pattern.startsWith('#'); // in a file; nobody types one
  return { pattern: verifiedLine(isComment ? `\\${pattern}` : pattern) };
}

function verifiedLine(line: string): string {
  if (line.length > LONGEST_PATTERN) throw badPattern(`it is longer than ${LONGEST_PATTERN} characters`);
  return line;
}

function badPattern(trouble: string): BatchSetupError {
  return new BatchSetupError(
    'invalid_pattern',
    `A pattern of what to leave out cannot be used: ${trouble}.`,
    {
      hint: 'Patterns are written as in a .gitignore, such as drafts/ or *-old.png.',
    },
  );
}

/** A line of an ignore file in `folder` as a pattern for the folder at the top; none when it says nothing. */
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
