import type { Part } from './wildcards.ts';

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
export type NamePattern = readonly Part<string>[];

/** The names that a pattern consists of, as Git reads it. Undefined for one that matches nothing: `[a` or `a\`. */
export function parsePath(text: string): NamePattern[] | undefined {
  return new PatternParser([...text]).parse();
}

class PatternParser {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(characters: readonly string[]) {
    this.#characters = characters;
  }

  parse(): NamePattern[] | undefined {
    const names: Part<string>[][] = [[]];
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

  #part(): Part<string> | undefined {
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
