import type { BatchSource } from '../types.ts';
import { noSuchFile } from './file-problem.ts';
import { folderSources } from './folder.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import { dataSource, looksLikePlayer, urlSource, userSource } from './links.ts';
import { baseStem, findPath, mirroredStem } from './path.ts';
import type { SourceSpec } from './spec.ts';
import { stdinContent } from './stdin.ts';

/** Something that names sources: an argument, or the source of a list's row. */
export interface NamedSources {
  readonly text: string;
  /** Absolute paths of the folders that a relative path is looked for in, in this order. */
  readonly homes: readonly string[];
  /** Whether a relative path's folders go into the stem. */
  readonly isMirrored: boolean;
}

/** What all arguments and rows of a batch share. */
export interface Expansion {
  readonly as: SourceSpec['as'];
  readonly recursive: boolean;
  readonly rules: IgnoreRules;
  readonly stdin: () => AsyncIterable<Uint8Array>;
}

type Kind = 'stdin' | 'data' | 'url' | 'user' | 'path';
type Expand = (named: NamedSources, expansion: Expansion) => AsyncIterable<BatchSource> | [BatchSource];

const EXPANDERS = {
  stdin: stdinSource,
  data: ({ text }) => [dataSource(text)],
  url: ({ text }) => [urlSource(text)],
  user: ({ text }) => [userSource(text)],
  path: pathSources,
} satisfies Record<Kind, Expand>;

/** All that an argument or a row stands for. Each comes as it is found. */
export async function* expand(named: NamedSources, expansion: Expansion): AsyncGenerator<BatchSource> {
  yield* EXPANDERS[kindOf(named.text, expansion.as)](named, expansion);
}

/** What a text looks like, unless the user said what it is. */
function kindOf(text: string, as: SourceSpec['as']): Kind {
  if (as === 'user') return 'user';
  const isData = /^data:/i.test(text);
  if (as === 'url') return isData ? 'data' : 'url';
  if (text === '-') return 'stdin';
  if (as === 'file') return 'path';
  if (isData) return 'data';
  return /^https?:\/\//i.test(text) ? 'url' : 'path';
}

export function isStdin(text: string, as: SourceSpec['as']): boolean {
  return kindOf(text, as) === 'stdin';
}

/** Whether a text names sources as a path does. */
export function isPath(text: string, as: SourceSpec['as']): boolean {
  return kindOf(text, as) === 'path';
}

async function* stdinSource({ text }: NamedSources, { stdin }: Expansion): AsyncGenerator<BatchSource> {
  yield { label: text, content: await stdinContent(stdin()), stem: 'stdin' };
}

function pathSources(named: NamedSources, expansion: Expansion): AsyncIterable<BatchSource> | [BatchSource] {
  const { text, homes, isMirrored } = named;
  const found = findPath(text, homes);
  if (found.kind === 'folder') {
    const above = isMirrored ? mirroredStem(text, true) : '';
    return folderSources({ label: text, path: found.path }, above === '' ? '' : `${above}/`, expansion);
  }
  if (found.kind === 'absent' && expansion.as === undefined && looksLikePlayer(text))
    return [userSource(text, { isGuess: true })];
  const stem = isMirrored ? mirroredStem(text) : baseStem(text);
  const content = found.kind === 'absent' ? ({ kind: 'problem', problem: noSuchFile(text) } as const) : found;
  return [{ label: text, content, stem }];
}
