import { z } from 'zod';
import { envelopeSchema, noteSchema, rateLimitSchema, seenEnvelopeSchema, usageSchema } from './envelope.ts';
import { generateOptionsSchema, MAX_DATA_URL_LENGTH } from './generate.ts';
import { jobSchema, seenJobSchema } from './job.ts';
import { seenSkinSchema } from './seen-skin.ts';
import { skinSchema, variantSchema } from './skin.ts';

/** Maximum generations in one POST /v2/queue/batch. */
export const MAX_BATCH_SIZE = 24;
/** Maximum bytes of such a body: every item a `data:` URL of maximum length, with options. */
export const MAX_BATCH_BYTES = MAX_BATCH_SIZE * (MAX_DATA_URL_LENGTH + 2_048);

/** Only the shape: an invalid item gets an answer of its own. */
export const batchBodySchema = z.object({
  batch: z
    .array(z.record(z.string(), z.unknown()), `a list of 1 to ${MAX_BATCH_SIZE} generations`)
    .min(1, 'at least one generation')
    .max(MAX_BATCH_SIZE, `at most ${MAX_BATCH_SIZE} generations`),
});

const item = generateOptionsSchema.extend({ variant: variantSchema.optional() });

/** The same, for the API description. */
export const describedBatchSchema = z.object({
  batch: z
    .array(z.union([item.extend({ url: z.string() }), item.extend({ user: z.string() })]))
    .min(1)
    .max(MAX_BATCH_SIZE),
});

/** The result of an item. `job`: accepted; `skin`: it already exists; `errors`: why it was refused. */
const itemSchema = z.object({
  success: z.boolean(),
  job: jobSchema.optional(),
  skin: skinSchema.optional(),
  errors: z.array(noteSchema).optional(),
  /** Our addition. */
  warnings: z.array(noteSchema).optional(),
});
export type BatchItem = z.infer<typeof itemSchema>;

export const batchAnswerSchema = envelopeSchema.extend({
  batch: z.array(itemSchema),
  rateLimit: rateLimitSchema.optional(),
  usage: usageSchema.optional(),
});

/** The same as a client reads it. */
const seenItemSchema = z.object({
  success: z.boolean(),
  job: seenJobSchema.nullish().transform((job) => job ?? undefined),
  skin: seenSkinSchema.nullish().transform((skin) => skin ?? undefined),
  errors: seenEnvelopeSchema.shape.errors,
  warnings: seenEnvelopeSchema.shape.warnings,
});
export type SeenBatchItem = z.infer<typeof seenItemSchema>;

const seenBatchAnswerSchema = seenEnvelopeSchema.extend({ batch: z.array(seenItemSchema) });

/** The answer to so many submissions. */
export function seenBatchAnswerOf(count: number) {
  return seenBatchAnswerSchema.refine(({ batch }) => batch.length === count, {
    path: ['batch'],
    message: 'does not have one result per item',
  });
}
