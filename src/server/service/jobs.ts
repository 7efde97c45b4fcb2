import { isPending } from '../../protocol/job.ts';
import type { JobQueue, JobState } from '../queue/port.ts';
import { findSkin, findSkins, type SkinWithData } from '../store/skins.ts';
import type { Db } from '../store/store.ts';
import type { JobRow } from '../store/tables.ts';
import type { Caller } from './caller.ts';
import type { ServiceContext } from './context.ts';
import { verifyPolling } from './polling.ts';
import { Refusal } from './refusal.ts';

/** Other than its pending ones, how many of a caller's jobs the list shows. */
const LIST_SIZE = 500;

/** A job; `skin` is there once it is completed. */
export interface JobWithSkin {
  readonly job: JobRow;
  readonly skin: SkinWithData | undefined;
}

/** A job of the caller, with its skin once it is completed. @throws Refusal `job_not_found`, `rate_limit` */
export async function readJob(context: ServiceContext, caller: Caller, uuid: string): Promise<JobWithSkin> {
  const job = await context.queue.find(uuid);
  if (job?.owner !== caller.owner) throw new Refusal('job_not_found');
  await verifyPolling(context, caller, job);
  return await withSkin(context.db, job);
}

export async function withSkin(db: Db, job: JobRow): Promise<JobWithSkin> {
  return { job, skin: job.skin_uuid === null ? undefined : await findSkin(db, job.skin_uuid) };
}

/** Those of these jobs that have ended, in the order of their ends, with two indexed reads for all. */
export async function readEnds(
  { queue, db }: { queue: JobQueue; db: Db },
  uuids: readonly string[],
): Promise<JobWithSkin[]> {
  const ended = (await queue.findAll(uuids)).filter(({ status }) => !isPending(status));
  const skinUuids = ended.flatMap(({ skin_uuid }) => skin_uuid ?? []);
  const skins = skinUuids.length === 0 ? [] : await findSkins(db, skinUuids);
  return ended
    .toSorted((a, b) => (a.finished_at ?? 0) - (b.finished_at ?? 0) || a.id - b.id)
    .map((job) => ({ job, skin: skins.find(({ uuid }) => uuid === job.skin_uuid) }));
}

/** The caller's jobs, newest first. */
export async function listJobs(context: ServiceContext, caller: Caller): Promise<JobState[]> {
  return await context.queue.listStates(caller.owner, LIST_SIZE);
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
