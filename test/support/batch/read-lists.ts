import type { BatchSource } from '../../../src/batch/model.ts';
import { allOf, folderOf, problemOf, rootsIn } from './read-sources.ts';

/** What a list on stdin names, in a folder with a few files. */
export async function named(list: string | Buffer): Promise<BatchSource[]> {
  const cwd = await folderOf(['heroes/a.png', 'heroes/b, c.png', 'd "e".png', '# f.png', 'source.png']);
  return await allOf({ from: ['-'] }, rootsIn(cwd, list));
}

/** Label, kind and request, without absent values. */
export function outlines(sources: readonly BatchSource[]): object[] {
  return sources.map(({ label, content, stem, name, variant, visibility }) => ({
    label,
    kind: content.kind,
    stem,
    ...(name && { name }),
    ...(variant && { variant }),
    ...(visibility && { visibility }),
  }));
}

/** Where and why rows are refused. */
export function faults(sources: readonly BatchSource[]): [label: string, message: string | undefined][] {
  return sources.map((source) => [source.label, problemOf(source)?.message]);
}
