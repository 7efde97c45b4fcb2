import type { BatchSource, Coverage } from '../../batch/model.ts';
import { openSources } from '../../batch/sources/lists.ts';
import { readProxies } from '../config/proxies.ts';
import type { CommandContext } from '../context/context.ts';
import { usageError } from '../errors/exit.ts';
import { openStdin } from '../terminal/read-input.ts';
import type { BatchCall } from './call.ts';

interface SourceReading {
  /** Called with a sentence about each unusable part of a list. */
  readonly warn?: (message: string) => void;
  /** Records the folders and lists that were read whole. */
  readonly coverage?: Coverage | undefined;
}

/** Returns the named sources as a stream. */
export function sourcesOf(
  { context, typed }: Pick<BatchCall, 'context' | 'typed'>,
  { warn = (message) => void context.messages.warn(message), coverage }: SourceReading = {},
): AsyncIterable<BatchSource> {
  const found = openSources(specOf(typed), { ...rootsOf(context), warn, coverage });
  const sources = typed.fetchLocally ? fetched(found, context) : found;
  return typed.name === undefined ? sources : named(sources, typed.name);
}

async function* fetched(
  sources: AsyncIterable<BatchSource>,
  { signal, env, waits }: Pick<CommandContext, 'signal' | 'env' | 'waits'>,
): AsyncGenerator<BatchSource> {
  const { fetchedSources } = await import('../../batch/sources/fetch-locally.ts');
  yield* fetchedSources(sources, {
    signal,
    proxies: readProxies(env),
    onWait: (wait) => waits.paused(wait),
  });
}

async function* named(sources: AsyncIterable<BatchSource>, name: string): AsyncGenerator<BatchSource> {
  for await (const source of sources) yield { ...source, name };
}

export function specOf(typed: BatchCall['typed']) {
  return {
    args: typed.sources,
    players: typed.player ?? [],
    from: typed.from ?? [],
    recursive: typed.recursive ?? false,
    ignore: typed.ignore ?? [],
    ...(typed.fit && { fit: true }),
    ...(typed.as && { as: typed.as }),
  };
}

export function rootsOf(context: Pick<CommandContext, 'io' | 'signal'>) {
  return { cwd: process.cwd(), stdin: () => openStdin(context) };
}

/** The one skin that an argument names. @throws CliError if it names several, as a folder does */
export async function onlySource(text: string, context: CommandContext): Promise<BatchSource> {
  const sources: BatchSource[] = [];
  const spec = { args: [text], from: [], recursive: false, ignore: [] };
  for await (const source of openSources(spec, rootsOf(context))) {
    sources.push(source);
    if (sources.length > 1) break;
  }
  const [only] = sources;
  if (only && sources.length === 1 && !isEmptyFolder(only)) return only;
  throw usageError('not_one_source', `${text} is not a single skin.`, 'Give one PNG file, not a folder.');
}

/** Its own hint leads to an option that only commands for many skins have. */
function isEmptyFolder({ content }: BatchSource): boolean {
  return content.kind === 'problem' && content.problem.code === 'empty_folder';
}
