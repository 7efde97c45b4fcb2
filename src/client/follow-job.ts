import { isPending, type Job } from '../protocol/job.ts';
import type { SeenSkin } from '../protocol/seen-skin.ts';
import { JobFailedError } from './errors.ts';
import { pollTimes } from './poll-timing.ts';
import type { GeneratedSkin, JobAnswer } from './types.ts';

/** What it takes to follow a job. Times in milliseconds. */
export interface Follower {
  readonly poll: () => Promise<JobAnswer>;
  readonly skin: (uuid: string) => Promise<SeenSkin>;
  readonly pause: (ms: number) => Promise<void>;
  /** The service's clock. */
  readonly now: number;
  /** Longest pause between polls; default: see `pollTimes`. */
  readonly longest: number | undefined;
}

/** Polls one job until it has ended. @throws JobFailedError when it ends without a skin */
export async function followJob(job: Pick<Job, 'id' | 'eta'>, follower: Follower): Promise<GeneratedSkin> {
  const { now, longest } = follower;
  for (const pause of pollTimes({ eta: job.eta, now, longest })) {
    await follower.pause(pause);
    const state = await follower.poll();
    if (isPending(state.job.status)) continue;
    return { ...state, skin: await skinOf(state, follower), job: job.id };
  }
  throw new Error('unreachable: polling never ends by itself');
}

/** The skin of a finished job: from its state or, if the service leaves it out, by its UUID. */
async function skinOf({ job, skin, errors }: JobAnswer, follower: Follower): Promise<SeenSkin> {
  if (skin) return skin;
  if (job.status === 'completed' && job.result !== undefined) return await follower.skin(job.result);
  throw new JobFailedError(job.id, errors);
}
