import { BatchSetupError } from '../setup-error.ts';
import type { BatchSource } from '../types.ts';
import { type Expansion, expand, isPath, isStdin } from './expand.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { verifyList } from './lists/list-file.ts';
import { listSources } from './lists/list-sources.ts';
import { findPath } from './path.ts';
import type { SourceRoots, SourceSpec } from './spec.ts';

export { skinNameFrom } from './skin-name.ts';
export type { SourceRoots, SourceSpec } from './spec.ts';

/**
 * All that was named, the arguments' first: each is there as soon as it is found, and nothing is kept.
 * What is wrong with one is a source of kind `problem`. To be read once.
 * @throws BatchSetupError (while it is read) when there is something wrong with the whole
 */
export async function* openSources(spec: SourceSpec, roots: SourceRoots): AsyncGenerator<BatchSource> {
  const { args, from, as, recursive } = spec;
  const rules = IgnoreRules.given(spec.ignore);
  verifyStdinOnce(spec);
  for (const list of from) verifyList(list, roots.cwd);
  const expansion: Expansion = { as, recursive, rules, stdin: roots.stdin };
  for (const text of args) yield* expand({ text, homes: [roots.cwd], isMirrored: false }, expansion);
  for (const list of from) yield* listSources(list, roots, expansion);
}

/** Whether exactly one source is named: one argument that is no folder, and no list. */
export async function isSingle(spec: SourceSpec, roots: SourceRoots): Promise<boolean> {
  const [only, ...others] = spec.args;
  if (only === undefined || others.length > 0 || spec.from.length > 0) return false;
  return !isPath(only, spec.as) || findPath(only, [roots.cwd]).kind !== 'folder';
}

function stdinReaders({ args, from, as }: SourceSpec): number {
  return args.filter((arg) => isStdin(arg, as)).length + from.filter((list) => list === '-').length;
}

function verifyStdinOnce(spec: SourceSpec): void {
  if (stdinReaders(spec) <= 1) return;
  throw new BatchSetupError('stdin_twice', 'Stdin can be read only once, and more than one - asks for it.', {
    hint: 'Use - for one source or for one list.',
  });
}
