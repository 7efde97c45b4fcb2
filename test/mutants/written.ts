import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutation } from './mutations.ts';

/** A bug that a person thought of: a text of one source, which is there once, and what stands there with the bug. */
interface WrittenBug {
  /** Path of the source from the project's root. */
  readonly file: string;
  /** What goes wrong, for the report. */
  readonly what: string;
  readonly from: string;
  readonly to: string;
}

/** The bugs of some rooms, and what should notice them: paths from the project's root, of files or folders. */
interface WrittenList {
  /** Tests that load the sources. */
  readonly tests: readonly string[];
  /** Tests of the built program and the scripts of pages, tried last: each needs a build. */
  readonly built?: readonly string[];
  readonly bugs: readonly WrittenBug[];
}

const FOLDER = join(import.meta.dirname, 'written');

export const WRITTEN_LISTS: readonly string[] = readdirSync(FOLDER)
  .map((name) => name.replace(/\.json$/, ''))
  .toSorted();

/** @throws Error if there is none of this name */
export function readWrittenList(name: string): WrittenList {
  return JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as WrittenList;
}

/** The change of a source; undefined: the text is not there any more, or several times. */
export function mutationFor({ from, to, what }: WrittenBug, source: string): Mutation | undefined {
  const start = source.indexOf(from);
  if (start === -1 || source.includes(from, start + 1)) return undefined;
  return { start, end: start + from.length, replacement: to, what };
}
