import type { Submission } from '../../dispatch/submission.ts';
import type { Note } from '../../protocol/envelope.ts';
import type { Job } from '../../protocol/job.ts';
import type { SourceRecord } from '../../protocol/lock-line.ts';
import { skinNameFrom } from '../../protocol/skin-name.ts';
import type { BatchSource, VariantWish } from './source.ts';

/** A source that waits for a skin. */
export interface Member {
  /** Position among all sources, from 0. */
  readonly index: number;
  readonly source: BatchSource;
  /** Where its output goes, see `BatchResult.stem`. */
  readonly stem: string;
  /** Its name in the lockfile. */
  readonly id: string;
  /** Pixel hash, if the picture is available. */
  readonly pixels: string | undefined;
  /** What earlier batches recorded about it; undefined if the lockfile does not have it. */
  readonly record?: SourceRecord | undefined;
  /** See `BatchResult.wantedStem`. */
  readonly wantedStem?: string | undefined;
}

/** One skin to make, for one source or for several with the same pixels and options. */
export interface Work extends Submission {
  /** The picture and name of the first one are sent. */
  readonly members: Member[];
  /** The picture, while worth keeping; later it is read again. */
  bytes: Uint8Array | undefined;
  /** Pixel hash of the picture to send, if it was fetched only for that. */
  pixels?: string | undefined;
  /** Notes on the picture. */
  warnings: readonly Note[];
  /** Its job on the service. */
  job: Job | undefined;
}

/** The name for a source's skin: the one given for it, else that of its skin data or its file. */
export function nameOf({
  name,
  content,
  stem,
}: Pick<BatchSource, 'name' | 'content' | 'stem'>): string | undefined {
  const given = content.kind === 'data' ? content.given.name : undefined;
  return name ?? given ?? skinNameFrom(stem.split('/').at(-1) ?? '');
}

/** The variant that a result must have. A player's is the player's own, whatever was requested. */
export function provableVariant({ variant, members: [first] }: Work): VariantWish {
  return first?.source.content.kind === 'user' ? 'auto' : variant;
}

export function pixelsOf(work: Work): string | undefined {
  return work.pixels ?? work.members[0]?.pixels;
}
