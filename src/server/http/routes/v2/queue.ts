import { z } from 'zod';
import { envelopeSchema, errorAnswerSchema, type Note } from '../../../../protocol/envelope.ts';
import { generateQuerySchema } from '../../../../protocol/generate.ts';
import { jobAnswerSchema, jobListAnswerSchema } from '../../../../protocol/job.ts';
import { listJobs, readJob } from '../../../service/jobs.ts';
import { readRateLimit } from '../../../service/rate-limit.ts';
import { submit } from '../../../service/submit.ts';
import type { JobRow } from '../../../store/tables.ts';
import { generateBodies } from '../../generate-bodies.ts';
import { readGenerateRequest } from '../../generate-request.ts';
import { route } from '../../route.ts';
import { envelope, jobView, rateLimitHeaders, skinView } from '../../views.ts';

const MESSAGES = {
  waiting: { code: 'job_pending', message: 'The job is pending.' },
  processing: { code: 'job_pending', message: 'The job is pending.' },
  completed: { code: 'job_completed', message: 'The job is completed.' },
  failed: { code: 'job_failed', message: 'The job failed.' },
} as const satisfies Record<JobRow['status'], Note>;

export const submitRoute = route({
  method: 'POST',
  paths: ['/v2/queue', '/queue'],
  summary: 'Queue a generation; answers at once with a job, or with the skin when it exists already',
  query: generateQuerySchema.pick({ checkOnly: true }),
  bodies: generateBodies,
  answers: {
    200: jobAnswerSchema,
    202: jobAnswerSchema,
    400: errorAnswerSchema,
    429: errorAnswerSchema,
    500: errorAnswerSchema,
  },
  handle: async (call) => {
    const { context, caller } = call;
    const { wish, warnings } = await readGenerateRequest(call.request, call.query);
    const submitted = await submit(context, { caller, ...wish });
    const { job } = submitted;
    const rateLimit = await readRateLimit(context.db, caller, context.clock.now());
    const headers = rateLimitHeaders(rateLimit, { retry: false });
    const talk = { warnings: [...call.warnings, ...warnings, ...submitted.warnings], links: linksOf(job) };
    const rest = { rateLimit, usage: {} };
    if (submitted.kind === 'known') {
      const messages = [{ code: 'skin_found', message: 'Found an existing skin.' }];
      const skin = skinView(submitted.skin, true);
      return {
        status: 200,
        headers,
        body: { ...envelope({ ...talk, messages }), job: jobView(job), skin, ...rest },
      };
    }
    const messages = [{ code: 'job_queued', message: 'The job is queued.' }];
    return {
      status: 202,
      headers,
      body: { ...envelope({ ...talk, messages }), job: jobView(job, submitted.eta), ...rest },
    };
  },
});

export const jobRoute = route({
  method: 'GET',
  paths: ['/v2/queue/:jobId', '/queue/:jobId'],
  summary: 'Where a job stands, with its skin once it is completed',
  params: z.object({ jobId: z.string().max(64) }),
  answers: { 200: jobAnswerSchema, 404: errorAnswerSchema },
  handle: async ({ context, caller, params, warnings }) => {
    const { job, skin } = await readJob(context, caller, params.jobId);
    const failed = job.status === 'failed';
    const errors = failed ? [{ code: job.error_code ?? 'job_failed', message: job.error_message ?? '' }] : [];
    const talk = { warnings, errors, messages: [MESSAGES[job.status]], links: linksOf(job) };
    const body = { ...envelope(talk), job: jobView(job), ...(skin && { skin: skinView(skin) }) };
    return { status: 200, body };
  },
});

export const jobListRoute = route({
  method: 'GET',
  paths: ['/v2/queue', '/queue'],
  summary: "The caller's jobs, newest first",
  answers: { 200: jobListAnswerSchema.extend(envelopeSchema.shape) },
  handle: async ({ context, caller, warnings }) => {
    const jobs = await listJobs(context, caller);
    const body = {
      ...envelope({ warnings, links: { self: '/v2/queue' } }),
      jobs: jobs.map((job) => jobView(job)),
    };
    return { status: 200, body };
  },
});

function linksOf(job: JobRow): Record<string, string> {
  const self = `/v2/queue/${job.uuid}`;
  return { self, job: self, ...(job.skin_uuid !== null && { skin: `/v2/skins/${job.skin_uuid}` }) };
}
