import { isDeepStrictEqual } from 'node:util';
import { isMap, isScalar, isSeq, type Node, type Pair, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import { parseYaml, yamlTree } from '../../batch/sources/yaml.ts';

/** Why a file, or a place in it, cannot be changed: a clause, which begins with the name of the file. */
export class EditError extends Error {
  override readonly name = 'EditError';
}

/** Values to set: a text, a list of texts, or values below a key. `true` and `false` are no texts. */
export type Value = string | boolean | readonly string[] | { readonly [key: string]: Value };
type Values = { readonly [key: string]: Value };

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Levels are two spaces deep, as Bukkit writes them. */
const STEP = 2;

/** A document in YAML of which single values change, and everything else stays, byte by byte. */
export class YamlEdits {
  readonly #name: string;
  readonly #text: string;
  readonly #root: Node | null;
  /** All that is to be set: keys that are new get their values at once. */
  readonly #values: MutableValues = {};
  readonly #newline: string;
  readonly #pairs = new Map<YAMLMap, ReadonlyMap<string, readonly Pair[]>>();
  /** The values as they are. */
  readonly tree: unknown;

  /** @throws EditError if it is no YAML, or too large */
  constructor(text: string, name: string) {
    const parsed = parseYaml(text);
    this.#name = name;
    if ('fault' in parsed) throw this.#error(parsed.fault);
    this.#text = text;
    this.#root = parsed.document.contents;
    this.#newline = text.includes('\r\n') ? '\r\n' : '\n';
    this.tree = yamlTree(parsed.document);
  }

  /** Sets values below the keys of `path`. @throws EditError; then nothing of it is set */
  set(path: readonly string[], values: Values): void {
    const whole = path.reduceRight<Values>((below, key) => ({ [key]: below }), values);
    if (this.#root !== null) this.#merge(this.#root, whole, []);
    addTo(this.#values, whole);
  }

  /** In a document without any value. */
  #start(values: Values): string {
    const isLineStart = this.#text === '' || this.#text.endsWith('\n');
    return `${isLineStart ? '' : this.#newline}${this.#lines(values, 0)}`;
  }

  #merge(node: unknown, values: Values, edits: Edit[]): void {
    if (!isMap(node)) throw this.#error(`has something other than keys in line ${this.#lineOf(node)}`);
    this.#verifyPlain(node);
    if (node.flow && node.items.length > 0)
      throw this.#error(`has keys in braces in line ${this.#lineOf(node)}`);
    const fresh: [string, Value][] = [];
    for (const [key, value] of Object.entries(values)) {
      const pairs = this.#pairsOf(node).get(key) ?? [];
      if (pairs.length > 1) throw this.#error(`has ${key} twice, in line ${this.#lineOf(pairs[1]!.key)}`);
      const [pair] = pairs;
      if (pair) this.#change(pair as Pair<Scalar, Node | null>, value, edits);
      else fresh.push([key, value]);
    }
    if (fresh.length > 0) this.#append(node, Object.fromEntries(fresh), edits);
  }

  /** By their keys: a file may have thousands of NPCs. */
  #pairsOf(map: YAMLMap): ReadonlyMap<string, readonly Pair[]> {
    const known = this.#pairs.get(map);
    if (known) return known;
    const pairs = new Map<string, Pair[]>();
    for (const pair of map.items) {
      const key = isScalar(pair.key) ? String(pair.key.value) : '';
      pairs.set(key, [...(pairs.get(key) ?? []), pair]);
    }
    this.#pairs.set(map, pairs);
    return pairs;
  }

  #change(pair: Pair<Scalar, Node | null>, value: Value, edits: Edit[]): void {
    const { key, value: node } = pair;
    const isEmpty =
      node === null || (isScalar(node) && (node.value === null || node.value === '') && !node.source);
    const isEmptyMap = isMap(node) && node.flow === true && node.items.length === 0;
    if (node) this.#verifyPlain(node);
    if (isValues(value) && !isEmpty && !isEmptyMap) this.#merge(node, value, edits);
    else if (Array.isArray(value) && isSeq(node) && !node.flow && node.items.length === value.length)
      for (const [at, item] of node.items.entries()) this.#replace(item, value[at]!, edits);
    else if (isEmpty || isEmptyMap) {
      const [from, to] = node?.range ?? [this.#afterColon(key), this.#afterColon(key)];
      const text = isScalarValue(value)
        ? ` ${scalar(value)}`
        : this.#below(value, this.#indentOf(key) + STEP);
      const isSpaced = this.#text[from - 1] === ' ';
      edits.push({
        from: isEmptyMap && isSpaced ? from - 1 : from,
        to,
        text: isEmpty && isSpaced ? text.trimStart() : text,
      });
    } else if (isScalarValue(value)) this.#replace(node, value, edits);
    else throw this.#error(`has something unexpected in line ${this.#lineOf(node)}`);
  }

  #replace(node: unknown, value: string | boolean, edits: Edit[]): void {
    if (!isScalar(node) || !node.range) throw this.#error(`has no text in line ${this.#lineOf(node)}`);
    this.#verifyPlain(node);
    if (node.type?.startsWith('BLOCK'))
      throw this.#error(`has a text of several lines in line ${this.#lineOf(node)}`);
    if (String(node.value ?? '') === String(value)) return;
    edits.push({ from: node.range[0], to: node.range[1], text: scalar(value) });
  }

  /** After the last key of a map, on lines of their own. */
  #append(map: YAMLMap, values: Values, edits: Edit[]): void {
    const [first] = map.items;
    if (!first) throw this.#error(`has no keys in line ${this.#lineOf(map)}`);
    const indent = this.#indentOf(first.key as Scalar);
    const end = endOf(map);
    const line = this.#text[end - 1] === '\n' ? end : this.#text.indexOf('\n', end) + 1;
    const lines = this.#lines(values, indent);
    if (line > 0) edits.push({ from: line, to: line, text: lines });
    else edits.push({ from: this.#text.length, to: this.#text.length, text: this.#newline + lines });
  }

  /** Spaces before a key. @throws EditError if something else is before it */
  #indentOf(key: Scalar): number {
    const from = key.range?.[0] ?? 0;
    const start = this.#text.lastIndexOf('\n', from - 1) + 1;
    const before = this.#text.slice(start, from).replace('\uFEFF', '');
    if (/[^ ]/.test(before)) throw this.#error(`has something before the key in line ${this.#lineOf(key)}`);
    return before.length;
  }

  #afterColon(key: Scalar): number {
    return this.#text.indexOf(':', key.range?.[1] ?? 0) + 1;
  }

  /** @throws EditError for a value that others in the document share, or that has a type of its own */
  #verifyPlain(node: Node): void {
    const { anchor } = node as { anchor?: string };
    const isShared = anchor !== undefined || (isMap(node) && node.items.some((item) => isMergeKey(item.key)));
    if (isShared) throw this.#error(`has an anchor or alias in line ${this.#lineOf(node)}`);
    const isOther = !isMap(node) && !isSeq(node) && !isScalar(node);
    if (isOther) throw this.#error(`has an alias in line ${this.#lineOf(node)}`);
    if ((node as { tag?: string }).tag !== undefined)
      throw this.#error(`has a tag in line ${this.#lineOf(node)}`);
  }

  #error(message: string): EditError {
    return new EditError(`${this.#name} ${message}`);
  }

  #lineOf(node: unknown): number {
    const from = (node as Node | null)?.range?.[0] ?? 0;
    return this.#text.slice(0, from).split('\n').length;
  }

  #lines(values: Values, indent: number): string {
    return Object.entries(values)
      .map(([key, value]) => {
        const start = `${' '.repeat(indent)}${keyText(key)}:`;
        return isScalarValue(value)
          ? `${start} ${scalar(value)}${this.#newline}`
          : `${start}${this.#below(value, indent + STEP)}${this.#newline}`;
      })
      .join('');
  }

  /** Values below a key, without the last line break. */
  #below(value: Exclude<Value, string | boolean>, indent: number): string {
    const lines = Array.isArray(value)
      ? value.map((text) => `${' '.repeat(indent - STEP)}- ${scalar(text)}${this.#newline}`).join('')
      : this.#lines(value as Values, indent);
    return this.#newline + lines.slice(0, -this.#newline.length);
  }

  /**
   * The document with all values set. Reads it again: nothing else may have changed its meaning.
   * @throws EditError
   */
  result(): string {
    const edits: Edit[] = [];
    if (Object.keys(this.#values).length === 0) return this.#text;
    if (this.#root !== null) this.#merge(this.#root, this.#values, edits);
    else edits.push({ from: this.#text.length, to: this.#text.length, text: this.#start(this.#values) });
    let [text, at] = ['', 0];
    for (const { from, to, text: piece } of edits.sort((a, b) => a.from - b.from || a.to - b.to)) {
      text += this.#text.slice(at, from) + piece;
      at = to;
    }
    text += this.#text.slice(at);
    const again = parseYaml(text);
    const expected = withValues(this.tree, this.#values);
    if ('fault' in again || !isDeepStrictEqual(yamlTree(again.document) ?? {}, expected))
      throw this.#error('cannot be changed without changing something else in it');
    return text;
  }
}

function isScalarValue(value: Value): value is string | boolean {
  return typeof value === 'string' || typeof value === 'boolean';
}

function isValues(value: Value): value is Values {
  return typeof value === 'object' && !Array.isArray(value);
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === '<<';
}

/** Where the text of a node ends, without comments and line breaks behind it. */
function endOf(node: Node | null): number {
  const last = isMap(node) || isSeq(node) ? (node as YAMLMap | YAMLSeq).items.at(-1) : undefined;
  const isBlock = last !== undefined && !(node as YAMLMap).flow;
  if (!isBlock) return node?.range?.[1] ?? 0;
  if (!isMap(node)) return endOf(last as Node);
  const { key, value } = last as Pair<Node, Node | null>;
  return Math.max(endOf(key), endOf(value));
}

interface MutableValues {
  [key: string]: Exclude<Value, Values> | MutableValues;
}

function addTo(all: MutableValues, values: Values): void {
  for (const [key, value] of Object.entries(values)) {
    if (!isValues(value)) {
      all[key] = value;
      continue;
    }
    const before = all[key];
    const below: MutableValues = before !== undefined && isValues(before) ? (before as MutableValues) : {};
    addTo(below, value);
    all[key] = below;
  }
}

/** A tree of texts with the values in it, as the document then has them. */
function withValues(tree: unknown, values: Values): unknown {
  const fields: Record<string, unknown> = typeof tree === 'object' && tree !== null ? { ...tree } : {};
  for (const [key, value] of Object.entries(values)) {
    if (isValues(value)) fields[key] = withValues(fields[key], value);
    else fields[key] = Array.isArray(value) ? [...value] : String(value);
  }
  return fields;
}

/** Long words need no quotes in any version of YAML. */
const PLAIN = /^[A-Za-z][A-Za-z0-9+/=;._-]{19,}$/;
const PLAIN_KEY = /^[A-Za-z][A-Za-z-]*[A-Za-z]$/;
/** Words that some version of YAML reads as something else. */
const WORD = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

function scalar(value: string | boolean): string {
  if (typeof value === 'boolean') return String(value);
  return PLAIN.test(value) || (PLAIN_KEY.test(value) && !WORD.test(value)) ? value : JSON.stringify(value);
}

function keyText(key: string): string {
  return PLAIN_KEY.test(key) && !WORD.test(key) ? key : JSON.stringify(key);
}
