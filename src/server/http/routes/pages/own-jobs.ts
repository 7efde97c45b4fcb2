import { z } from 'zod';
import { isPending, JOB_STATUSES } from '../../../../protocol/job.ts';
import { jobsPage, type OwnJob } from '../../../pages/views/jobs.ts';
import { isVisitorsJob } from '../../../queue/idempotency.ts';
import { findJob, type ListedJob } from '../../../queue/lists.ts';
import type { ServiceContext } from '../../../service/context.ts';
import { expectedEnd } from '../../../service/forecast/expected-end.ts';
import type { JobFollower } from '../../../service/jobs/job-feed.ts';
import { followJobs } from '../../../service/jobs/job-feeds.ts';
import { type JobListQuery, type ListedJobs, listJobs } from '../../../service/jobs/jobs.ts';
import { retryJob } from '../../../service/submitting/retry.ts';
import { EVENT_STREAM_HEADERS, EventStream } from '../../event-stream.ts';
import { type PageCall, pageRoute, seeOther } from '../../pages/page-route.ts';
import { verifyMaySee } from '../../pages/same-site.ts';
import { visitorSecret } from '../../pages/visitor.ts';
import { jobErrors } from '../../views.ts';

/** Jobs of a visitor's address that are looked at, to find those of the browser. */
const LOOKED_AT_ONCE = 100;
const MAX_LOOKED_AT = 2_000;
/** Jobs on one page. */
const SIZE = 50;
/** Jobs on a page that are shown with their expected ends: each needs a look at the whole queue. */
const FORETOLD = 10;

export const ownJobsRoute = pageRoute({
  method: 'GET',
  path: '/ui/jobs',
  isFor: 'callers',
  scopes: ['read'],
  query: z.object({
    status: z.enum(['', ...JOB_STATUSES]).default(''),
    after: z
      .string()
      .regex(/^\d{1,15}$/)
      .optional(),
  }),
  handle: async (call) => {
    const { context, caller, request, query } = call;
    const { status, after } = query;
    verifyMaySee(caller, request, context.webPages);
    const input = { status: status || undefined, after, size: SIZE };
    const list = call.session ? await listJobs(context, caller, input) : await visitorsJobs(call, input);
    const { next, total } = list;
    const view = { status, next, total, isFirst: after === undefined, origin: context.publicUrl() };
    return jobsPage({ ...view, jobs: await ownJobs(context, list.jobs), now: context.clock.now() });
  },
});

type Listed = Pick<ListedJobs, 'jobs' | 'next' | 'total'>;

/** Of the jobs from the visitor's address, those that came from this browser. */
async function visitorsJobs(call: PageCall, { status, after }: JobListQuery): Promise<Listed> {
  const secret = visitorSecret(call);
  const found: ListedJob[] = [];
  let next = after;
  for (let looked = 0; secret !== undefined && looked < MAX_LOOKED_AT && found.length <= SIZE; ) {
    const page = await listJobs(call.context, call.caller, { status, after: next, size: LOOKED_AT_ONCE });
    found.push(...page.jobs.filter(({ uuid }) => isVisitorsJob(uuid, secret)));
    next = page.next;
    looked += page.jobs.length;
    if (next === undefined) break;
  }
  const jobs = found.slice(0, SIZE);
  return { jobs, next: found.length > SIZE ? jobs.at(-1)?.id.toString() : undefined };
}

/** The pending jobs that come first get their expected ends. */
async function ownJobs(context: ServiceContext, jobs: readonly ListedJob[]): Promise<OwnJob[]> {
  const pending = jobs.filter(({ status }) => isPending(status)).slice(-FORETOLD);
  const etas = new Map<string, number | undefined>();
  for (const { uuid } of pending) {
    const job = await findJob(context.db, uuid);
    if (job && isPending(job.status)) etas.set(uuid, await expectedEnd(context, job));
  }
  return jobs.map((job) => ({ ...job, eta: etas.get(job.uuid), error: jobErrors(job)[0] }));
}

/** The events of /v2/queue/events for the person who is signed in, with only what the page shows of each job. */
export const ownJobEventsRoute = pageRoute({
  method: 'GET',
  path: '/ui/jobs/events',
  isFor: 'callers',
  scopes: ['read'],
  handle: async (call) => {
    const { context, caller, request, verify } = call;
    verifyMaySee(caller, request, context.webPages);
    if (request.method === 'HEAD') return { status: 200, body: undefined, headers: EVENT_STREAM_HEADERS };
    const stream = new EventStream({ greeting: 'your jobs', request, clock: context.clock });
    const stop = await followJobs(context, caller, follower(stream, jobFilter(call)));
    stream.whenGone(stop);
    stream.whenGone(context.openRequests.hold(verify, () => void stream.end()));
    void stream.beat();
    return { status: 200, headers: EVENT_STREAM_HEADERS, body: stream.body };
  },
});

/** Which jobs the person may see. */
function jobFilter(call: PageCall): (job: { readonly uuid: string }) => boolean {
  if (call.session) return () => true;
  const secret = visitorSecret(call);
  return ({ uuid }) => secret !== undefined && isVisitorsJob(uuid, secret);
}

function follower(stream: EventStream, isShown: ReturnType<typeof jobFilter>): JobFollower {
  return {
    pending: (jobs) =>
      stream.send(
        'pending',
        jobs.filter(isShown).map(({ uuid: id, status }) => ({ id, status })),
      ),
    job: ({ job, skin }) => {
      if (isShown(job))
        stream.send('job', { id: job.uuid, status: job.status, ...(skin && { skin: skin.uuid }) });
    },
    end: () => void stream.end(),
  };
}

export const retryJobFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/jobs/:jobId/retry',
  isFor: 'callers',
  scopes: ['generate'],
  params: z.object({ jobId: z.string().max(64) }),
  handle: async (call) => {
    const input = { uuid: call.params.jobId, visitor: visitorSecret(call) };
    const { job } = await retryJob(call.context, call.caller, input);
    return seeOther(`/ui/jobs/${job.uuid}`);
  },
});
