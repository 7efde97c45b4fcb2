import { MAX_PARAM_LENGTH, malformedUrl, urlTooLong } from '../limits.ts';

/** What leads on from one segment of an address to the next. */
interface Node<Target> {
  readonly fixed: Map<string, Node<Target>>;
  /** For a placeholder. */
  any: Node<Target> | undefined;
  end: { readonly target: Target; readonly pattern: string; readonly names: readonly string[] } | undefined;
}

export interface Found<Target> {
  readonly target: Target;
  /** What was added, such as `/v2/skins/:uuid`. */
  readonly pattern: string;
  /** The values of the placeholders, decoded. */
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Finds what an address leads to, by the usual rules of HTTP routers: one slash at the end makes no difference, and fixed
 * segments take precedence over placeholders.
 */
export class Router<Target> {
  readonly #root = makeNode<Target>();

  /** `pattern`: like `/v2/skins/:uuid`. */
  add(pattern: string, target: Target): void {
    const segments = segmentsOf(pattern);
    let node = this.#root;
    for (const segment of segments) node = isPlaceholder(segment) ? anyOf(node) : fixedOf(node, segment);
    const names = segments.filter(isPlaceholder).map((segment) => segment.slice(1));
    node.end = { target, pattern, names };
  }

  /** @param path without a query. @throws Refusal if it is not well-formed, or a value is too long */
  find(path: string): Found<Target> | undefined {
    const values: string[] = [];
    const end = search(this.#root, decodeSegments(path), values)?.end;
    if (!end) return undefined;
    const params = Object.fromEntries(end.names.map((name, index) => [name, values[index] ?? '']));
    return { target: end.target, pattern: end.pattern, params };
  }
}

function makeNode<Target>(): Node<Target> {
  return { fixed: new Map(), any: undefined, end: undefined };
}

function anyOf<Target>(node: Node<Target>): Node<Target> {
  node.any ??= makeNode();
  return node.any;
}

function fixedOf<Target>(node: Node<Target>, segment: string): Node<Target> {
  const next = node.fixed.get(segment) ?? makeNode();
  node.fixed.set(segment, next);
  return next;
}

/** One slash at the end makes no difference. */
function segmentsOf(path: string): string[] {
  return path.replace(/(?!^)\/$/, '').split('/');
}

/** @throws Refusal if the path is not well-formed */
export function decodeSegments(path: string): string[] {
  return segmentsOf(path).map(decode);
}

function isPlaceholder(segment: string): boolean {
  return segment.startsWith(':');
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    throw malformedUrl(error);
  }
}

/** The node at the end of the segments; `values` gets those of the placeholders on the way. */
function search<Target>(
  node: Node<Target>,
  [segment, ...rest]: readonly string[],
  values: string[],
): Node<Target> | undefined {
  if (segment === undefined) return node.end && node;
  const next = node.fixed.get(segment);
  const found = next && search(next, rest, values);
  if (found || !node.any) return found;
  if (segment.length > MAX_PARAM_LENGTH) throw urlTooLong();
  values.push(segment);
  const behind = search(node.any, rest, values);
  if (!behind) values.pop();
  return behind;
}
