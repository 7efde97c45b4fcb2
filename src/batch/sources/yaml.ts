import { isMap, isScalar, isSeq, Lexer, type Node, parseDocument } from 'yaml';

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
  if (text.length > MAX_LENGTH || hasTooManyParts(text)) return { fault: 'is too large' };
  const { contents, errors } = parseDocument(text, {
    schema: 'failsafe',
    customTags: [],
    merge: false,
    uniqueKeys: false, // compares every key with every other
    prettyErrors: false, // counts the lines anew for each error
    logLevel: 'silent',
  });
  const [error] = errors;
  if (error) return { fault: `is not valid YAML: line ${lineAt(text, error.pos[0])}` };
  return { tree: treeOf(contents, 0) };
}

/** Counts what the parser would make something of: any token, and escapes, each of them perhaps an error. */
function hasTooManyParts(text: string): boolean {
  let count = 0;
  for (const _ of text.matchAll(/\\/g)) if (++count > MAX_PARTS) return true;
  for (const _ of new Lexer().lex(text)) if (++count > MAX_PARTS) return true;
  return false;
}

function lineAt(text: string, end: number): number {
  return text.slice(0, end).split('\n').length;
}

function treeOf(node: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return undefined;
  if (isScalar(node)) return String(node.value ?? '');
  if (isSeq(node)) return node.items.map((item) => treeOf(item, depth + 1));
  if (!isMap(node)) return undefined;
  const entries = node.items.map(({ key, value }) => [keyOf(key), treeOf(value, depth + 1)] as const);
  return Object.fromEntries(entries);
}

function keyOf(key: unknown): string {
  return isScalar(key as Node) ? String((key as { value: unknown }).value) : '';
}
