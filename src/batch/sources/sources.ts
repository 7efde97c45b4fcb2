import { BatchSetupError, type BatchSource } from '../model/source.ts';
import {
  type Expansion,
  expand,
  isPath,
  isStdin,
  type SourceRoots,
  type SourceSpec,
  userSource,
} from './arguments.ts';
import { findPath, withoutFileScheme } from './files.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { listSources, verifyList } from './lists.ts';
import { isSkinFile, skinFileSources } from './skin-files.ts';

export type { SourceRoots, SourceSpec } from './arguments.ts';

/**
 * All named sources, arguments first, each as soon as it is found; nothing is stored. An invalid one is a
 * source of kind `problem`. Can be read only once.
 * @throws BatchSetupError (while it is read) when the input as a whole is invalid
 */
export function openSources(spec: SourceSpec, roots: SourceRoots): AsyncGenerator<BatchSource> {
  const sources = namedSources(spec, roots);
  return spec.fit ? fittedSources(sources) : sources;
}

async function* namedSources(spec: SourceSpec, roots: SourceRoots): AsyncGenerator<BatchSource> {
  const { players = [], from, as, recursive } = spec;
  const args = argumentsOf(spec);
  const rules = IgnoreRules.given(spec.ignore);
  verifyStdinOnce(spec);
  for (const list of from) verifyList(list, roots.cwd);
  const expansion: Expansion = { as, recursive, rules, stdin: roots.stdin, coverage: roots.coverage };
  for (const text of args) yield* expand({ text, homes: [roots.cwd], isMirrored: false }, expansion);
  for (const player of players) yield userSource(player);
  for (const list of from) yield* listSources(list, roots, expansion);
}

/** The arguments, those that are `file:` URLs as paths. */
function argumentsOf({ args, as }: SourceSpec): readonly string[] {
  return as === undefined || as === 'file' ? args.map(withoutFileScheme) : args;
}

async function* fittedSources(sources: AsyncIterable<BatchSource>): AsyncGenerator<BatchSource> {
  for await (const source of sources) yield fitted(source);
}

/** The same source; an HD skin is scaled down when it is read. */
function fitted(source: BatchSource): BatchSource {
  const { content } = source;
  if (content.kind !== 'file' && content.kind !== 'bytes' && content.kind !== 'url') return source;
  return { ...source, content: { ...content, fit: true } };
}

/** Whether exactly one source is named: one player, or one argument that is not a folder, and no list. */
export async function isSingle(spec: SourceSpec, roots: SourceRoots): Promise<boolean> {
  const { players = [], from } = spec;
  const args = argumentsOf(spec);
  if (args.length + players.length !== 1 || from.length > 0) return false;
  const [only] = args;
  if (only === undefined) return true;
  if (!isPath(only, spec.as)) return true;
  const found = findPath(only, [roots.cwd]);
  if (found.kind !== 'file' || !isSkinFile(only, found.path)) return found.kind !== 'folder';
  return await hasOneSkin(only, found.path);
}

/** Whether a lockfile or JSON file has exactly one skin. */
async function hasOneSkin(label: string, path: string): Promise<boolean> {
  let count = 0;
  for await (const _ of skinFileSources(label, path)) if (++count > 1) return false;
  return true;
}

function stdinReaders({ args, from, as }: SourceSpec): number {
  return args.filter((arg) => isStdin(arg, as)).length + from.filter((list) => list === '-').length;
}

function verifyStdinOnce(spec: SourceSpec): void {
  if (stdinReaders(spec) <= 1) return;
  throw new BatchSetupError('stdin_twice', 'Stdin can be read only once, but - is given more than once.', {
    hint: 'Use - for one source or for one list.',
  });
}
