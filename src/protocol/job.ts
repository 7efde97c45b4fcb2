import { z } from 'zod';
import { envelopeSchema, rateLimitSchema, seenEnvelopeSchema, usageSchema } from './envelope.ts';
import { seenSkinSchema, skinSchema } from './skin.ts';

/** What a job can be. See the service's `queue/states.ts` for the steps between them. */
export const JOB_STATUSES = ['waiting', 'processing', 'completed', 'failed'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** As a client sees it: whatever it has never heard of is `unknown`, and that is still pending. */
export type SeenJobStatus = JobStatus | 'unknown';

function readStatus(status: string): SeenJobStatus {
  if (status === 'active') return 'processing';
  return JOB_STATUSES.find((known) => known === status) ?? 'unknown';
}

const jobFields = z.object({
  /** Opaque: ours are UUIDs, the hosted service sends 24 hexadecimal digits. */
  id: z.string(),
  /** Milliseconds since the epoch: when the job was made. */
  timestamp: z.number().optional(),
  /** Milliseconds since the epoch: when it is expected to be done. */
  eta: z.number().optional(),
  /** UUID of the skin, once completed. */
  result: z.string().optional(),
});

/** A job as this service writes it. */
export const jobSchema = jobFields.extend({ status: z.enum(JOB_STATUSES) }).meta({ id: 'Job' });
/** A job as a client reads it, from this or any other version of the service. */
export const seenJobSchema = jobFields.extend({ status: z.string().transform(readStatus) });

export type WireJob = z.infer<typeof jobSchema>;
export type Job = z.infer<typeof seenJobSchema>;

const generated = envelopeSchema.extend({
  rateLimit: rateLimitSchema.optional(),
  usage: usageSchema.optional(),
});

export const generateAnswerSchema = generated.extend({ skin: skinSchema });
/** POST /v2/queue and GET /v2/queue/:jobId: `skin` is there once the job is completed. */
export const jobAnswerSchema = generated.extend({ job: jobSchema, skin: skinSchema.optional() });
export const seenGenerateAnswerSchema = seenEnvelopeSchema.extend({ skin: seenSkinSchema });
export const seenJobAnswerSchema = seenEnvelopeSchema.extend({
  job: seenJobSchema,
  skin: seenSkinSchema.optional(),
});
export const jobListAnswerSchema = envelopeSchema.extend({ jobs: z.array(jobSchema) });
export const seenJobListAnswerSchema = seenEnvelopeSchema.extend({ jobs: z.array(seenJobSchema) });

export function isPending(status: SeenJobStatus): boolean {
  return status !== 'completed' && status !== 'failed';
}
