import { type ErrorCode, isErrorCode } from '../../../protocol/errors.ts';
import { DEFAULT_WAIT_SECONDS, MAX_TOTAL_WAIT_SECONDS } from '../../../protocol/generate.ts';
import { isPending } from '../../../protocol/job.ts';
import type { JobSignals } from '../../events.ts';
import {
  countJobs,
  findEnded,
  findJob,
  findJobWithSkin,
  type JobSummaryRow,
  type JobWithSkin,
  type ListedJob,
  listJobStates,
  pageJobs,
  withItsSkin,
} from '../../queue/lists.ts';
import type { Db } from '../../store/db.ts';
import type { JobRow } from '../../store/schema/tables.ts';
import { findSkin, type SkinWithData } from '../../store/skins.ts';
import { type Caller, hasScope, type StoreContext, type WebPages } from '../callers.ts';
import { Refusal } from '../refusal.ts';
import { type PollingContext, verifyPolling } from '../request-limits.ts';

/** Default number of jobs per page. */
const LIST_SIZE = 500;

/** @throws Refusal `insufficient_grants` for web pages that may not see what their visitors have made without a key */
export function verifyMayFollow(caller: Caller, { webPages }: { readonly webPages: WebPages }): void {
  webPages.verifyMay('follow', caller);
}

/** A job of the caller, with its skin once it is completed. @throws Refusal `job_not_found`, `rate_limit` */
export async function readJob(context: PollingContext, caller: Caller, uuid: string): Promise<JobWithSkin> {
  const found = await findJobWithSkin(context.db, uuid);
  if (found?.job.owner !== caller.owner) throw new Refusal('job_not_found');
  await verifyPolling(context, caller, found.job);
  return found;
}

export async function withSkin(db: Db, job: JobRow): Promise<JobWithSkin> {
  return withItsSkin(job, job.skin_uuid === null ? undefined : await findSkin(db, job.skin_uuid));
}

/**
 * A job's skin for the caller who submitted it. A key that may not read its user's skins gets the skin data it requested,
 * with the name and visibility that it sent: the record may have others by now, or be an older one of the user.
 */
export function skinAsSent(
  mayRead: boolean,
  { name, visibility }: Pick<JobRow, 'name' | 'visibility'>,
  skin: SkinWithData,
): SkinWithData {
  return mayRead ? skin : { ...skin, name, visibility };
}

export interface JobListQuery {
  /** Where the previous page ended: its `next`, or the id of its last job. */
  readonly after?: string | undefined;
  readonly size?: number | undefined;
  readonly status?: JobRow['status'] | undefined;
}

export interface ListedJobs<Job extends JobSummaryRow = ListedJob> {
  readonly jobs: Job[];
  /** Jobs per page. */
  readonly size: number;
  /** `after` of the next page; undefined on the last page. */
  readonly next: string | undefined;
  /** Jobs on all pages; set on the first page, if cheap to determine. */
  readonly total?: number | undefined;
}

/** A page of the caller's jobs, newest first. @throws Refusal `validation_error` for an unknown `after` */
export async function listJobs(
  context: { readonly db: Db },
  caller: Caller,
  { after, size = LIST_SIZE, status }: JobListQuery,
): Promise<ListedJobs> {
  const before = after === undefined ? undefined : await numberOf(context, caller, after);
  const page = await pageJobs(context.db, caller.owner, { before, status, size: size + 1 });
  const jobs = page.slice(0, size);
  const next = page.length > size ? jobs.at(-1)?.id.toString() : undefined;
  const isCounted = before === undefined && (status === undefined || status === 'failed');
  return { jobs, size, next, ...(isCounted && { total: await countJobs(context.db, caller.owner, status) }) };
}

/**
 * For clients without paging: the newest jobs, and all pending ones regardless of age, because such clients look for
 * the ends of their jobs in this list. They do so often, so the jobs come with their states only.
 */
export async function listNewestJobs(
  { db }: { readonly db: Db },
  { owner }: Caller,
): Promise<ListedJobs<JobSummaryRow>> {
  const found = await listJobStates(db, owner, LIST_SIZE + 1); // one more shows whether there is a next page
  const jobs = found.filter(({ status }, index) => index < LIST_SIZE || isPending(status));
  return {
    jobs,
    size: LIST_SIZE,
    next: found.length > LIST_SIZE ? found[LIST_SIZE - 1]?.id.toString() : undefined,
  };
}

async function numberOf({ db }: { readonly db: Db }, caller: Caller, after: string): Promise<number> {
  if (/^\d{1,15}$/.test(after)) return Number(after);
  const job = await findJob(db, after);
  if (job?.owner === caller.owner) return job.id;
  const message = 'after: no such job; continue with links.next of the previous page';
  throw new Refusal('validation_error', { notes: [{ code: 'custom', message, path: ['after'] }] });
}

