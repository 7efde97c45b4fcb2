import { openSources } from '../../batch/sources/sources.ts';
import type { BatchSource } from '../../batch/types.ts';
import type { Io } from '../io.ts';
import type { BatchCall } from './call.ts';

/** What was named, as a stream. The embedded service is told of no source that it cannot use. */
export async function* sourcesOf(
  { deps, typed }: Pick<BatchCall, 'deps' | 'typed'>,
  service: string,
): AsyncGenerator<BatchSource> {
  for await (const source of openSources(specOf(typed), rootsOf(deps.io))) {
    const named = typed.name === undefined ? source : { ...source, name: typed.name };
    yield service === 'embedded' ? withoutFetching(named) : named;
  }
}

export function specOf(typed: BatchCall['typed']) {
  return {
    args: typed.sources,
    from: typed.from ?? [],
    recursive: typed.recursive ?? false,
    ignore: typed.ignore ?? [],
    ...(typed.as && { as: typed.as }),
  };
}

export function rootsOf(io: Pick<Io, 'stdin'>) {
  return { cwd: process.cwd(), stdin: () => io.stdin as AsyncIterable<Buffer> };
}

export function withoutFetching(source: BatchSource): BatchSource {
  const { kind } = source.content;
  if (kind !== 'url' && kind !== 'user') return source;
  const problem = {
    code: 'unsupported_source',
    message: 'The embedded service neither fetches URLs nor looks up players.',
    hint: 'Save the picture as a file and give its path.',
  };
  return { ...source, content: { kind: 'problem', problem } };
}
