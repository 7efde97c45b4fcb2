import { z } from 'zod';
import {
  advice,
  adviceLimit,
  adviceNumber,
  envelopeSchema,
  type ReceivedRateLimit,
  rateLimitSchema,
  receivedEnvelopeSchema,
  receivedRateLimitSchema,
} from './envelope.ts';
import { planLimitsSchema, userNameSchema } from './user.ts';

/** Minimum characters of an API key; shorter ones are refused without a lookup. */
export const MIN_API_KEY_LENGTH = 64;

/** What a plan allows. Other services omit parts of it. */
const grantsSchema = z.looseObject({
  ...planLimitsSchema.partial().shape,
  plan: z.string().optional(),
});

/** GET /v2/me. `user` is the caller's UUID without dashes. */
export const meAnswerSchema = envelopeSchema.extend({
  user: z.string(),
  /** Our addition: the user's name. */
  name: z.string().optional(),
  grants: grantsSchema,
  rateLimit: rateLimitSchema.optional(),
});

/** What a caller may do, as a client reads it. A limit that the service does not have, or sets to 0, is absent. */
export interface Grants {
  /** Unfinished jobs in the queue at one time. skinsmith only; the hosted service allows five unless the plan says more. */
  queue?: number | undefined;
  /** New generations in any minute. */
  per_minute?: number | undefined;
  /** New generations in any hour. */
  per_hour?: number | undefined;
  /** Seconds between generations of version 1. */
  delay?: number | undefined;
  /** Jobs processed at the same time; not the limit of the queue. */
  concurrency?: number | undefined;
  /** The same when capacity would otherwise be idle. skinsmith only. */
  burst?: number | undefined;
  /** Share of the service while others want it too. */
  priority?: number | undefined;
  ad_free?: boolean | undefined;
  private_skins?: boolean | undefined;
  early_access?: boolean | undefined;
  /** Whether `queueBatch` is allowed. */
  batch_generation?: boolean | undefined;
  /** Whether skins with capes are allowed. */
  capes?: boolean | undefined;
  /** Name of the plan. */
  plan?: string | undefined;
  /** What else the service grants. */
  [grant: string]: unknown;
}

/** Who calls, as a client reads it. */
export interface Me {
  grants: Grants;
  /** UUID of the user, 32 hexadecimal digits. */
  user?: string | undefined;
  /** Name of the user. skinsmith only. */
  name?: string | undefined;
  rateLimit?: ReceivedRateLimit | undefined;
}

const receivedGrantsSchema = z.looseObject({
  queue: adviceLimit(),
  per_minute: adviceLimit(),
  per_hour: adviceLimit(),
  delay: adviceNumber(),
  concurrency: adviceLimit(),
  burst: adviceLimit(),
  priority: adviceNumber(),
  ad_free: advice(z.boolean()),
  private_skins: advice(z.boolean()),
  early_access: advice(z.boolean()),
  batch_generation: advice(z.boolean()),
  capes: advice(z.boolean()),
  plan: advice(z.string()),
}) satisfies z.ZodType<Grants>;

/** The same as a client reads it. The key already identifies the caller, so no field is essential. */
export const receivedMeAnswerSchema = receivedEnvelopeSchema
  .extend({
    success: z.boolean(),
    user: advice(z.string()),
    name: advice(z.string()),
    grants: advice(receivedGrantsSchema),
  })
  .transform(
    ({ user, name, grants = {}, rateLimit }): Me => ({
      grants,
      ...(user !== undefined && { user }),
      ...(name !== undefined && { name }),
      ...(rateLimit !== undefined && { rateLimit }),
    }),
  );

/** GET /v2/delay: the rate limit, at the top (as published) and under its usual name. */
export const delayAnswerSchema = envelopeSchema.extend({
  ...rateLimitSchema.shape,
  rateLimit: rateLimitSchema.optional(),
});

