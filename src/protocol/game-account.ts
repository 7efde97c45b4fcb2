import { z } from 'zod';
import { envelopeSchema } from './envelope.ts';

const gameAccountSchema = z.object({
  /** 32 hexadecimal digits. */
  uuid: z.string(),
  name: z.string(),
  /** What keeps it from being used until somebody looks after it; `active`: nothing. */
  state: z.enum(['active', 'paused', 'suspended', 'needs_login']),
  /** Whether the skin that it wore before is set again when it is idle. */
  restore: z.boolean(),
  /** Whether its cape may be in results. */
  capes: z.boolean(),
  /** Whether somebody uses it right now. */
  inUse: z.boolean(),
  /** When it can be used next; absent: not before somebody looks after it. */
  freeAt: z.iso.datetime().optional(),
  /** Until when it rests, because the game refused it. */
  coolUntil: z.iso.datetime().optional(),
  /** Uses in a row that it failed; too many, and it waits to be resumed. */
  errorStreak: z.number(),
  lastError: z.object({ code: z.string(), message: z.string(), at: z.iso.datetime() }).optional(),
  lastUsedAt: z.iso.datetime().optional(),
  linkedAt: z.iso.datetime(),
  /** Skins made with it, and uses that it failed. */
  generated: z.number(),
  failed: z.number(),
});
/** A linked game account as the operator of the service sees it. */
export type GameAccount = z.infer<typeof gameAccountSchema>;

export const gameAccountAnswerSchema = envelopeSchema.extend({ account: gameAccountSchema });
export const gameAccountListAnswerSchema = envelopeSchema.extend({ accounts: z.array(gameAccountSchema) });

/** POST /v2/account/accounts: links an account with a token of it. */
export const gameAccountBodySchema = z.strictObject({
  /** An access token of the game, which ends within a day; or a refresh token of Microsoft's for the service's client id. */
  token: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]{1,8192}$/, 'one word of up to 8192 characters'),
});

/** PATCH /v2/account/accounts/:uuid. `paused: false` also forgives what the account failed at before. */
export const gameAccountChangeSchema = z
  .strictObject({ paused: z.boolean(), restore: z.boolean(), capes: z.boolean() })
  .partial()
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'nothing to change');
export type GameAccountChange = z.input<typeof gameAccountChangeSchema>;

/** POST /v2/account/accounts/:uuid/check */
export const gameAccountCheckAnswerSchema = gameAccountAnswerSchema.extend({
  /** Sentences; none: the account can be used. */
  problems: z.array(z.string()),
});
export type GameAccountCheck = Pick<z.infer<typeof gameAccountCheckAnswerSchema>, 'account' | 'problems'>;

const begunLoginSchema = z.object({
  id: z.string(),
  /** What the owner of the account enters, and where. */
  userCode: z.string(),
  verificationUri: z.string(),
  expiresAt: z.iso.datetime(),
  /** Seconds to wait between two looks. */
  interval: z.number(),
});
/** A sign-in of the owner of an account, begun with POST /v2/account/accounts/logins. */
export type BegunGameLogin = z.infer<typeof begunLoginSchema>;
export const begunLoginAnswerSchema = envelopeSchema.extend({ login: begunLoginSchema });

/** GET /v2/account/accounts/logins/:id */
export const gameLoginAnswerSchema = envelopeSchema.extend({
  /** `failed`: for good; `message` says why. */
  login: z.object({ status: z.enum(['waiting', 'linked', 'failed']), message: z.string().optional() }),
  /** There once it is linked. */
  account: gameAccountSchema.optional(),
});
export type GameLogin = Pick<z.infer<typeof gameLoginAnswerSchema>, 'login' | 'account'>;
