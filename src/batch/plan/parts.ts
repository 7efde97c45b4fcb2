import type { BatchSource, SourceStream } from '../model/source.ts';

/** Sources of a folder that are planned together. */
const TOGETHER = 64;

/** The sources in parts, so that no part takes long. */
export async function* inParts(sources: SourceStream): AsyncGenerator<readonly BatchSource[], void, void> {
  for await (const found of sources) {
    if (Symbol.iterator in found) yield* parts(found);
    else yield [found];
  }
}

function* parts(sources: Iterable<BatchSource>): Generator<readonly BatchSource[], void, void> {
  let part: BatchSource[] = [];
  for (const source of sources) {
    if (part.push(source) < TOGETHER) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}
