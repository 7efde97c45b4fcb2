import type { Job } from '../protocol/job.ts';
import type { TrackerUser } from './job-tracker.ts';
import type { SkinRequest, Submission } from './submission.ts';

/** The user of a dispatcher: provides the pictures and receives the results. */
export interface DispatcherUser<W extends Submission> extends TrackerUser<W> {
  /** What to send, or why there is nothing. @throws the signal's reason */
  prepare(work: W, signal: AbortSignal): Promise<SkinRequest | { readonly problem: unknown }>;
  /** The service has a job for it. */
  accepted(work: W, job: Job): void;
  /** It certainly did not become a job and will not. */
  rejected(work: W, error: unknown): void;
  /** There was nothing to send. */
  unusable(work: W, problem: unknown): void;
  /** The answer was lost: the service may have accepted it. */
  answerLost(work: W, error: unknown): void;
  /** Nothing can be submitted, because others with the same key have so many jobs in the queue. */
  queueFilledByOthers(jobs: number): void;
  /** Other processes of the caller cannot be taken into account; gives the reason. */
  sharingBroken(why: string): void;
}
