import { z } from 'zod';
import { envelopeSchema } from './envelope.ts';
import { planNameSchema, planSchema } from './plan.ts';

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
  })
  .meta({ id: 'User' }) satisfies z.ZodType<User>;

export const userAnswerSchema = envelopeSchema.extend({ user: userSchema });
export const userListAnswerSchema = envelopeSchema.extend({ users: z.array(userSchema) });

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
  .refine(({ plan, disabled }) => plan !== undefined || disabled !== undefined, 'nothing to change');
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
