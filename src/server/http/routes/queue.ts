import { z } from 'zod';
import { envelopeSchema, errorAnswerSchema, type Note } from '../../../protocol/envelope.ts';
import {
  type BatchItem,
  batchAnswerSchema,
  batchBodySchema,
  describedBatchSchema,
  generateQuerySchema,
  MAX_BATCH_BYTES,
} from '../../../protocol/generate.ts';
import {
  generateAnswerSchema,
  jobAnswerSchema,
  jobListAnswerSchema,
  jobListQuerySchema,
  type WireJob,
} from '../../../protocol/job.ts';
import { followJobs, type JobFollower } from '../../service/jobs/job-feeds.ts';
import {
  awaitSkin,
  DEFAULT_PATIENCE,
  type JobListQuery,
  type JobPatience,
  type ListedJobs,
  listJobs,
  listNewestJobs,
  readJob,
  verifyMayFollow,
} from '../../service/jobs/jobs.ts';
import { asRateLimitRefusal, readRateLimit } from '../../service/limits.ts';
import { asRefusal } from '../../service/refusal.ts';
import { rateLimitAfter, type Submitted } from '../../service/submitting/answering.ts';
import { retryJob, submit, submitBatch, verifyMayBatch } from '../../service/submitting/submit.ts';
import { generateBodies, generateHeaders, readGenerateRequest, readInput } from '../bodies.ts';
import { EVENT_STREAM_HEADERS, EventStream } from '../event-stream.ts';
import { type Answer, type Call, EVENT_STREAM, type Route, route } from '../route.ts';
import {
  EVENTS_LINK,
  envelope,
  jobBody,
  jobErrors,
  jobLinks,
  jobView,
  listedJobView,
  rateLimitHeaders,
  skinView,
  v2Answer,
} from '../views.ts';

const SKIN_FOUND: Note = { code: 'skin_found', message: 'Found an existing skin.' };

export const generateRoute = route('POST /v2/generate', {
  scopes: ['generate'],
  summary: 'Generate a skin from a file, a URL or a player, and wait for it',
  isLimited: true,
  query: generateQuerySchema,
  headers: generateHeaders,
  bodies: generateBodies,
  answers: { 200: generateAnswerSchema },
  handle: async (call) => {
    const { context, caller, query } = call;
    const { input, warnings } = await readGenerateRequest(call.request, call);
    const submitted = await submit(context, { caller, via: 'queue', ...input }).catch((error: unknown) => {
      throw asRateLimitRefusal(asRefusal(error));
    });
    const isKnown = submitted.kind === 'known';
    const { job } = submitted;
    const skin = isKnown
      ? submitted.skin
      : await awaitSkin(context, { caller, job }, patienceFor(query.timeout));
    const rateLimit = await readRateLimit(context.db, caller, context.clock.now());
    const notes = {
      warnings: [...call.warnings, ...warnings, ...submitted.warnings],
      messages: [isKnown ? SKIN_FOUND : { code: 'skin_generated', message: 'The skin was generated.' }],
      links: {
        self: `/v2/skins/${skin.uuid}`,
        skin: `/v2/skins/${skin.uuid}`,
        job: `/v2/queue/${job.uuid}`,
        ...EVENTS_LINK,
      },
    };
    const duplicate = submitted.kind === 'ended' ? undefined : isKnown;
    const body = { ...envelope(notes), skin: skinView(skin, duplicate), rateLimit, usage: {} };
    return { status: 200, body, headers: rateLimitHeaders(rateLimit, { retry: false }) };
  },
});

