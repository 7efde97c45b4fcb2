import type { BatchSource, GivenSkin } from '../model/source.ts';

/** A source with its position and output name, which never change. */
export interface Draft {
  readonly index: number;
  readonly stem: string;
  readonly source: BatchSource;
}

/** The same with what the service has for its UUID; unchanged if it is not a UUID. */
export function withGiven(draft: Draft, given: GivenSkin): Draft {
  const { source } = draft;
  if (source.content.kind !== 'uuid') return draft;
  return { ...draft, source: { ...source, content: { ...source.content, given } } };
}
