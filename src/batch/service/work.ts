import type { Note } from '../../protocol/envelope.ts';
import type { Job } from '../../protocol/job.ts';
import type { SkinVisibility } from '../../protocol/skin.ts';
import type { BatchSource, VariantWish } from '../types.ts';

/** A source that waits for a skin. */
export interface Member {
  /** Position among all sources, from 0. */
  readonly index: number;
  readonly source: BatchSource;
  /** Where its output goes, see `BatchResult.stem`. */
  readonly stem: string;
  /** What the lockfile calls it. */
  readonly id: string;
  /** Pixel hash, where the picture is at hand. */
  readonly pixels: string | undefined;
}

/** One skin to be made: for one source, or for several with the same pixels and options. */
export interface Work {
  readonly key: string;
  readonly variant: VariantWish;
  readonly visibility: SkinVisibility | undefined;
  /** UUID of the cape that goes with it. */
  readonly cape: string | undefined;
  /** The first one's picture and name are sent. */
  readonly members: Member[];
  /** The picture, while it is worth keeping; else it is read again. */
  bytes: Uint8Array | undefined;
  /** What is to be said of the picture. */
  warnings: readonly Note[];
  /** Submissions that ended without a skin. */
  attempt: number;
  /** The job it has on the service. */
  job: Job | undefined;
  /** Submissions whose answer was lost. */
  losses: number;
}

/** The arms that a result must have. A player's are what the player has, whatever was asked for. */
export function provableVariant({ variant, members: [first] }: Work): VariantWish {
  return first?.source.content.kind === 'user' ? 'auto' : variant;
}

export function pixelsOf(work: Work): string | undefined {
  return work.members[0]?.pixels;
}
