import { errorAnswerSchema } from '../../../../protocol/envelope.ts';
import type { JobFollower } from '../../../service/jobs/job-feed.ts';
import { followJobs } from '../../../service/jobs/job-feeds.ts';
import { verifyMayFollow } from '../../../service/jobs/jobs.ts';
import { EVENT_STREAM_HEADERS, EventStream } from '../../event-stream.ts';
import { jobBody } from '../../job-answers.ts';
import { type Call, route } from '../../route.ts';
import { jobView } from '../../views.ts';

export const queueEventsRoute = route({
  method: 'GET',
  scopes: ['read'],
  verifyCaller: verifyMayFollow,
  paths: ['/v2/queue/events', '/queue/events'],
  summary: "The caller's jobs as server-sent events: the pending ones, then each as it is accepted and ends",
  answers: { 200: 'text/event-stream', 429: errorAnswerSchema, 503: errorAnswerSchema },
  handle: async (call) => {
    const { request, context } = call;
    const stream = new EventStream({ greeting: "the caller's jobs", request, clock: context.clock });
    const stop = await followJobs(call.context, call.caller, follower(stream, call));
    stream.whenGone(stop);
    stream.whenGone(call.context.openRequests.hold(call.verify, () => void stream.end()));
    void stream.beat();
    return { status: 200, headers: EVENT_STREAM_HEADERS, body: stream.body };
  },
});

function follower(stream: EventStream, { warnings }: Call): JobFollower {
  return {
    pending: (jobs) => stream.send('jobs', { jobs: jobs.map((job) => jobView(job)) }),
    job: (job) => stream.send('job', jobBody(job, warnings)),
    end: () => void stream.end(),
  };
}
