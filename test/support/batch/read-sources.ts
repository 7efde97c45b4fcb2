import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BatchSource, SourceProblem } from '../../../src/batch/model.ts';
import { openSources, type SourceRoots, type SourceSpec } from '../../../src/batch/sources/arguments.ts';
import { ownFolder } from '../server/own-folder.ts';

export const UUID = '61699b2ed3274a019f1e0ea8c3f06bc6';

/** A folder for this test with these files: a list of names, each file containing its name, or texts by name. */
export async function folderOf(
  files: readonly string[] | Readonly<Record<string, string | Buffer>>,
): Promise<string> {
  const folder = await ownFolder();
  const texts = Array.isArray(files) ? files.map((name) => [name, name]) : Object.entries(files);
  for (const [name, text] of texts) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

export function spec(parts: Partial<SourceSpec>): SourceSpec {
  return { args: [], from: [], recursive: false, ignore: [], ...parts };
}

/** Everything that is still to come. */
export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Stdin that must not be read. */
async function* untouched(): AsyncGenerator<Uint8Array> {
  yield await Promise.reject(new Error('Nobody should have read stdin.'));
}

export function rootsIn(
  cwd: string,
  stdin?: string | Uint8Array | (() => AsyncIterable<Uint8Array>),
): SourceRoots {
  if (stdin === undefined) return { cwd, stdin: untouched };
  if (typeof stdin === 'function') return { cwd, stdin };
  return {
    cwd,
    stdin: async function* () {
      yield Buffer.from(stdin);
    },
  };
}

export async function allOf(parts: Partial<SourceSpec>, roots: SourceRoots): Promise<BatchSource[]> {
  return await collected(openSources(spec(parts), roots));
}

export async function stemsOf(parts: Partial<SourceSpec>, roots: SourceRoots): Promise<string[]> {
  return (await allOf(parts, roots)).map((source) => source.stem);
}

/** Of the one source that there is. */
export async function onlyOf(parts: Partial<SourceSpec>, roots: SourceRoots): Promise<BatchSource> {
  const sources = await allOf(parts, roots);
  if (sources.length !== 1) throw new Error(`There are ${sources.length} sources.`);
  return sources[0]!;
}

/** What is wrong with a source; undefined when nothing is. */
export function problemOf({ content }: BatchSource): SourceProblem | undefined {
  return content.kind === 'problem' ? content.problem : undefined;
}
