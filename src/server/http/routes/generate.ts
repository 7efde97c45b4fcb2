import { errorAnswerSchema } from '../../../protocol/envelope.ts';
import {
  type BatchItem,
  batchAnswerSchema,
  batchBodySchema,
  describedBatchSchema,
  generateQuerySchema,
  MAX_BATCH_BYTES,
} from '../../../protocol/generate.ts';
import { generateAnswerSchema } from '../../../protocol/job.ts';
import { awaitSkin, DEFAULT_PATIENCE, type JobPatience } from '../../service/jobs/jobs.ts';
import { asRateLimitRefusal, readRateLimit } from '../../service/limits.ts';
import { asRefusal } from '../../service/refusal.ts';
import { rateLimitAfter, type Submitted } from '../../service/submitting/answering.ts';
import { submitBatch, verifyMayBatch } from '../../service/submitting/batch.ts';
import { submit } from '../../service/submitting/submit.ts';
import { generateBodies, generateHeaders, readGenerateRequest, readInput } from '../bodies.ts';
import { type Call, route } from '../route.ts';
import { EVENTS_LINK, envelope, jobErrors, jobView, rateLimitHeaders, skinView } from '../views.ts';

/**
 * A request without a timeout also waits for the job's turn, because plugins send several at once to a queue that
 * handles one after the other.
 */
function patienceFor(seconds: number | undefined): JobPatience {
  return seconds === undefined ? DEFAULT_PATIENCE : { total: seconds * 1000 };
}

export const generateRoute = route({
  method: 'POST',
  scopes: ['generate'],
  paths: ['/v2/generate'],
  summary: 'Generate a skin from a file, a URL or a player, and wait for it',
  isLimited: true,
  query: generateQuerySchema,
  headers: generateHeaders,
  bodies: generateBodies,
  answers: {
    200: generateAnswerSchema,
    400: errorAnswerSchema,
    429: errorAnswerSchema,
    500: errorAnswerSchema,
  },
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
      messages: isKnown
        ? [{ code: 'skin_found', message: 'Found an existing skin.' }]
        : [{ code: 'skin_generated', message: 'The skin was generated.' }],
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

export const batchRoute = route({
  method: 'POST',
  scopes: ['generate'],
  paths: ['/v2/queue/batch'],
  summary: 'Queue up to 24 generations; each is accepted or refused by itself, in order',
  isLimited: true,
  query: generateQuerySchema.pick({ checkOnly: true }),
  headers: generateHeaders,
  bodies: { 'application/json': describedBatchSchema },
  bodyLimit: MAX_BATCH_BYTES,
  verifyCaller: verifyMayBatch,
  answers: {
    202: batchAnswerSchema,
    400: errorAnswerSchema,
    403: errorAnswerSchema,
    429: errorAnswerSchema,
    500: errorAnswerSchema,
  },
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
});

function refusedItem({ context, request }: Call, error: unknown): BatchItem {
  const refusal = asRefusal(error);
  context.events.emit('refused', refusal.code);
  if (refusal.code === 'internal_error') request.report(refusal.cause ?? refusal, 'batch');
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
