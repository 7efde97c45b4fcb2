import { z } from 'zod';
import { envelopeSchema, rateLimitSchema } from './envelope.ts';

/** Fewest characters of an API key; shorter ones are refused unseen. */
export const MIN_API_KEY_LENGTH = 64;

const grantsSchema = z.looseObject({
  /** Seconds between requests. */
  delay: z.number().optional(),
  per_minute: z.number().optional(),
  per_hour: z.number().optional(),
  concurrency: z.number().optional(),
  priority: z.number().optional(),
  plan: z.string().optional(),
  private_skins: z.boolean().optional(),
  /** Our addition: unfinished jobs the caller may have in the queue. */
  queue: z.number().optional(),
});

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

const apiKeySchema = z.object({
  id: z.string(),
  name: z.string(),
  user: z.string(),
  /** Last four characters, to tell keys apart. */
  last4: z.string(),
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().optional(),
});
/** An API key as its owner may see it; the key itself is shown once, when it is made. */
export type ApiKey = z.infer<typeof apiKeySchema>;

export const apiKeyListAnswerSchema = envelopeSchema.extend({ keys: z.array(apiKeySchema) });
export const apiKeyMadeAnswerSchema = envelopeSchema.extend({
  key: apiKeySchema.extend({ secret: z.string() }),
});
export type ApiKeyMade = z.infer<typeof apiKeyMadeAnswerSchema>['key'];
export const apiKeyBodySchema = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .max(64)
    .regex(/^\P{C}+$/u, 'no control characters')
    .default('key'),
  /** Operators only: the user it is for, made when new. */
  user: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,32}$/, 'letters, digits and _ . - only, at most 32')
    .optional(),
});

/** GET /health. `trouble`: the store cannot be written, jobs wait. */
export const healthAnswerSchema = z.object({ status: z.enum(['ok', 'trouble']), version: z.string() });
/** GET /: what authlib-injector and the client need to trust the service's signatures. */
export const keyDocumentSchema = z.object({
  meta: z.looseObject({ serverName: z.string().optional(), implementationName: z.string().optional() }),
  skinDomains: z.array(z.string()),
  /** SPKI in PEM. */
  signaturePublickey: z.string().optional(),
});
export type KeyDocument = z.infer<typeof keyDocumentSchema>;
