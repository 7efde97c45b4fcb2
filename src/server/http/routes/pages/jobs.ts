import { z } from 'zod';
import { jobPage } from '../../../pages/views/job.ts';
import type { JobWithSkin } from '../../../queue/lists.ts';
import type { Caller } from '../../../service/callers/caller.ts';
import type { ServiceContext } from '../../../service/context.ts';
import { readJob, waitForChange } from '../../../service/jobs/jobs.ts';
import { dataAnswer, pageRoute, seeOther } from '../../pages/page-route.ts';
import { jobErrors } from '../../views.ts';

const params = z.object({ jobId: z.string().max(64) });
/** Milliseconds that the page waits for the skin, so that mostly nobody has to look again. */
const PAGE_WAIT = 5_000;
/** Milliseconds that a page's script waits for news. */
const NEWS_WAIT = 20_000;

export const jobPageRoute = pageRoute({
  method: 'GET',
  path: '/ui/jobs/:jobId',
  isFor: 'callers',
  scopes: ['read'],
  params,
  handle: async ({ context, caller, params }) => {
    const { job, skin } = await endedJob(context, caller, params.jobId);
    if (skin) return seeOther(`/ui/skins/${skin.uuid}`);
    const { uuid, status } = job;
    return jobPage({ uuid, status, error: jobErrors(job)[0], origin: context.publicUrl() });
  },
});

async function endedJob(context: ServiceContext, caller: Caller, uuid: string): Promise<JobWithSkin> {
  const found = await readJob(context, caller, uuid);
  if (found.job.status === 'completed' || found.job.status === 'failed') return found;
  return await waitForChange(context, found.job, { ms: PAGE_WAIT, untilEnd: true });
}

export const jobStateRoute = pageRoute({
  method: 'GET',
  path: '/ui/jobs/:jobId/state',
  isFor: 'callers',
  scopes: ['read'],
  params,
  query: z.object({ seen: z.enum(['', 'waiting', 'processing']).default('') }),
  handle: async ({ context, caller, params, query }) => {
    const found = await readJob(context, caller, params.jobId);
    const isNews = found.job.status !== query.seen;
    return dataAnswer(
      200,
      stateOf(isNews ? found : await waitForChange(context, found.job, { ms: NEWS_WAIT })),
    );
  },
});

function stateOf({ job, skin }: JobWithSkin): object {
  const [error] = jobErrors(job);
  if (!skin) return { status: job.status, ...(error && { error }) };
  const { uuid, value, signature, url } = skin;
  return { status: job.status, skin: { uuid, value, signature, url } };
}
