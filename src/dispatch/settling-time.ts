import { classifyFailure } from '../client/failure.ts';

/** Milliseconds that a service may need to list a job whose answer was lost. */
export const SETTLES_SOON = 2_000;
/** The same after a request that timed out: the service may have been processing it. */
export const SETTLES_LATE = 15_000;
/** Milliseconds after a process wrote that it was about to submit, and died: as long as a request may take. */
const SETTLES_AFTER_DEATH = 20_000;

/** Milliseconds from the loss of an answer until the job is listed, if the submission became one. */
export function settlingTime(error: unknown): number {
  return classifyFailure(error)?.isLate ? SETTLES_LATE : SETTLES_SOON;
}

/** The same for a submission that a process made, at the latest, `age` milliseconds ago, before it died. */
export function settlingTimeAfterDeath(age: number): number {
  return Math.max(SETTLES_SOON, SETTLES_AFTER_DEATH - Math.max(0, age));
}
