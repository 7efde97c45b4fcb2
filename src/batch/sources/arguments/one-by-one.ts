import type { BatchSource, SourceStream } from '../../model/source.ts';

/** Every source of a stream by itself. */
export async function* oneByOne(
  stream: SourceStream | readonly [BatchSource],
): AsyncGenerator<BatchSource, void, void> {
  for await (const found of stream) {
    if (Symbol.iterator in found) yield* found;
    else yield found;
  }
}