/** The same as a client reads it, from either place. */
export const receivedDelayAnswerSchema = receivedRateLimitSchema.extend({
  success: z.boolean(),
  rateLimit: advice(receivedRateLimitSchema),
});

/** GET /health. `trouble`: the store is not writable, or jobs are waiting. */
export const healthAnswerSchema = z.object({ status: z.enum(['ok', 'trouble']), version: z.string() });
/** GET /ready: what keeps the service from accepting work. */
export const readyAnswerSchema = z.object({
  status: z.enum(['ready', 'not_ready']),
  reasons: z.array(
    z.enum([
      'stopping',
      'store_replaced',
      'store_too_new',
      'store_unreachable',
      'store_not_writable',
      'store_full',
      'signing_key_changed',
      'workers_in_trouble',
      'generator_not_ready',
    ]),
  ),
  /** Problems that it survives, for its operator to know. */
  warnings: z.array(z.enum(['store_clock', 'store_pool', 'store_listener'])),
  version: z.string(),
});
/** GET /: what authlib-injector and the client need to trust the service's signatures. */
export const keyDocumentSchema = z.object({
  meta: z.looseObject({ serverName: z.string().optional(), implementationName: z.string().optional() }),
  skinDomains: z.array(z.string()),
  /** SPKI in PEM. */
  signaturePublickey: z.string().optional(),
});
/** What others need to trust the skins that a service signs with its own key. */
export type KeyDocument = z.infer<typeof keyDocumentSchema>;

const keyInfoSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** The user's UUID without dashes. */
  user: z.string(),
  createdAt: z.iso.datetime(),
  /** The places and programs that may use it; empty: all. */
  allowedOrigins: z.array(z.string()),
  allowedIps: z.array(z.string()),
  allowedAgents: z.array(z.string()),
  /** There are no credits any more. */
  useCredits: z.literal(false),
});
/** An API key, as /v2/me describes it. */
export type KeyInfo = z.infer<typeof keyInfoSchema>;

/** GET /v2/me/apikey and /v2/me/apikeys */
export const meKeyAnswerSchema = envelopeSchema.extend({ key: keyInfoSchema });
export const meKeysAnswerSchema = envelopeSchema.extend({ keys: z.array(keyInfoSchema) });

const clientInfoSchema = z.object({
  /** Name of the program, of its user agent. */
  agent: z.string().optional(),
  origin: z.string().optional(),
  /** Id of the API key. */
  key: z.string().optional(),
  /** Absent without a key. */
  user: z.string().optional(),
  ip: z.string(),
  /** Nobody is charged. */
  billable: z.literal(false),
});
export type ClientInfo = z.infer<typeof clientInfoSchema>;

/** GET /v2/me/client */
export const meClientAnswerSchema = envelopeSchema.extend({ client: clientInfoSchema });

const identitySchema = z
  .object({
    /** 24 hexadecimal digits. */
    id: z.string(),
    /** Address of the provider. */
    issuer: z.string(),
    /** The provider's own id for the person. */
    subject: z.string(),
    /** When it was linked to the user. */
    createdAt: z.iso.datetime(),
    /** Whether it is the only way in: there is no other identity, and no API key that signs in from anywhere. */
    isLastWay: z.boolean(),
  })
  .meta({ id: 'Identity' });
/** A person at an OpenID Connect provider who signs in as a user of the service. */
export type Identity = z.infer<typeof identitySchema>;

export const identityListAnswerSchema = envelopeSchema.extend({ identities: z.array(identitySchema) });

/** GET /v2/account/identities */
export const identityListQuerySchema = z.object({ user: userNameSchema.optional() });

/** DELETE /v2/account/identities/:id */
export const unlinkQuerySchema = identityListQuerySchema.extend({
  /** Unlinks it even if it is the only way in. */
  last: z.enum(['yes', 'no']).default('no'),
});
export const identityIdSchema = z.string().regex(/^[0-9a-f]{24}$/, 'not the ID of an identity');
