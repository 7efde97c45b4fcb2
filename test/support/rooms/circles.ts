import type { Import } from './imports.ts';

/** The files that import each other in a circle, by groups as large as they get; a file alone is none. */
export function findCircles(imports: readonly Import[]): string[][] {
  const targets = new Map<string, Set<string>>();
  for (const { file, target } of imports) {
    targets.set(file, (targets.get(file) ?? new Set()).add(target));
  }
  return new CircleSearch(targets).run();
}

/** Tarjan's search for strongly connected components. */
class CircleSearch {
  readonly #targets: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #order = new Map<string, number>();
  readonly #lowest = new Map<string, number>();
  readonly #open: string[] = [];
  readonly #circles: string[][] = [];

  constructor(targets: ReadonlyMap<string, ReadonlySet<string>>) {
    this.#targets = targets;
  }

  run(): string[][] {
    for (const file of this.#targets.keys()) if (!this.#order.has(file)) this.#visit(file);
    return this.#circles;
  }

  #visit(file: string): void {
    const at = this.#order.size;
    this.#order.set(file, at);
    this.#lowest.set(file, at);
    this.#open.push(file);
    for (const target of this.#targets.get(file) ?? []) {
      if (!this.#order.has(target)) this.#visit(target);
      if (this.#open.includes(target)) {
        this.#lowest.set(file, Math.min(this.#lowest.get(file)!, this.#lowest.get(target)!));
      }
    }
    if (this.#lowest.get(file) === at) this.#close(file);
  }

  #close(file: string): void {
    const members = this.#open.splice(this.#open.indexOf(file));
    if (members.length > 1) this.#circles.push(members.toSorted());
  }
}