export const QUEUE_ROUTES: readonly Route[] = [
  route('POST /v2/queue/batch', {
    scopes: ['generate'],
    summary: 'Queue up to 24 generations; each is accepted or refused by itself, in order',
    isLimited: true,
    query: generateQuerySchema.pick({ checkOnly: true }),
    headers: generateHeaders,
    bodies: { 'application/json': describedBatchSchema },
    bodyLimit: MAX_BATCH_BYTES,
    verifyCaller: verifyMayBatch,
    answers: { 202: batchAnswerSchema },
    handle: async (call) => {
      const { context, caller, warnings, request, query, headers } = call;
      const { batch } = batchBodySchema.parse(request.body ?? {});
      const results = await submitBatch(context, {
        caller,
        inputs: batch.map((fields) => () => readInput({ fields, isMultipart: false }, query)),
        idempotencyKey: headers['idempotency-key'],
      });
      const items = results.map((result) =>
        'error' in result ? refusedItem(call, result.error) : takenItem(result.submitted),
      );
      const submitted = results.flatMap((result) => ('submitted' in result ? [result.submitted] : []));
      const rateLimit = await rateLimitAfter(context, caller, submitted);
      const links = { self: '/v2/queue', ...EVENTS_LINK };
      const body = { ...envelope({ warnings, links }), batch: items, rateLimit, usage: {} };
      return { status: 202, body, headers: rateLimitHeaders(rateLimit, { retry: false }) };
    },
  }),
  route('POST /v2/queue', {
    scopes: ['generate'],
    alsoAt: ['/queue'],
    summary: 'Queue a generation; answers at once with a job, or with the skin if it already exists',
    isLimited: true,
    query: generateQuerySchema.pick({ checkOnly: true }),
    headers: generateHeaders,
    bodies: generateBodies,
    answers: { 200: jobAnswerSchema, 202: jobAnswerSchema },
    handle: async (call) => {
      const { context, caller } = call;
      const { input, warnings } = await readGenerateRequest(call.request, call);
      const submitted = await submit(context, { caller, via: 'queue', ...input });
      return await answerToSubmission(call, submitted, [...call.warnings, ...warnings]);
    },
  }),
  route('GET /v2/queue', {
    scopes: ['read'],
    verifyCaller: verifyMayFollow,
    alsoAt: ['/queue'],
    summary:
      "The caller's jobs, newest first; with size, status or after, also the source, end and error of each",
    query: jobListQuerySchema,
    answers: { 200: jobListAnswerSchema.extend(envelopeSchema.shape) },
    handle: async (call) => {
      const { query, warnings } = call;
      const isPaged = Object.values(query).some((value) => value !== undefined);
      const { jobs, total, ...list } = isPaged ? await pageOf(call) : await newestOf(call);
      const links = { self: '/v2/queue', ...nextLink(list, query), ...EVENTS_LINK };
      return v2Answer({ warnings, links }, { jobs, ...(total !== undefined && { total }) });
    },
  }),
  route('GET /v2/queue/events', {
    scopes: ['read'],
    verifyCaller: verifyMayFollow,
    alsoAt: ['/queue/events'],
    summary: "The caller's jobs as server-sent events: the pending ones, then each that is accepted or ends",
    answers: { 200: EVENT_STREAM },
    handle: async (call) => {
      const { request, context } = call;
      const stream = new EventStream({ greeting: "the caller's jobs", request, clock: context.clock });
      const stop = await followJobs(call.context, call.caller, follower(stream, call));
      stream.whenGone(stop);
      stream.whenGone(call.context.openRequests.hold(call.verify, () => void stream.end()));
      void stream.beat();
      return { status: 200, headers: EVENT_STREAM_HEADERS, body: stream.body };
    },
  }),
  route('GET /v2/queue/:jobId', {
    scopes: ['read'],
    verifyCaller: verifyMayFollow,
    alsoAt: ['/queue/:jobId'],
    summary: 'The state of a job, with its skin once completed',
    params: z.object({ jobId: z.string().max(64) }),
    answers: { 200: jobAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params, warnings }) => ({
      status: 200,
      body: jobBody(await readJob(context, caller, params.jobId), warnings),
    }),
  }),
  route('POST /v2/queue/:jobId/retry', {
    scopes: ['generate'],
    summary: 'Submit a failed job again as a new job for the same picture; its callback is not called again',
    isLimited: true,
    params: z.object({ jobId: z.string().max(64) }),
    headers: generateHeaders,
    answers: { 200: jobAnswerSchema, 202: jobAnswerSchema, 404: errorAnswerSchema },
    handle: async (call) => {
      const { context, caller, params, headers } = call;
      const idempotencyKey = headers['idempotency-key'];
      const submitted = await retryJob(context, caller, { uuid: params.jobId, idempotencyKey });
      return await answerToSubmission(call, submitted, call.warnings);
    },
  }),
];

