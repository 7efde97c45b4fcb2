import { z } from 'zod';
import { isPending, JOB_STATUSES } from '../../../../protocol/job.ts';
import { jobsPage, type OwnJob } from '../../../pages/views/jobs.ts';
import type { ListedJob } from '../../../queue/port.ts';
import type { ServiceContext } from '../../../service/context.ts';
import { expectedEnd } from '../../../service/forecast/expected-end.ts';
import type { JobFollower } from '../../../service/jobs/job-feed.ts';
import { followJobs } from '../../../service/jobs/job-feeds.ts';
import { listJobs } from '../../../service/jobs/jobs.ts';
import { retryJob } from '../../../service/submitting/retry.ts';
import { EVENT_STREAM_HEADERS, EventStream } from '../../event-stream.ts';
import { pageRoute, seeOther } from '../../pages/page-route.ts';
import { verifyMaySee } from '../../pages/same-site.ts';
import { jobErrors } from '../../views.ts';

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
    after: z.string().max(64).optional(),
  }),
  handle: async ({ context, caller, request, query: { status, after } }) => {
    verifyMaySee(caller, request, context.webPages);
    const list = await listJobs(context, caller, { status: status || undefined, after, size: SIZE });
    const { next, total } = list;
    const view = { status, next, total, isFirst: after === undefined, origin: context.publicUrl() };
    return jobsPage({ ...view, jobs: await ownJobs(context, list.jobs), now: context.clock.now() });
  },
});

/** The pending jobs that come first get their expected ends. */
async function ownJobs(context: ServiceContext, jobs: readonly ListedJob[]): Promise<OwnJob[]> {
  const pending = jobs.filter(({ status }) => isPending(status)).slice(-FORETOLD);
  const etas = new Map<string, number | undefined>();
  for (const { uuid } of pending) {
    const job = await context.queue.find(uuid);
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
  handle: async ({ context, caller, request, verify }) => {
    verifyMaySee(caller, request, context.webPages);
    if (request.method === 'HEAD') return { status: 200, body: undefined, headers: EVENT_STREAM_HEADERS };
    const stream = new EventStream({ greeting: 'your jobs', request, clock: context.clock });
    const stop = await followJobs(context, caller, follower(stream));
    stream.whenGone(stop);
    stream.whenGone(context.openRequests.hold(verify, () => void stream.end()));
    void stream.beat();
    return { status: 200, headers: EVENT_STREAM_HEADERS, body: stream.body };
  },
});

function follower(stream: EventStream): JobFollower {
  return {
    pending: (jobs) =>
      stream.send(
        'pending',
        jobs.map(({ uuid: id, status }) => ({ id, status })),
      ),
    job: ({ job, skin }) =>
      stream.send('job', { id: job.uuid, status: job.status, ...(skin && { skin: skin.uuid }) }),
    end: () => void stream.end(),
  };
}

export const retryJobFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/jobs/:jobId/retry',
  isFor: 'callers',
  scopes: ['generate'],
  params: z.object({ jobId: z.string().max(64) }),
  handle: async ({ context, caller, params }) => {
    const { job } = await retryJob(context, caller, { uuid: params.jobId });
    return seeOther(`/ui/jobs/${job.uuid}`);
  },
});
