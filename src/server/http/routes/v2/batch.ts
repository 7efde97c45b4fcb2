import {
  type BatchItem,
  batchAnswerSchema,
  batchBodySchema,
  describedBatchSchema,
  MAX_BATCH_BYTES,
} from '../../../../protocol/batch.ts';
import { errorAnswerSchema } from '../../../../protocol/envelope.ts';
import { generateQuerySchema } from '../../../../protocol/generate.ts';
import { readRateLimit } from '../../../service/limits/rate-limit.ts';
import type { Submitted } from '../../../service/submitting/answering.ts';
import { itemKey, verifyBatchAllowed } from '../../../service/submitting/batch.ts';
import type { GenerationRequest } from '../../../service/submitting/generation-request.ts';
import { readMaterial, submitMaterial } from '../../../service/submitting/submit.ts';
import type { Material } from '../../../sources/source.ts';
import { asRefusal } from '../../error-answers.ts';
import { readWish } from '../../generate-request.ts';
import { generateHeaders } from '../../generate-schemas.ts';
import { EVENTS_LINK, jobErrors } from '../../job-answers.ts';
import { type Call, route } from '../../route.ts';
import { envelope, jobView, rateLimitHeaders, skinView } from '../../views.ts';

type BatchCall = Call<
  unknown,
  { checkOnly?: boolean | undefined },
  { 'idempotency-key'?: string | undefined }
>;

export const batchRoute = route({
  method: 'POST',
  scopes: ['generate'],
  paths: ['/v2/queue/batch'],
  summary: 'Queue up to 24 generations; each is taken or refused by itself, in their order',
  isLimited: true,
  query: generateQuerySchema.pick({ checkOnly: true }),
  headers: generateHeaders,
  bodies: { 'application/json': describedBatchSchema },
  bodyLimit: MAX_BATCH_BYTES,
  answers: {
    202: batchAnswerSchema,
    400: errorAnswerSchema,
    403: errorAnswerSchema,
    429: errorAnswerSchema,
    500: errorAnswerSchema,
  },
  handle: async (call) => {
    const { context, caller, warnings, request } = call;
    const { batch } = batchBodySchema.parse(request.body ?? {});
    await verifyBatchAllowed(context, caller, batch.length);
    const items: BatchItem[] = [];
    // In order: the first items get the spots.
    for (const item of readItems(call, batch)) items.push(await submitItem(call, await item));
    const rateLimit = await readRateLimit(context.db, caller, context.clock.now());
    const links = { self: '/v2/queue', ...EVENTS_LINK };
    const body = { ...envelope({ warnings, links }), batch: items, rateLimit, usage: {} };
    return { status: 202, body, headers: rateLimitHeaders(rateLimit, { retry: false }) };
  },
});

/** An item with its input, or the error from reading it. */
type ReadItem =
  | { readonly request: GenerationRequest; readonly material: Material }
  | { readonly error: unknown };

/** Number of items to fetch at the same time, so that the waits for slow hosts overlap. */
const READ_AT_ONCE = 6;

function readItems(
  call: BatchCall,
  batch: readonly Readonly<Record<string, unknown>>[],
): Promise<ReadItem>[] {
  const items = batch.map((fields) => ({ fields, ...Promise.withResolvers<ReadItem>() }));
  const waiting = items.entries();
  const read = async () => {
    for (const [index, { fields, resolve }] of waiting) resolve(await readItem(call, fields, index));
  };
  for (let reader = 0; reader < READ_AT_ONCE; reader++) void read();
  return items.map(({ promise }) => promise);
}

async function readItem(
  { context, caller, query, headers }: BatchCall,
  fields: Readonly<Record<string, unknown>>,
  index: number,
): Promise<ReadItem> {
  try {
    const wish = readWish({ fields, isMultipart: false }, query);
    const idempotencyKey = itemKey(headers['idempotency-key'], index);
    const request = { caller, via: 'queue', ...wish, idempotencyKey, inBatch: true } as const;
    return { request, material: await readMaterial(context, request) };
  } catch (error) {
    return { error };
  }
}

async function submitItem(call: BatchCall, item: ReadItem): Promise<BatchItem> {
  if ('error' in item) return refusedItem(call, item.error);
  try {
    return takenItem(await submitMaterial(call.context, item.request, item.material));
  } catch (error) {
    return refusedItem(call, error);
  }
}

function refusedItem({ context, request }: BatchCall, error: unknown): BatchItem {
  const refusal = asRefusal(error);
  context.observer.refused(refusal.code);
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
