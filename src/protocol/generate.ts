import { z } from 'zod';
import {
  envelopeSchema,
  noteSchema,
  rateLimitSchema,
  receivedEnvelopeSchema,
  usageSchema,
} from './envelope.ts';
import { jobSchema, receivedJobSchema } from './job.ts';
import {
  receivedSkinSchema,
  SKIN_NAME_RULE,
  skinNameSchema,
  skinSchema,
  uuidSchema,
  variantSchema,
  visibilitySchema,
} from './skin.ts';

/** Maximum characters of an http(s) URL in a request. */
export const MAX_URL_LENGTH = 256;
/** Maximum characters of a `data:` URL: the base64 of a picture of about 20,000 bytes. */
export const MAX_DATA_URL_LENGTH = 26_668;
export const DATA_URL_PREFIX = 'data:image/png;base64,';

/** Maximum seconds that a caller may have POST /v2/generate wait for the skin. */
export const MAX_WAIT_SECONDS = 30;
/** Seconds it waits if the caller does not say: once a worker has taken the job, and in total. */
export const DEFAULT_WAIT_SECONDS = 10;
export const MAX_TOTAL_WAIT_SECONDS = 60;

/** A caller's name for a submission, so that repeating the request does not submit twice. */
export const idempotencyKeySchema = z
  .string()
  .regex(/^[\x20-\x7e]{1,255}$/, '1 to 255 printable ASCII characters');

/** URL that the service calls when the job ends, see docs/webhooks.md. */
const callbackSchema = z
  .string()
  .max(MAX_URL_LENGTH, `at most ${MAX_URL_LENGTH} characters`)
  .refine(isPlainWebUrl, 'an http or https URL without user name and password');

function isPlainWebUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes', 'on'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'off', ''].map((word) => [word, false] as const),
]);

/** Yes or no, as clients write it in JSON, forms and queries. */
const flagSchema = z
  .union([z.boolean(), z.number(), z.string()])
  .transform((given) => FLAGS.get(String(given).trim().toLowerCase()))
  .refine((known) => known !== undefined, 'true or false');
const SECONDS = `seconds, from 1 to ${MAX_WAIT_SECONDS}`;

/**
 * Options of a generation. An empty string counts as absent, because HTML forms and many clients send unset
 * options that way. `variant` is validated separately, since it has its own error code.
 */
export const generateOptionsSchema = z.object({
  variant: z.string().optional(),
  visibility: z
    .union([visibilitySchema, z.literal('').transform(() => undefined)], {
      error: 'public, unlisted or private',
    })
    .optional(),
  name: z.union([skinNameSchema, z.literal('').transform(() => undefined)], SKIN_NAME_RULE).optional(),
  cape: z
    .union([uuidSchema, z.literal('').transform(() => undefined)], { error: 'the UUID of a cape' })
    .optional(),
  callback: z.union([z.literal('').transform(() => undefined), callbackSchema]).optional(),
  checkOnly: flagSchema.optional(),
});

export const generateQuerySchema = z.object({
  timeout: z.coerce
    .number(SECONDS)
    .min(1, SECONDS)
    .max(MAX_WAIT_SECONDS, SECONDS)
    .optional()
    .meta({
      description: `Seconds to wait. Default: ${DEFAULT_WAIT_SECONDS} from when the turn of the job has come`,
    }),
  checkOnly: generateOptionsSchema.shape.checkOnly,
});

export type GenerateOptions = z.infer<typeof generateOptionsSchema>;

/** Maximum generations in one POST /v2/queue/batch. */
const MAX_BATCH_SIZE = 24;
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
const receivedItemSchema = z.object({
  success: z.boolean(),
  job: receivedJobSchema.nullish().transform((job) => job ?? undefined),
  skin: receivedSkinSchema.nullish().transform((skin) => skin ?? undefined),
  errors: receivedEnvelopeSchema.shape.errors,
  warnings: receivedEnvelopeSchema.shape.warnings,
});
export type ReceivedBatchItem = z.infer<typeof receivedItemSchema>;

const receivedBatchAnswerSchema = receivedEnvelopeSchema.extend({ batch: z.array(receivedItemSchema) });

/** The answer to so many submissions. */
export function receivedBatchAnswerOf(count: number) {
  return receivedBatchAnswerSchema.refine(({ batch }) => batch.length === count, {
    path: ['batch'],
    message: 'does not have one result per item',
  });
}
