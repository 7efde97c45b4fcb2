import { type HostedJob, isKnown, statusOf } from '../../../src/double/hosted/jobs.ts';
import type { AcceptedSubmission, SubmissionRecorder } from '../../../src/double/hosted/options.ts';
import type { RequestKind } from '../../../src/double/requests.ts';

/** A submission of something for which the service already had a job, whose id is `first`. */
export interface DoubleSubmission {
  readonly pixels: string;
  readonly variant: string;
  readonly first: string;
  readonly second: string;
  readonly at: number;
}

/** What the service saw, for the assertions of tests. */
export interface HostedRecords {
  /** In their order; what other programs of the caller submitted is not among them. */
  readonly accepted: readonly AcceptedSubmission[];
  readonly doubleSubmissions: readonly DoubleSubmission[];
  /** Most jobs that were unfinished at once, other programs' included. */
  readonly mostUnfinished: number;
  /** Requests by their kind. */
  readonly requests: Readonly<Partial<Record<RequestKind, number>>>;
  /** Refusals by error code. */
  readonly refusals: Readonly<Record<string, number>>;
}

export class Recorder implements HostedRecords, SubmissionRecorder {
  readonly accepted: AcceptedSubmission[] = [];
  readonly doubleSubmissions: DoubleSubmission[] = [];
  mostUnfinished = 0;
  readonly requests: Partial<Record<RequestKind, number>> = {};
  readonly refusals: Record<string, number> = {};

  submission(submission: AcceptedSubmission, earlier: readonly HostedJob[]): void {
    const { pixels, variant, job: second, at } = submission;
    this.accepted.push(submission);
    const first = earlier.find((job) => answersFor(job, at));
    if (first) this.doubleSubmissions.push({ pixels, variant, first: first.id, second, at });
  }

  unfinished(count: number): void {
    this.mostUnfinished = Math.max(this.mostUnfinished, count);
  }

  count<K extends string>(counts: Partial<Record<K, number>>, what: K): void {
    counts[what] = (counts[what] ?? 0) + 1;
  }
}

/** Whether the job could have given the caller its skin, so that submitting again is a waste. */
function answersFor(job: HostedJob, now: number): boolean {
  if (job.owner !== 'user' || !isKnown(job, now)) return false;
  const status = statusOf(job, now);
  return status !== 'failed' && !(status === 'completed' && job.fate?.kind === 'wrong');
}
