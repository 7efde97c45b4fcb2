import { z } from 'zod';
import { envelopeSchema, rateLimitSchema } from './envelope.ts';
import { planLimitsSchema } from './plan.ts';

/** Fewest characters of an API key; shorter ones are refused unseen. */
export const MIN_API_KEY_LENGTH = 64;

/** What a plan allows. Other services leave parts out. */
const grantsSchema = z.looseObject({
  ...planLimitsSchema.partial().shape,
  plan: z.string().optional(),
});
export type Grants = z.infer<typeof grantsSchema>;

/** GET /v2/me. `user` is the caller's UUID without dashes. */
export const meAnswerSchema = envelopeSchema.extend({
  user: z.string(),
  /** Our addition: what the user is called. */
  name: z.string().optional(),
  grants: grantsSchema,
  rateLimit: rateLimitSchema.optional(),
});
export type Me = Pick<z.infer<typeof meAnswerSchema>, 'user' | 'name' | 'grants' | 'rateLimit'>;

/** GET /v2/delay: the rate limit, at the top (as published) and under its usual name. */
export const delayAnswerSchema = envelopeSchema.extend({
  ...rateLimitSchema.shape,
  rateLimit: rateLimitSchema.optional(),
});

/** GET /health. `trouble`: the store cannot be written, jobs wait. */
export const healthAnswerSchema = z.object({ status: z.enum(['ok', 'trouble']), version: z.string() });
/** GET /ready: what keeps the service from taking work. */
export const readyAnswerSchema = z.object({
  status: z.enum(['ready', 'not_ready']),
  reasons: z.array(z.enum(['stopping', 'store_not_writable', 'workers_in_trouble', 'generator_not_ready'])),
  version: z.string(),
});
/** GET /: what authlib-injector and the client need to trust the service's signatures. */
export const keyDocumentSchema = z.object({
  meta: z.looseObject({ serverName: z.string().optional(), implementationName: z.string().optional() }),
  skinDomains: z.array(z.string()),
  /** SPKI in PEM. */
  signaturePublickey: z.string().optional(),
});
export type KeyDocument = z.infer<typeof keyDocumentSchema>;
