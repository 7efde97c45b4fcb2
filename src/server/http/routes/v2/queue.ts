import { z } from 'zod';
import { envelopeSchema, errorAnswerSchema, type Note } from '../../../../protocol/envelope.ts';
import { generateQuerySchema } from '../../../../protocol/generate.ts';
import { jobAnswerSchema, jobListAnswerSchema, jobListQuerySchema } from '../../../../protocol/job.ts';
import {
  type JobList,
  type JobListQuery,
  listJobs,
  listNewestJobs,
  readJob,
} from '../../../service/jobs/jobs.ts';
import { rateLimitAfter, type Submitted } from '../../../service/submitting/answering.ts';
import { submit } from '../../../service/submitting/submit.ts';
import { readGenerateRequest } from '../../generate-request.ts';
import { generateBodies, generateHeaders } from '../../generate-schemas.ts';
import { EVENTS_LINK, jobBody, jobLinks } from '../../job-answers.ts';
import { route } from '../../route.ts';
import { envelope, jobView, rateLimitHeaders, skinView } from '../../views.ts';

export const submitRoute = route({
  method: 'POST',
  scopes: ['generate'],
  paths: ['/v2/queue', '/queue'],
  summary: 'Queue a generation; answers at once with a job, or with the skin when it exists already',
  isLimited: true,
  query: generateQuerySchema.pick({ checkOnly: true }),
  headers: generateHeaders,
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
    const { wish, warnings } = await readGenerateRequest(call.request, call);
    const submitted = await submit(context, { caller, via: 'queue', ...wish });
    const { status, body } = submissionAnswer(submitted, [...call.warnings, ...warnings]);
    const rateLimit = await rateLimitAfter(context, caller, submitted);
    const headers = rateLimitHeaders(rateLimit, { retry: false });
    return { status, headers, body: { ...body, rateLimit, usage: {} } };
  },
});

/** 202 while the job is pending. */
function submissionAnswer(submitted: Submitted, general: readonly Note[]): { status: number; body: object } {
  const { job } = submitted;
  const warnings = [...general, ...submitted.warnings];
  if (submitted.kind === 'ended') return { status: 200, body: jobBody(submitted, warnings) };
  if (submitted.kind === 'known') {
    const messages = [{ code: 'skin_found', message: 'Found an existing skin.' }];
    const talk = envelope({ warnings, messages, links: jobLinks(job) });
    return { status: 200, body: { ...talk, job: jobView(job), skin: skinView(submitted.skin, true) } };
  }
  const messages = [{ code: 'job_queued', message: 'The job is queued.' }];
  const talk = envelope({ warnings, messages, links: jobLinks(job) });
  return { status: 202, body: { ...talk, job: jobView(job, submitted.eta) } };
}

export const jobRoute = route({
  method: 'GET',
  scopes: ['read'],
  paths: ['/v2/queue/:jobId', '/queue/:jobId'],
  summary: 'Where a job stands, with its skin once it is completed',
  params: z.object({ jobId: z.string().max(64) }),
  answers: { 200: jobAnswerSchema, 404: errorAnswerSchema, 429: errorAnswerSchema },
  handle: async ({ context, caller, params, warnings }) => ({
    status: 200,
    body: jobBody(await readJob(context, caller, params.jobId), warnings),
  }),
});

export const jobListRoute = route({
  method: 'GET',
  scopes: ['read'],
  paths: ['/v2/queue', '/queue'],
  summary: "The caller's jobs, newest first; links.next leads on to the end",
  query: jobListQuerySchema,
  answers: { 200: jobListAnswerSchema.extend(envelopeSchema.shape), 400: errorAnswerSchema },
  handle: async ({ context, caller, query, warnings }) => {
    const isPaged = Object.values(query).some((value) => value !== undefined);
    const list = isPaged ? await listJobs(context, caller, query) : await listNewestJobs(context, caller);
    const links = { self: '/v2/queue', ...nextLink(list, query), ...EVENTS_LINK };
    const body = { ...envelope({ warnings, links }), jobs: list.jobs.map((job) => jobView(job)) };
    return { status: 200, body };
  },
});

function nextLink({ next, size }: JobList, { status }: JobListQuery): { next?: string } {
  if (next === undefined) return {};
  const parts = new URLSearchParams({ size: String(size), ...(status && { status }), after: next });
  return { next: `/v2/queue?${parts}` };
}
