import { hasTooManyValues } from '../../base/text.ts';

/** Maximum depth, as in the game. Items with skins are not half as deep. */
const MAX_DEPTH = 64;
/** Maximum characters of a string; the game's has as many bytes. */
const MAX_STRING = 65_535;

/** The starts of groups: a compound, a list, or the components of an item. */
const GROUP = /[{[]/g;
/** Expressions have bounds: those without overflow their stack on millions of characters. */
/** A word without quotes. Between brackets, it may be the id of a component, such as `minecraft:profile`. */
const WORD = /[^\s,:;=[\]{}"']{1,65535}/y;
const ID = /[^\s,;=[\]{}"']{1,65535}/y;
const SPACE = /\s{0,65535}/y;
const ARRAY = /[BIL];/y;

/**
 * The groups of a text in SNBT, the notation of the game's commands: a command has several, as for a selector and an item. All
 * values that are no groups are texts. The components of an item, `[profile={…}]`, are fields like those of a compound. Undefined if it cannot be
 * read.
 */
export function snbtIn(text: string): readonly unknown[] | undefined {
  const read = readSnbt(text);
  return 'groups' in read ? read.groups : undefined;
}

/** The same, or where in the text the reading stopped; undefined if it is too long to be read. */
export function readSnbt(text: string): { readonly groups: readonly unknown[] } | { readonly stop?: number } {
  if (hasTooManyValues(text)) return {};
  const reader = new Reader(text);
  try {
    return { groups: [...reader.groups()] };
  } catch (error) {
    if (error instanceof SnbtError) return { stop: reader.at };
    throw error;
  }
}

class SnbtError extends Error {
  override readonly name = 'SnbtError';
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get at(): number {
    return this.#at;
  }

  *groups(): Generator<unknown> {
    for (;;) {
      GROUP.lastIndex = this.#at;
      const found = GROUP.exec(this.#text);
      if (!found) return;
      this.#at = found.index;
      yield this.#value(WORD, 0);
    }
  }

  #value(word: RegExp, depth: number): unknown {
    if (depth > MAX_DEPTH) throw new SnbtError();
    if (this.#take('{')) return this.#compound(depth);
    if (this.#take('[')) return this.#list(depth);
    return this.#scalar(word);
  }

  #compound(depth: number): unknown {
    const fields: [string, unknown][] = [];
    while (!this.#take('}')) {
      const name = this.#scalar(WORD);
      if (!this.#take(':') && !this.#take('=')) throw new SnbtError(); // selectors have =
      fields.push([name, this.#value(WORD, depth + 1)]);
      this.#between('}');
    }
    return Object.fromEntries(fields);
  }

  #list(depth: number): unknown {
    const [items, fields]: [unknown[], [string, unknown][]] = [[], []];
    this.#match(ARRAY);
    while (!this.#take(']')) {
      const item = this.#value(ID, depth + 1);
      if (typeof item === 'string' && this.#take('=')) fields.push([item, this.#value(ID, depth + 1)]);
      else items.push(item);
      this.#between(']');
    }
    return fields.length > 0 ? Object.fromEntries(fields) : items;
  }

  /** Entries are separated by commas. */
  #between(end: string): void {
    this.#match(SPACE);
    if (!this.#take(',') && this.#text[this.#at] !== end) throw new SnbtError();
  }

  #scalar(word: RegExp): string {
    this.#match(SPACE);
    const quote = this.#text[this.#at];
    if (quote === '"' || quote === "'") return this.#quoted(quote);
    const found = this.#match(word);
    if (!found) throw new SnbtError();
    return found[0];
  }

  /** Reads without a regular expression: millions of escapes would overflow its stack. */
  #quoted(quote: string): string {
    const start = this.#at + 1;
    let end = start;
    while (this.#text[end] !== quote) {
      if (end >= this.#text.length || end - start > MAX_STRING) throw new SnbtError();
      end += this.#text[end] === '\\' ? 2 : 1;
    }
    this.#at = end + 1;
    return unescaped(this.#text.slice(start, end));
  }

  #take(character: string): boolean {
    this.#match(SPACE);
    const isThere = this.#text[this.#at] === character;
    if (isThere) this.#at++;
    return isThere;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found) this.#at = pattern.lastIndex;
    return found;
  }
}

function unescaped(text: string): string {
  return text.replace(/\\(?:u([\dA-Fa-f]{4})|(.))/gs, (_, digits?: string, character?: string) =>
    digits === undefined ? (character ?? '') : String.fromCharCode(Number.parseInt(digits, 16)),
  );
}
