import { classifyFailure } from '../client/failure.ts';

/** Milliseconds that a service may need to list a job whose answer was lost. */
export const SETTLES_SOON = 300;
/** The same if it may still have been at the request when that timed out. */
export const SETTLES_LATE = 5_000;

/** Milliseconds from the loss of an answer until the job is listed, if the submission became one. */
export function settlingTime(error: unknown): number {
  return classifyFailure(error)?.isLate ? SETTLES_LATE : SETTLES_SOON;
}
