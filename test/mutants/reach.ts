import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';

/** Test files that are tried one after the other until one fails. */
export type Stages = readonly (readonly string[])[];

/** How many tests are in a stage: few at first, as those close to a source notice most. */
const STAGES = [6, 18];
/** More than any distance. */
const FIRST = 1_000;

/**
 * Which of `tests` can notice a change of a source: its own unit tests first, then the others that import it, directly
 * or not: those in the folders `first`, then those close to it. Paths are relative to `root`.
 * @param isNearEnough leaves out the many tests that only reach a source by way of most others
 */
export function testsReaching(
  root: string,
  tests: readonly string[],
  first: readonly string[],
  isNearEnough = false,
): (source: string) => Stages {
  const imports = new Map<string, readonly string[]>();
  const importsOf = (file: string) => {
    const known = imports.get(file) ?? readImports(root, file);
    imports.set(file, known);
    return known;
  };
  const reached = new Map(tests.map((test) => [test, distances(test, importsOf)]));
  return (source) => {
    const path = source.replace(/^src/, 'test').replace(/\.ts$/, '');
    const own = tests.filter((test) => test === `${path}.test.ts` || test.startsWith(`${path}/`));
    const others = [...reached].flatMap(([test, from]) => {
      const distance = from.get(source);
      return distance === undefined || own.includes(test) ? [] : [{ test, distance }];
    });
    const rank = ({ test, distance }: (typeof others)[number]) =>
      first.some((folder) => test.startsWith(`${folder}/`)) ? distance - FIRST : distance;
    const closest = others.sort((a, b) => rank(a) - rank(b)).map(({ test }) => test);
    const [few = 0, more = 0] = STAGES;
    const near = [closest.slice(0, few), closest.slice(few, few + more)];
    const stages = isNearEnough ? near : [...near, closest.slice(few + more)];
    return [own, ...stages].filter(({ length }) => length > 0);
  };
}

/** How many imports away each file is. */
function distances(
  from: string,
  importsOf: (file: string) => readonly string[],
): ReadonlyMap<string, number> {
  const known = new Map([[from, 0]]);
  for (const [file, distance] of known) {
    for (const next of importsOf(file)) if (!known.has(next)) known.set(next, distance + 1);
  }
  return known;
}

function readImports(root: string, file: string): readonly string[] {
  const text = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '';
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g);
  return [...found].map(([, path = '']) => join(dirname(file), path));
}
