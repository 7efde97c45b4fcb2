import type { Note } from '../../protocol/envelope.ts';
import type { SourceRecord } from '../../protocol/lock-line.ts';
import type { FinishedSkin } from './finished-skin.ts';
import type { SourceContent, SourceProblem } from './source.ts';

/** Where a result came from: new, or known without a new generation. `given`: the source was the skin data. */
export type ResultOrigin = 'made' | 'lockfile' | 'journal' | 'duplicate' | 'given';

/** The result for one source. */
export interface BatchResult {
  /** Position of the source among all, from 0. */
  readonly index: number;
  /** The source's label. */
  readonly source: string;
  /** Path for its output below the output folder: safe, unique in the batch, no extension. */
  readonly stem: string;
  /** The stem that another source already has, so that this one got a new one. */
  readonly wantedStem?: string | undefined;
  /** What earlier batches recorded about the source; undefined if the lockfile does not have it. */
  readonly record?: SourceRecord | undefined;
  /** Where the source's picture is. */
  readonly content: SourceContent;
  readonly job?: string | undefined;
  /** A skin already known is read on demand, and only while the batch reports the result. */
  readonly skin?: FinishedSkin | undefined;
  /** Differs if the skin data differs; cheaper than `skin`. */
  readonly version?: string | undefined;
  readonly origin?: ResultOrigin | undefined;
  readonly warnings: readonly Note[];
  readonly error?: SourceProblem | undefined;
}
