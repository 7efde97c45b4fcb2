import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** One import, by type or not, as a file says it. */
export interface Import {
  /** Path of the importing file, from the project's root. */
  readonly file: string;
  readonly line: number;
  /** Path of the imported file from the project's root, or the name of a package. */
  readonly target: string;
}

const STATEMENT = /^(?:import|export)\s(?:[\w$*{},\s]*?\sfrom\s+)?'(?<target>[^'\n]+)'/gm;
const CALL = /\bimport\(\s*'(?<target>[^'\n]+)'/g;

/** The imports of a source file: statements, dynamic ones and those of types; Node's own modules are left out. */
export function importsIn(file: string, source: string): Import[] {
  return [...source.matchAll(STATEMENT), ...source.matchAll(CALL)]
    .map((match) => ({
      file,
      line: source.slice(0, match.index).split('\n').length,
      target: resolveTarget(file, match.groups!['target']!),
    }))
    .filter(({ target }) => !target.startsWith('node:'));
}

function resolveTarget(file: string, target: string): string {
  return target.startsWith('.') ? posix.join(posix.dirname(file), target) : target;
}

/** All imports of the TypeScript files in these folders of the project. */
export function readImports(root: string, folders: readonly string[]): Import[] {
  return filesIn(root, folders).flatMap((file) => importsIn(file, readFileSync(join(root, file), 'utf8')));
}

/** The TypeScript files in these folders, from the project's root, sorted. */
export function filesIn(root: string, folders: readonly string[]): string[] {
  const patterns = folders.map((folder) => `${folder}/**/*.ts`);
  return globSync(patterns, { cwd: root }).toSorted();
}

/** What is imported in a file, in words that lead to the line. */
export function describeImport({ file, line, target }: Import): string {
  return `${file}:${line} imports ${target}`;
}