async function answerToSubmission(
  { context, caller }: Pick<Call, 'context' | 'caller'>,
  submitted: Submitted,
  warnings: readonly Note[],
): Promise<Answer> {
  const { status, body } = submissionAnswer(submitted, warnings);
  const rateLimit = await rateLimitAfter(context, caller, [submitted]);
  const headers = rateLimitHeaders(rateLimit, { retry: false });
  return { status, headers, body: { ...body, rateLimit, usage: {} } };
}

/** 202 while the job is pending. */
function submissionAnswer(submitted: Submitted, general: readonly Note[]): { status: number; body: object } {
  const { job } = submitted;
  const warnings = [...general, ...submitted.warnings];
  if (submitted.kind === 'ended') return { status: 200, body: jobBody(submitted, warnings) };
  const message =
    submitted.kind === 'known' ? SKIN_FOUND : { code: 'job_queued', message: 'The job is queued.' };
  const notes = envelope({ warnings, messages: [message], links: jobLinks(job) });
  if (submitted.kind === 'known')
    return { status: 200, body: { ...notes, job: jobView(job), skin: skinView(submitted.skin, true) } };
  return { status: 202, body: { ...notes, job: jobView(job, submitted.eta) } };
}

async function pageOf({ context, caller, query }: Call<unknown, JobListQuery>) {
  const list = await listJobs(context, caller, query);
  return { ...list, jobs: list.jobs.map(listedJobView) };
}

async function newestOf({ context, caller }: Call): Promise<Omit<ListedJobs, 'jobs'> & { jobs: WireJob[] }> {
  const list = await listNewestJobs(context, caller);
  return { ...list, jobs: list.jobs.map((job) => jobView(job)) };
}

function nextLink(
  { next, size }: Pick<ListedJobs, 'next' | 'size'>,
  { status }: JobListQuery,
): { next?: string } {
  if (next === undefined) return {};
  const parts = new URLSearchParams({ size: String(size), ...(status && { status }), after: next });
  return { next: `/v2/queue?${parts}` };
}

function follower(stream: EventStream, { warnings }: Call): JobFollower {
  return {
    pending: (jobs) => stream.send('jobs', { jobs: jobs.map((job) => jobView(job)) }),
    job: (job) => stream.send('job', jobBody(job, warnings)),
    end: () => void stream.end(),
  };
}

/**
 * A request without a timeout also waits for the job's turn, because plugins send several at once to a queue that
 * handles one after the other.
 */
function patienceFor(seconds: number | undefined): JobPatience {
  return seconds === undefined ? DEFAULT_PATIENCE : { total: seconds * 1000 };
}

function refusedItem({ context, request }: Call, error: unknown): BatchItem {
  const refusal = asRefusal(error);
  context.events.emit('refused', refusal.code);
  if (refusal.code === 'internal_error') request.log.error({ err: refusal.cause ?? refusal }, 'batch');
  const { notes = [] } = refusal.details;
  return { success: false, errors: [{ code: refusal.code, message: refusal.message }, ...notes] };
}

function takenItem(submitted: Submitted): BatchItem {
  const { job, warnings } = submitted;
  const errors = jobErrors(job);
  return {
    success: true,
    job: jobView(job, submitted.kind === 'pending' ? submitted.eta : undefined),
    ...(submitted.kind === 'known' && { skin: skinView(submitted.skin, true) }),
    ...(submitted.kind === 'ended' && submitted.skin && { skin: skinView(submitted.skin) }),
    ...(errors.length > 0 && { errors }),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
  };
}
