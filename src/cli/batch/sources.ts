import { type BatchSource, openSources } from '../../batch/api/sources.ts';
import type { Io } from '../terminal/io.ts';
import type { BatchCall } from './call.ts';

/** Returns the named sources as a stream. */
export async function* sourcesOf({
  context,
  typed,
}: Pick<BatchCall, 'context' | 'typed'>): AsyncGenerator<BatchSource> {
  const found = openSources(specOf(typed), rootsOf(context.io));
  for await (const source of typed.fetchLocally ? await fetched(found, context.signal) : found) {
    yield typed.name === undefined ? source : { ...source, name: typed.name };
  }
}

async function fetched(
  sources: AsyncIterable<BatchSource>,
  signal: AbortSignal,
): Promise<AsyncIterable<BatchSource>> {
  const { fetchedSources } = await import('../../batch/api/pictures.ts');
  return fetchedSources(sources, signal);
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

export function rootsOf(io: Pick<Io, 'stdin'>) {
  return { cwd: process.cwd(), stdin: () => io.stdin as AsyncIterable<Buffer> };
}
