import { createHmac } from 'node:crypto';
import { z } from 'zod';
import {
  advice,
  adviceMoment,
  adviceNumber,
  envelopeSchema,
  noteSchema,
  rateLimitSchema,
  receivedEnvelopeSchema,
  usageSchema,
} from './envelope.ts';
import { receivedSkinSchema, skinSchema } from './skin.ts';

/** The states of a job. See the service's `queue/states.ts` for the transitions. */
export const JOB_STATUSES = ['waiting', 'processing', 'completed', 'failed'] as const;
/** `waiting` and `processing` jobs are pending; `completed` and `failed` ones never change again. */
export type JobStatus = (typeof JOB_STATUSES)[number];

/** As a client reads it: an unrecognized state becomes `unknown`, which counts as pending. */
export type ReceivedJobStatus = JobStatus | 'unknown';

/** Other services' words for a job that will never have a result. */
const FAILED_WORDS = [
  'error',
  'cancelled',
  'canceled',
  'aborted',
  'rejected',
  'expired',
  'timeout',
  'timed_out',
];
const OTHER_WORDS: ReadonlyMap<string, JobStatus> = new Map([
  ['active', 'processing'],
  ...FAILED_WORDS.map((word) => [word, 'failed'] as const),
]);

function readStatus(given: string): ReceivedJobStatus {
  const status = given.toLowerCase();
  return JOB_STATUSES.find((known) => known === status) ?? OTHER_WORDS.get(status) ?? 'unknown';
}

/** Times are whole numbers: Java clients refuse others. */
const jobFields = z.object({
  /** Opaque: ours are UUIDs, the hosted service sends 24 hexadecimal digits. */
  id: z.string(),
  /** Milliseconds since the epoch: when the job was created. */
  timestamp: z.int().optional(),
  /** Milliseconds since the epoch: when it is expected to be done. */
  eta: z.int().optional(),
  /** UUID of the skin, once completed. */
  result: z.string().optional(),
  /** What it is made from: a file's name, an address without its query, a player. This and the following: our addition. */
  source: z.string().optional(),
  /** Name of the skin. This and the following only on pages of the list. */
  name: z.string().optional(),
  /** Milliseconds since the epoch: when it ended. */
  finished: z.int().optional(),
  /** Why it failed. */
  error: noteSchema.optional(),
});

/** A job as this service writes it. */
export const jobSchema = jobFields.extend({ status: z.enum(JOB_STATUSES) }).meta({ id: 'Job' });

/** A job as a client reads it, from this or any other version of the service. */
export interface Job {
  /** Opaque: a skinsmith service has UUIDs, the hosted one 24 hexadecimal digits. */
  id: string;
  /** A state that the client does not know is `unknown` and counts as pending, see `isPending`. */
  status: ReceivedJobStatus;
  /** Milliseconds since the epoch, by the service's clock: when the job was created. */
  timestamp?: number | undefined;
  /** Milliseconds since the epoch, by the service's clock: when it is expected to be done. */
  eta?: number | undefined;
  /** UUID of the skin, once completed. */
  result?: string | undefined;
  /** What it is made from: a file's name, an address without its query, a player. This and the following are skinsmith only. */
  source?: string | undefined;
  /** Name of the skin. This and the following only in lists of jobs. */
  name?: string | undefined;
  /** Milliseconds since the epoch, by the service's clock: when it ended. */
  finished?: number | undefined;
  /** Why it failed. */
  error?: { code: string; message: string } | undefined;
}

export const receivedJobSchema = z.object({
  id: z.union([z.string().min(1), z.int().transform(String)]),
  status: z.string().transform(readStatus),
  timestamp: adviceMoment(),
  eta: adviceMoment(),
  result: advice(z.string()),
  source: advice(z.string()),
  name: advice(z.string()),
  finished: adviceMoment(),
  error: advice(z.object({ code: z.string(), message: z.string() })),
}) satisfies z.ZodType<Job>;

export type WireJob = z.infer<typeof jobSchema>;

const generated = envelopeSchema.extend({
  rateLimit: rateLimitSchema.optional(),
  usage: usageSchema.optional(),
});

export const generateAnswerSchema = generated.extend({ skin: skinSchema });
/** POST /v2/queue and GET /v2/queue/:jobId: `skin` is present once the job is completed. */
export const jobAnswerSchema = generated.extend({ job: jobSchema, skin: skinSchema.optional() });
export const receivedGenerateAnswerSchema = receivedEnvelopeSchema.extend({ skin: receivedSkinSchema });
export const receivedJobAnswerSchema = receivedEnvelopeSchema.extend({
  job: receivedJobSchema,
  skin: receivedSkinSchema.nullish().transform((skin) => skin ?? undefined),
});
/** Maximum jobs per page. */
export const MAX_JOB_PAGE = 500;

/** GET /v2/queue: all query parameters are our addition. */
export const jobListQuerySchema = z.object({
  /** Opaque to clients: where the previous page ended. Ours is a number; a job id is accepted too. */
  after: z.string().min(1).max(64).optional(),
  /** Default: the newest 500, and all pending ones regardless of age. */
  size: z.coerce.number().int().min(1).max(MAX_JOB_PAGE).optional(),
  status: z.enum(JOB_STATUSES).optional(),
});

export const jobListAnswerSchema = envelopeSchema.extend({
  jobs: z.array(jobSchema),
  /** Jobs on all pages, only on the first page of all or of the failed ones; absent if there are too many to count. */
  total: z.number().optional(),
});
/** Entries that are no jobs are left out: one of them must not hide the others. */
const receivedJobsSchema = z
  .array(advice(receivedJobSchema))
  .transform((jobs) => jobs.filter((job) => job !== undefined));
export const receivedJobListAnswerSchema = receivedEnvelopeSchema.extend({
  jobs: receivedJobsSchema,
  total: adviceNumber(),
});

/** Whether a job has not ended yet: it has neither a skin nor an error. */
export function isPending(status: ReceivedJobStatus): boolean {
  return status !== 'completed' && status !== 'failed';
}

/** How a webhook is signed, after the Standard Webhooks convention (standardwebhooks.com). */
export const WEBHOOK_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const;

export const WEBHOOK_SECRET_PREFIX = 'whsec_';
const DERIVED_FOR = 'skinsmith webhook';

interface SignedContent {
  readonly id: string;
  /** Seconds since the epoch, as in its header. */
  readonly timestamp: string;
  readonly body: string;
}

/**
 * The secret of an API key's webhooks. Both sides can derive it: the service stores the key's hash, and the owner
 * has the key.
 * @param keyHash hexadecimal SHA-256 of the API key
 */
export function webhookSecret(keyHash: string): string {
  return WEBHOOK_SECRET_PREFIX + createHmac('sha256', keyHash).update(DERIVED_FOR).digest('base64');
}

/** The value of the signature header. */
export function signWebhook(secret: string, { id, timestamp, body }: SignedContent): string {
  const key = Buffer.from(secret.slice(WEBHOOK_SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
