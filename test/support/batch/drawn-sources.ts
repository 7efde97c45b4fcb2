import type { BatchSource } from '../../../src/batch/model.ts';
import { skinPng } from '../server/drawn-skins.ts';

/** So many different skins as sources, named by their numbers. */
export async function* drawnSources(count: number, from = 0): AsyncGenerator<BatchSource> {
  for (let n = from; n < from + count; n++)
    yield { label: `${n}`, stem: `${n}`, content: { kind: 'bytes', bytes: skinPng(n) } };
}