/** How long to wait for the end of a job, in milliseconds. */
export interface JobPatience {
  readonly total: number;
  /** Limit from the moment a worker takes the job; default: the total limit. */
  readonly atWork?: number;
}

export interface WaitContext extends StoreContext {
  readonly signals: JobSignals;
  /** Whether the service is shutting down and accepts nothing new. */
  readonly isStopping: () => boolean;
  /** What keeps this process from generating; undefined if nothing does. */
  readonly trouble: () => unknown;
}

/**
 * Waits until the state of a job is another one, or until the job has ended; at most `ms`.
 * @returns the job in its current state, with its skin once it is completed
 */
export async function waitForChange(
  context: WaitContext,
  { uuid, status }: JobRow,
  { ms, untilEnd = false }: { ms: number; untilEnd?: boolean },
): Promise<JobWithSkin> {
  const deadline = context.clock.now() + ms;
  const isAwaited = (job: JobRow) => isPending(job.status) && (untilEnd || job.status === status);
  for (;;) {
    const { heard, stop } = context.signals.listenForJob(uuid, deadline - context.clock.now(), context.clock);
    try {
      const job = await findJob(context.db, uuid);
      if (!job) throw new Refusal('job_not_found');
      if (!isAwaited(job) || context.clock.now() >= deadline || context.isStopping()) {
        return await withSkin(context.db, job);
      }
      await heard;
    } finally {
      stop();
    }
  }
}

/** Jobs whose ends are looked up at once. */
const PAGE = 500;

/** Waits until all the given jobs have ended, at most `ms`. */
export async function waitForEnds(context: WaitContext, uuids: Iterable<string>, ms: number): Promise<void> {
  const deadline = context.clock.now() + ms;
  const all = [...uuids];
  for (let first = 0; first < all.length; first += PAGE) {
    const page = all.slice(first, first + PAGE);
    const ended = new Set((await findEnded(context.db, page)).map(({ uuid }) => uuid));
    for (const uuid of page) {
      if (!ended.has(uuid)) await waitForEnd(context, uuid, { total: deadline - context.clock.now() });
    }
  }
}

/** Waits until the job has ended, within the limits of `patience`. @returns the job in its current state */
export async function waitForEnd(
  context: WaitContext,
  uuid: string,
  { total, atWork = total }: JobPatience,
): Promise<JobRow> {
  const { clock, db, signals } = context;
  const last = clock.now() + total;
  let deadline = last;
  let isAtWork = false;
  for (;;) {
    // Listen before looking, so that an end in between is not missed.
    const { heard, stop } = signals.listenForJob(uuid, Math.max(0, deadline - clock.now()), clock);
    try {
      const job = await findJob(db, uuid);
      if (!job) throw new Refusal('job_not_found');
      if (!isPending(job.status)) return job;
      if (isAtWork !== (job.status === 'processing')) {
        isAtWork = !isAtWork; // a job that is returned to the queue waits for its turn again
        deadline = isAtWork ? Math.min(last, clock.now() + atWork) : last;
        continue;
      }
      if (clock.now() >= deadline || (context.isStopping() && !isAtWork)) return job;
      const trouble = context.trouble();
      if (trouble) throw trouble;
      await heard;
    } finally {
      stop();
    }
  }
}

/** For a caller who does not say how long to wait. */
export const DEFAULT_PATIENCE: JobPatience = {
  total: MAX_TOTAL_WAIT_SECONDS * 1000,
  atWork: DEFAULT_WAIT_SECONDS * 1000,
};

/**
 * The skin of a job, for a request that waits for it within the limits of `patience`.
 * @throws Refusal with the reason of a failed job; `generator_timeout`: the job continues
 */
export async function awaitSkin(
  context: WaitContext,
  { caller, job }: { readonly caller: Caller; readonly job: JobRow },
  patience: JobPatience,
): Promise<SkinWithData> {
  const ended = await waitForEnd(context, job.uuid, patience);
  const links = { job: `/v2/queue/${job.uuid}` };
  if (ended.status === 'failed') throw failure(ended, links);
  if (ended.status !== 'completed' || ended.skin_uuid === null)
    throw new Refusal('generator_timeout', { links });
  const skin = await findSkin(context.db, ended.skin_uuid);
  if (!skin) throw new Refusal('skin_not_found', { links });
  return skinAsSent(hasScope(caller, 'read'), job, skin);
}

function failure(job: JobRow, links: Record<string, string>): Refusal {
  const code: ErrorCode =
    job.error_code !== null && isErrorCode(job.error_code) ? job.error_code : 'job_failed';
  return new Refusal(code, { links, ...(job.error_message !== null && { message: job.error_message }) });
}
