import { CST, type Document, isMap, isScalar, isSeq, Lexer, type Node, parseDocument } from 'yaml';

const MAX_DEPTH = 64;
/** Characters: 10,000 NPCs with their skins. */
const MAX_LENGTH = 16 * 1024 * 1024;
/** Tokens and escapes: about 20 lines for each NPC. The parser takes up to a kilobyte of memory for each. */
const MAX_PARTS = 1_500_000;

/** A document, or why it cannot be read, as the end of a sentence. */
type ReadYaml = { readonly tree: unknown } | { readonly fault: string };

/**
 * The values of a YAML document, all as texts, in lists and objects. Nothing in it has an effect: tags create no
 * objects, and aliases, with which a short document could stand for a huge one, are left out.
 */
export function readYaml(text: string): ReadYaml {
  const parsed = parseYaml(text);
  return 'fault' in parsed ? parsed : { tree: yamlTree(parsed.document) };
}

/** The values of a parsed document, as `readYaml` has them. */
export function yamlTree({ contents }: { readonly contents: Node | null }): unknown {
  return treeOf(contents);
}

/** A document with the places of its parts. Bounded as `readYaml`. */
export function parseYaml(text: string): { readonly document: Document.Parsed } | { readonly fault: string } {
  if (text.length > MAX_LENGTH) return { fault: 'is too large' };
  const fault = faultOfParts(text);
  if (fault !== undefined) return { fault };
  const document = parseDocument(text, {
    schema: 'failsafe',
    customTags: [],
    merge: false,
    uniqueKeys: false, // compares every key with every other
    prettyErrors: false, // counts the lines anew for each error
    logLevel: 'silent',
  });
  const [error] = document.errors;
  if (error) return { fault: `is not valid YAML: line ${lineAt(text, error.pos[0])}` };
  return { document };
}

/**
 * Why the parser must not see a document. Counts what it would make something of: any token, and escapes, each of them perhaps an
 * error; and how deep that would be nested, for which it calls itself.
 */
function faultOfParts(text: string): string | undefined {
  let count = 0;
  for (const _ of text.matchAll(/\\/g)) if (++count > MAX_PARTS) return 'is too large';
  const depth = new Depth();
  let isText = false;
  for (const token of new Lexer().lex(text)) {
    if (++count > MAX_PARTS) return 'is too large';
    // The text of a scalar without quotes is a token of its own, and may look like any other.
    if (!isText && depth.after(token) > MAX_DEPTH) return `is nested more than ${MAX_DEPTH} levels deep`;
    isText = token === CST.SCALAR;
  }
  return undefined;
}

/** The depth of a document, counted from its tokens before it is parsed. */
class Depth {
  /** Brackets that are open. */
  #flow = 0;
  /** Indents of the lines that the current one is below of. */
  #indents: number[] = [];
  /** Indicators of the current line, each of which may begin something that is deeper. */
  #inLine = 0;
  #isLineStart = true;
  /** Whether the next scalar is the lines below. */
  #isBlock = false;

  after(token: string): number {
    const kind = CST.tokenType(token);
    if (kind === 'scalar' && this.#isBlock)
      this.#isBlock = false; // it ends with its line
    else this.#count(kind, token);
    return this.#indents.length - 1 + this.#inLine + Math.abs(this.#flow);
  }

  #count(kind: ReturnType<typeof CST.tokenType>, token: string): void {
    if (kind === 'newline') [this.#isLineStart, this.#inLine] = [true, 0];
    else if (this.#isLineStart && kind !== 'comment') this.#begin(kind === 'space' ? token.length : 0);
    if (kind === 'flow-seq-start' || kind === 'flow-map-start') this.#flow++;
    if (kind === 'flow-seq-end' || kind === 'flow-map-end') this.#flow--;
    if (kind === 'block-scalar-header') this.#isBlock = true;
    if (kind?.endsWith('-ind') && (this.#flow === 0 || kind !== 'map-value-ind')) this.#inLine++;
  }

  #begin(indent: number): void {
    this.#isLineStart = false;
    if (this.#flow > 0) return;
    while (this.#indents.length > 0 && this.#indents.at(-1)! >= indent) this.#indents.pop();
    this.#indents.push(indent);
  }
}

function lineAt(text: string, end: number): number {
  return text.slice(0, end).split('\n').length;
}

function treeOf(node: unknown): unknown {
  if (isScalar(node)) return String(node.value ?? '');
  if (isSeq(node)) return node.items.map(treeOf);
  if (!isMap(node)) return undefined;
  const entries = node.items.map(({ key, value }) => [keyOf(key), treeOf(value)] as const);
  return Object.fromEntries(entries);
}

function keyOf(key: unknown): string {
  return isScalar(key as Node) ? String((key as { value: unknown }).value) : '';
}
