import { z } from 'zod';
import { meAnswerSchema } from '../protocol/account.ts';
import { envelopeSchema, errorAnswerSchema, noteSchema, usageSchema } from '../protocol/envelope.ts';
import { JOB_STATUSES, jobSchema } from '../protocol/job.ts';
import { skinSchema } from '../protocol/skin.ts';
import { v1GenerateAnswerSchema, v1ListSchema } from '../protocol/v1.ts';

/**
 * Shapes of answers as the published contract of the hosted service or the published source of its server has them: what
 * one of the two allows is no difference. A server of skinsmith keeps to narrower ones, in protocol/.
 */

const windowShape = z.object({
  limit: z.number(),
  remaining: z.number(),
  used: z.number().optional(),
  /** Seconds since the epoch. */
  reset: z.number().optional(),
});

/** `delay.seconds` may be a fraction there. */
export const RATE_LIMIT = z.object({
  next: z.object({ absolute: z.number(), relative: z.number() }),
  delay: z.object({ millis: z.number(), seconds: z.number().optional() }),
  limit: windowShape.extend({ minute: windowShape, hour: windowShape.optional() }),
});

/** Services put it in the answer itself, under `rateLimit`, or in both; one has no windows in it. */
export const DELAY = RATE_LIMIT.extend({ limit: RATE_LIMIT.shape.limit.partial({ minute: true }) });

/** The contract has other words for what is at work, and for what is not known. */
const JOB = jobSchema.extend({ status: z.enum([...JOB_STATUSES, 'active', 'unknown']) });

/** A skin without a name has no such field there. */
const SKIN = skinSchema.extend({ name: z.string().nullish() });
export type PublishedSkin = z.infer<typeof SKIN>;

/** Without their limits, which have checks of their own. */
export const JOB_ANSWER = envelopeSchema.extend({
  job: JOB,
  skin: SKIN.optional(),
  usage: usageSchema.optional(),
});
export const JOB_LIST = envelopeSchema.extend({ jobs: z.array(JOB) });
export type PublishedJob = z.infer<typeof JOB>;
export const SKIN_MADE = envelopeSchema.extend({ skin: SKIN, usage: usageSchema.optional() });
export const SKIN_ANSWER = envelopeSchema.extend({ skin: SKIN });
export const REFUSAL = errorAnswerSchema.omit({ rateLimit: true });
export const BATCH_ANSWER = envelopeSchema.extend({
  batch: z.array(
    z.object({
      success: z.boolean(),
      job: JOB.optional(),
      skin: SKIN.optional(),
      errors: z.array(noteSchema).optional(),
    }),
  ),
});

export const CAPE_LIST = envelopeSchema.extend({
  capes: z.array(
    z.object({
      uuid: z.string(),
      alias: z.string(),
      hash: z.string().optional(),
      url: z.string(),
      support: z.enum(['public', 'owner', 'none']).optional(),
      supported: z.boolean().optional(),
    }),
  ),
});

export const ME = envelopeSchema.extend({
  user: meAnswerSchema.shape.user,
  grants: meAnswerSchema.shape.grants,
});

const key = z.object({ id: z.string(), name: z.string() });
const texts = z.array(z.string()).optional();
export const ME_KEY = envelopeSchema.extend({
  key: key.extend({
    user: z.string().optional(),
    createdAt: z.string().optional(),
    allowedOrigins: texts,
    allowedIps: texts,
    allowedAgents: texts,
    useCredits: z.boolean().optional(),
  }),
});
/** The list has fewer fields of a key than the key's own answer. */
export const ME_KEYS = envelopeSchema.extend({ keys: z.array(key) });
export const ME_CLIENT = envelopeSchema.extend({
  client: z.object({
    agent: z.string().optional(),
    origin: z.string().optional(),
    key: z.string().optional(),
    user: z.string().optional(),
    ip: z.string().optional(),
    billable: z.boolean().optional(),
  }),
});

/** Warnings of version 1 are texts, those of version 2 notes: the compatibility layer has both. */
export const V1_GENERATED = v1GenerateAnswerSchema.extend({
  delay: z.number(),
  delayInfo: z.object({ millis: z.number(), seconds: z.number() }),
  nextRequest: z.number(),
  warnings: z.array(z.union([noteSchema, z.string()])).optional(),
  rateLimit: z.unknown(),
});

export const V1_LIST = v1ListSchema.extend({
  skins: z.array(v1ListSchema.shape.skins.element.partial({ variant: true, name: true, url: true })),
});

/** Refusals say more only where the request was for a new skin. */
export const V1_REFUSAL = z.object({
  success: z.literal(false).optional(),
  error: z.string(),
  errorCode: z.string().optional(),
  errorType: z.string().optional(),
  delay: z.number().optional(),
  nextRequest: z.number().optional(),
});
