import type { Note } from '../../protocol/envelope.ts';
import type { FailedRecord } from '../journal/records.ts';
import type { FinishedSkin } from '../model/finished-skin.ts';
import type { SignedBy } from '../model/signer.ts';
import type { SourceProblem } from '../model/source.ts';
import type { Member, Work } from '../model/work.ts';

/** The decision about a source. */
export type Decision =
  /** It cannot be used; gives the reason. */
  | { readonly kind: 'refused'; readonly problem: SourceProblem }
  /** Its skin is in the lockfile: under its own name or (`moved`) another one. */
  | {
      readonly kind: 'locked';
      readonly entry: number;
      readonly moved: boolean;
      readonly key: string;
      /** The signer is unknown, and that would matter. */
      readonly hasUnknownSigner?: boolean | undefined;
    }
  /** The source is itself valid skin data. */
  | {
      readonly kind: 'given';
      readonly key: string;
      readonly skin: FinishedSkin;
      readonly warnings: readonly Note[];
    }
  /** An earlier run of this batch made it, or this run did for another source (`duplicate`). */
  | { readonly kind: 'done'; readonly key: string; readonly origin: 'journal' | 'duplicate' }
  /** An earlier run of this batch failed to make it. */
  | { readonly kind: 'failed'; readonly record: FailedRecord }
  /** An earlier run of this batch made it but could not prove it. */
  | { readonly kind: 'unproven'; readonly work: Work }
  /** The same pixels and options are already in progress. */
  | { readonly kind: 'duplicate'; readonly work: Work | undefined }
  /**
   * It has to be made. `changed`: the lockfile has the source with other pixels or options. `outdated`: it has
   * this very skin, signed by another service.
   */
  | {
      readonly kind: 'new';
      readonly work: Work;
      readonly changed: boolean;
      readonly outdated?: SignedBy | undefined;
    };

export interface Planned {
  readonly member: Member;
  readonly decision: Decision;
}
