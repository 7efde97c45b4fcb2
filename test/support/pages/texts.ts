import { globSync, readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';
import { ERRORS } from '../../../src/protocol/errors.ts';

/** A text with other forms, of which each language has its own, is a plural. */
type Kind = 'text' | 'plural';

/** The texts of the pages, and of their scripts, in English with {0}, {1} in place of values. */
export interface Texts {
  readonly pages: ReadonlyMap<string, Kind>;
  readonly scripts: ReadonlyMap<string, Kind>;
}

/** What the codes of problems mean. */
const MEANINGS = Object.values(ERRORS).map(({ message }) => [message, 'text'] as const);

/** Reads the texts from the source. */
export function textsOfPages(): Texts {
  return {
    pages: new Map([...MEANINGS, ...textsIn(globSync('src/pages/*.ts'))]),
    scripts: textsIn(globSync('src/pages/browser/*.ts')),
  };
}

function textsIn(files: readonly string[]): Map<string, Kind> {
  const texts = new Map<string, Kind>();
  for (const file of files.toSorted()) collect(parseAst(readFileSync(file, 'utf8'), { lang: 'ts' }), texts);
  return texts;
}

/** The parts of a syntax tree that matter here. */
interface Node {
  readonly type: string;
  readonly name?: string;
  readonly value?: unknown;
  readonly callee?: Node;
  readonly arguments?: readonly Node[];
  readonly properties?: readonly { readonly key?: Node; readonly value?: Node }[];
  readonly tag?: Node;
  readonly quasi?: { readonly quasis: readonly { readonly value: { readonly cooked: string } }[] };
}

function collect(tree: unknown, texts: Map<string, Kind>): void {
  if (typeof tree !== 'object' || tree === null) return;
  const node = tree as Node;
  const other = isCall(node, 'counted') ? otherFormOf(node) : undefined;
  const text = other ?? textOf(node);
  if (text !== undefined && texts.get(text) !== 'plural')
    texts.set(text, other === undefined ? 'text' : 'plural');
  // The form for one is in the catalogues with the others.
  const parts = other === undefined ? Object.values(node) : [node.arguments?.[0]];
  for (const part of parts) collect(part, texts);
}

function isCall({ type, callee }: Node, name: string): boolean {
  return type === 'CallExpression' && callee?.name === name;
}

function otherFormOf(call: Node): string | undefined {
  const form = call.arguments?.[1]?.properties?.find(({ key }) => key?.name === 'other')?.value;
  if (!form) return undefined;
  return typeof form.value === 'string' ? form.value : textOf(form);
}

/** The text of a template or a call of `say`. */
function textOf(node: Node): string | undefined {
  if (isCall(node, 'say')) {
    const [english] = node.arguments ?? [];
    return typeof english?.value === 'string' ? english.value : undefined;
  }
  if (node.type !== 'TaggedTemplateExpression' || node.tag?.name !== 'say' || !node.quasi) return undefined;
  const parts = node.quasi.quasis.map(
    ({ value }, index) => `${index === 0 ? '' : `{${index - 1}}`}${value.cooked}`,
  );
  return parts.join('').replaceAll(/\s+/g, ' ');
}
