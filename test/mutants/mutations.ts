import { parseAst } from 'rolldown/parseAst';

/** One small change of a source text: `[start, end)` is replaced. */
export interface Mutation {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** What was done, for the report: `a < b -> a <= b`. */
  readonly what: string;
}

/** The part of an ESTree node that the operators look at. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

const SWAPS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '+=': '-=',
  '-=': '+=',
};

/** Nodes that do not run: types, and what is only declared. */
const SILENT = /^TS(?!AsExpression|NonNullExpression|SatisfiesExpression)|^Import|^ExportAll/;

/** All mutations of a TypeScript source by the usual operators, in the order of the text. */
export function mutationsOf(text: string): readonly Mutation[] {
  const found: Mutation[] = [];
  walk(parseAst(text, { lang: 'ts' }) as unknown as Node, (node) => {
    for (const { start, end, replacement } of mutate(node, text)) {
      const before = text.slice(start, end).replace(/\s+/g, ' ');
      found.push({
        start,
        end,
        replacement,
        what: `${shorten(before)} -> ${shorten(replacement) || 'nothing'}`,
      });
    }
  });
  return found.sort((a, b) => a.start - b.start);
}

export function apply(text: string, { start, end, replacement }: Mutation): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

function shorten(text: string): string {
  return text.length > 70 ? `${text.slice(0, 67)}...` : text;
}

function walk(node: Node, visit: (node: Node) => void): void {
  if (SILENT.test(node.type)) return;
  visit(node);
  for (const [field, value] of Object.entries(node)) {
    if (field === 'typeAnnotation' || field === 'returnType' || field === 'typeArguments') continue;
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

type Change = Omit<Mutation, 'what'>;

function mutate(node: Node, text: string): readonly Change[] {
  const change = (replacement: string, { start, end } = node): Change => ({ start, end, replacement });
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'AssignmentExpression':
      return swapOperator(node, text);
    case 'IfStatement':
    case 'ConditionalExpression': {
      const test = node['test'] as Node;
      return [change('true', test), change('false', test)];
    }
    case 'UnaryExpression':
      return node['operator'] === '!' ? [change(textOf(node['argument'] as Node, text))] : [];
    case 'Literal':
      return literal(node['value']).map((replacement) => change(replacement));
    case 'ExpressionStatement':
      return removable(node['expression'] as Node) ? [change(';')] : [];
    case 'ArrayExpression':
      return (node['elements'] as unknown[]).length > 0 ? [change('[]')] : [];
    default:
      return [];
  }
}

function textOf({ start, end }: Node, text: string): string {
  return text.slice(start, end);
}

function swapOperator(node: Node, text: string): readonly Change[] {
  const to = SWAPS[String(node['operator'])];
  const [left, right] = [node['left'] as Node, node['right'] as Node];
  // Adding texts is no arithmetic, and texts are not what the tests of these rooms are about.
  const isText = [left, right].some(
    ({ type, value }) => type === 'TemplateLiteral' || typeof value === 'string',
  );
  if (to === undefined || (isText && node['operator'] === '+')) return [];
  const between = text.slice(left.end, right.start).replace(String(node['operator']), to);
  return [{ start: left.end, end: right.start, replacement: between }];
}

function literal(value: unknown): readonly string[] {
  if (typeof value === 'boolean') return [String(!value)];
  if (typeof value === 'number') return [value === 0 ? '1' : String(value + 1)];
  return [];
}

/** Calls and awaited calls: what they do is left out. */
function removable({ type, argument }: Node): boolean {
  if (type === 'AwaitExpression') return removable(argument as Node);
  return type === 'CallExpression' || type === 'AssignmentExpression' || type === 'UpdateExpression';
}
