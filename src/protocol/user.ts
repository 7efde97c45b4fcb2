import { z } from 'zod';
import { changesSomething, envelopeSchema } from './envelope.ts';

/** What callers of a plan may have: as /v2/me grants it, and as a file of plans has it. */
export interface PlanLimits {
  /** Unfinished jobs in the queue at one time. skinsmith only. */
  queue: number;
  /** New generations in any minute. */
  per_minute: number;
  /** New generations in any hour. */
  per_hour: number;
  /** Seconds between generations of version 1. */
  delay: number;
  /** Jobs processed at the same time, while others wait too. */
  concurrency: number;
  /** The same when capacity would otherwise be idle. skinsmith only; older versions do not send it. */
  burst?: number | undefined;
  /** Share of the service while others want it too. */
  priority: number;
  ad_free: boolean;
  private_skins: boolean;
  early_access: boolean;
  batch_generation: boolean;
  capes: boolean;
  /** Player names that a user may have. skinsmith only; older versions do not send it. */
  player_names?: number | undefined;
}

export const planLimitsSchema = z.object({
  queue: z.number(),
  per_minute: z.number(),
  per_hour: z.number(),
  delay: z.number(),
  concurrency: z.number(),
  burst: z.number().optional(),
  priority: z.number(),
  ad_free: z.boolean(),
  private_skins: z.boolean(),
  early_access: z.boolean(),
  batch_generation: z.boolean(),
  capes: z.boolean(),
  player_names: z.number().optional(),
}) satisfies z.ZodType<PlanLimits>;

/** A plan that users may be on. */
export interface PlanView extends PlanLimits {
  name: string;
}

export const planSchema = planLimitsSchema
  .extend({ name: z.string() })
  .meta({ id: 'Plan' }) satisfies z.ZodType<PlanView>;

/** GET /v2/account/plans */
export const planListAnswerSchema = envelopeSchema.extend({ plans: z.array(planSchema) });

const planNameSchema = z
  .string()
  .regex(/^[a-z0-9_-]{1,32}$/, 'only a–z, 0–9, _ and -, at most 32 characters');

const whole = (least: number, most: number) => z.int().min(least).max(most);

/**
 * A file of plans: those it names take the place of the built-in ones, or join them. Values left out of a plan stay as
 * they are; in a new plan, they are those of `free`.
 */
export const planFileSchema = z.record(
  planNameSchema,
  z
    .strictObject({
      queue: whole(1, 10_000),
      per_minute: whole(1, 1_000_000),
      per_hour: whole(1, 10_000_000),
      delay: z.number().min(0).max(3_600),
      concurrency: whole(1, 1_000),
      burst: whole(1, 10_000),
      priority: whole(1, 1_000),
      ad_free: z.boolean(),
      private_skins: z.boolean(),
      early_access: z.boolean(),
      batch_generation: z.boolean(),
      capes: z.boolean(),
      player_names: whole(0, 1_000_000),
    })
    .partial(),
);

export const userNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,32}$/, 'only A–Z, a–z, 0–9, _ . and -, at most 32 characters');

/** A user as the operator of the service sees it. */
export interface User {
  /** 32 hexadecimal digits. */
  id: string;
  name: string;
  role: 'operator' | 'user';
  /** Name of the plan. */
  plan: string;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601: when the user was blocked; from then on their keys are refused. */
  disabledAt?: string | undefined;
  /** API keys that are not revoked. */
  keys: number;
  /** ISO 8601: when the user last used a key or looked at a page; absent: never. Older versions do not send it. */
  lastUsedAt?: string | undefined;
  /** ISO 8601: when the user's invitation expires. */
  invitedUntil?: string | undefined;
}

/** A link that signs a user in once. */
export interface Invitation {
  link: string;
  /** ISO 8601. */
  expiresAt: string;
}

const userSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    role: z.enum(['operator', 'user']),
    plan: z.string(),
    createdAt: z.iso.datetime(),
    disabledAt: z.iso.datetime().optional(),
    keys: z.number(),
    lastUsedAt: z.iso.datetime().optional(),
    invitedUntil: z.iso.datetime().optional(),
  })
  .meta({ id: 'User' }) satisfies z.ZodType<User>;

export const userAnswerSchema = envelopeSchema.extend({ user: userSchema });
export const userListAnswerSchema = envelopeSchema.extend({ users: z.array(userSchema) });

/** POST /v2/account/users/:name/invitation */
export const invitationAnswerSchema = envelopeSchema.extend({
  invitation: z.object({ link: z.url(), expiresAt: z.iso.datetime() }) satisfies z.ZodType<Invitation>,
});

export const userListQuerySchema = z.object({
  /** Name of the last user on the previous page. */
  after: z.string().max(32).optional(),
  size: z.coerce.number().int().min(1).max(128).default(32),
  /** Only users whose names contain this text, in any case. */
  filter: z.string().max(32).optional(),
});

/** POST /v2/account/users */
export const userBodySchema = z.strictObject({
  name: userNameSchema,
  plan: planNameSchema.default('free'),
});
/** A user to be created; `plan` default: `free`. */
export type UserInput = z.input<typeof userBodySchema>;

/** PATCH /v2/account/users/:name */
export const userChangeSchema = z
  .strictObject({ plan: planNameSchema, disabled: z.boolean() })
  .partial()
  .refine(changesSomething, 'nothing to change');
/** What to change about a user. A disabled user's keys are refused from then on. */
export type UserChange = z.input<typeof userChangeSchema>;

/** GET /v2/account/me: the account that a key belongs to. */
export const accountAnswerSchema = envelopeSchema.extend({
  user: z.string(),
  name: z.string(),
  role: userSchema.shape.role,
  plan: planSchema,
  /** Generations spent in the last minute and the last hour, unfinished jobs, API keys. */
  usage: z.object({ minute: z.number(), hour: z.number(), pending: z.number(), keys: z.number() }),
});
/** The user that a key belongs to, with the plan and its usage. */
export type Account = Pick<z.infer<typeof accountAnswerSchema>, 'user' | 'name' | 'role' | 'plan' | 'usage'>;
