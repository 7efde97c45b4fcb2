import type { SourceRecord } from '../../protocol/lock-line.ts';
import type { BatchSource, GivenSkin } from '../model/source.ts';
import type { Inspected } from '../pictures/inspect-source.ts';

/** A source with its position and output name, which never change. */
export interface Draft {
  readonly index: number;
  readonly stem: string;
  readonly source: BatchSource;
  /** What earlier batches recorded about it; undefined if the lockfile does not have it. */
  readonly record: SourceRecord | undefined;
  /** The name that another source has, so that this one got a new one. */
  readonly wantedStem?: string | undefined;
  /** Its picture, if that was needed to identify it. */
  readonly inspected?: Inspected | undefined;
}

/** The same with what the service has for its UUID; unchanged if it is not a UUID. */
export function withGiven(draft: Draft, given: GivenSkin): Draft {
  const { source } = draft;
  if (source.content.kind !== 'uuid') return draft;
  return { ...draft, source: { ...source, content: { ...source.content, given } } };
}
