import type { ErrorCode } from '../../../src/protocol/errors.ts';

/** What becomes of the first `times` jobs of one picture; those after are made as they should be. */
export type Fate =
  /** No job at all: the submission itself is answered with this error. */
  | { readonly kind: 'refused'; readonly times: number; readonly code: ErrorCode }
  | { readonly kind: 'fails'; readonly times: number; readonly code: ErrorCode }
  /** Completed, with the texture of a picture that nobody submits. */
  | { readonly kind: 'wrong'; readonly times: number }
  /**
   * Made, but `after` milliseconds past its end the job is gone from the list and answers `job_not_found`.
   * `keepsSkin`: whether the skin is still there, so that the same picture is then a duplicate.
   */
  | {
      readonly kind: 'forgotten';
      readonly times: number;
      readonly after: number;
      readonly keepsSkin: boolean;
    };

/** The fate of the `attempt`th job of a picture, from 1. */
export function fateOf(fate: Fate | undefined, attempt: number): Fate | undefined {
  return fate && attempt <= fate.times ? fate : undefined;
}
