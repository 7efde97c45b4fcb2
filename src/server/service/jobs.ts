import { isPending } from '../../protocol/job.ts';
import { findSkin, type SkinWithData } from '../store/skins.ts';
import type { JobRow } from '../store/tables.ts';
import type { Caller } from './caller.ts';
import type { ServiceContext } from './context.ts';
import { Refusal } from './refusal.ts';

/** Other than its pending ones, how many of a caller's jobs the list shows. */
const LIST_SIZE = 500;

/** A job of the caller, with its skin once it is completed. @throws Refusal `job_not_found` */
export async function readJob(
  context: ServiceContext,
  caller: Caller,
  uuid: string,
): Promise<{ job: JobRow; skin: SkinWithData | undefined }> {
  const job = await context.queue.find(uuid);
  if (job?.owner !== caller.owner) throw new Refusal('job_not_found');
  const skin = job.skin_uuid === null ? undefined : await findSkin(context.db, job.skin_uuid);
  return { job, skin };
}

/** The caller's jobs, newest first. */
export async function listJobs(context: ServiceContext, caller: Caller): Promise<JobRow[]> {
  return await context.queue.list(caller.owner, LIST_SIZE);
}

/** Waits until all these jobs have come to their ends, `ms` at the most. */
export async function waitForEnds(
  context: ServiceContext,
  uuids: Iterable<string>,
  ms: number,
): Promise<void> {
  const deadline = context.clock.now() + ms;
  for (const uuid of uuids) await waitForEnd(context, uuid, deadline - context.clock.now());
}

/** Waits until the job has come to its end, `ms` at the most; the job as it stands then. */
export async function waitForEnd(context: ServiceContext, uuid: string, ms: number): Promise<JobRow> {
  const { clock, queue, signals } = context;
  const deadline = clock.now() + ms;
  for (;;) {
    // Listening starts before the look, so that an end between the two is not missed.
    const { heard, stop } = signals.listenForEnd(uuid, Math.max(0, deadline - clock.now()), clock);
    try {
      const job = await queue.find(uuid);
      if (!job) throw new Refusal('job_not_found');
      const isOver = clock.now() >= deadline || (context.isStopping() && job.status === 'waiting');
      if (!isPending(job.status) || isOver) return job;
      const trouble = context.trouble();
      if (trouble) throw trouble;
      await heard;
    } finally {
      stop();
    }
  }
}
