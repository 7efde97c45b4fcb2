import type { JobState } from '../client/types.ts';
import type { RunningJob } from './running-job.ts';

/** How long a job took, milliseconds. `isTold`: by the service's own times, not by when its end was noticed. */
export interface JobDuration {
  readonly duration: number;
  readonly isTold: boolean;
}

/** The duration of a job that had ended `at`: by the service's own times if it gives them and they are possible. */
export function jobDuration(
  job: RunningJob,
  { job: { timestamp }, skin }: Pick<JobState, 'job' | 'skin'>,
  at: number,
  least: number | undefined,
): JobDuration {
  const end = skin?.generator?.timestamp;
  const longest = at - job.acceptedAt;
  const told = (end ?? Number.NaN) - (timestamp ?? Number.NaN);
  const isTold = told >= 0 && told <= longest;
  return { duration: isTold ? told : longest - unseen(job, at, least) / 2, isTold };
}

/** How long the job may have been over before it was noticed: since it was last seen, or since the shortest time known. */
function unseen({ acceptedAt, seenAt }: RunningJob, at: number, least: number | undefined): number {
  const shortest = least === undefined ? at : acceptedAt + least;
  return Math.max(0, at - (seenAt ?? shortest));
}
