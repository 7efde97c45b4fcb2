import { z } from 'zod';
import { changesSomething, envelopeSchema } from './envelope.ts';
import { uuidSchema } from './skin.ts';

const gameAccountSchema = z.object({
  /** 32 hexadecimal digits. */
  uuid: z.string(),
  name: z.string(),
  /** Who linked it; absent if that user no longer exists. */
  user: z.string().optional(),
  /** Whether it makes everyone's skins, not only those of the user who linked it. */
  share: z.boolean(),
  /** Why it cannot be used without intervention; `active`: it can. */
  state: z.enum(['active', 'paused', 'suspended', 'needs_login']),
  /** Whether its previous skin is restored when it is idle. */
  restore: z.boolean(),
  /** Whether results may include its cape. */
  capes: z.boolean(),
  /** Whether it is in use right now. */
  inUse: z.boolean(),
  /** When it can be used next; absent: only after intervention. */
  freeAt: z.iso.datetime().optional(),
  /** When its pause after a refusal by the game ends. */
  coolUntil: z.iso.datetime().optional(),
  /** Consecutive failed uses; after too many it must be resumed by hand. */
  errorStreak: z.number(),
  lastError: z.object({ code: z.string(), message: z.string(), at: z.iso.datetime() }).optional(),
  lastUsedAt: z.iso.datetime().optional(),
  linkedAt: z.iso.datetime(),
  /** Skins made with it, and failed uses. */
  generated: z.number(),
  failed: z.number(),
});
/** A linked game account as its user and the operator of the service see it. */
export type GameAccount = z.infer<typeof gameAccountSchema>;

export const gameAccountAnswerSchema = envelopeSchema.extend({ account: gameAccountSchema });
export const gameAccountListAnswerSchema = envelopeSchema.extend({ accounts: z.array(gameAccountSchema) });

/** Whether the account makes everyone's skins; by default only accounts linked by an operator do. */
const share = z.boolean().optional();

/** POST /v2/account/accounts/logins: starts a sign-in by the account's owner. */
export const gameLoginBodySchema = z.strictObject({ share });
export type GameLinkOptions = z.input<typeof gameLoginBodySchema>;

/** POST /v2/account/accounts: links an account by a token. */
export const gameAccountBodySchema = z.strictObject({
  share,
  /** An access token of the game, valid for less than a day; or a Microsoft refresh token for the service's client id. */
  token: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]{1,8192}$/, 'one word of up to 8192 characters'),
});

/** PATCH /v2/account/accounts/:uuid. Only the user who linked an account can set `share` and `capes`. `paused: false` also resets its failures. */
export const gameAccountChangeSchema = z
  .strictObject({ paused: z.boolean(), restore: z.boolean(), capes: z.boolean(), share: z.boolean() })
  .partial()
  .refine(changesSomething, 'nothing to change');
/** What to change about a linked game account; `paused: false` also resets its failures. */
export type GameAccountChange = z.input<typeof gameAccountChangeSchema>;

/** PUT /v2/account/accounts/:uuid/skin */
export const gameAccountSkinSchema = z.strictObject({
  /** UUID of a skin that the caller may see. */
  skin: uuidSchema,
  /** That everyone may see the texture of a private skin from now on. */
  publish: z.literal(true).optional(),
});
/** The skin that a linked game account is to wear. */
export type GameAccountSkin = z.input<typeof gameAccountSkinSchema>;

/** POST /v2/account/accounts/:uuid/check */
export const gameAccountCheckAnswerSchema = gameAccountAnswerSchema.extend({
  /** Sentences; empty: the account can be used. */
  problems: z.array(z.string()),
});
/** A linked game account after a check, and what keeps it from being used. */
export type GameAccountCheck = Pick<z.infer<typeof gameAccountCheckAnswerSchema>, 'account' | 'problems'>;

const begunLoginSchema = z.object({
  id: z.string(),
  /** The code for the account's owner, and the URL to enter it. */
  userCode: z.string(),
  verificationUri: z.string(),
  expiresAt: z.iso.datetime(),
  /** Seconds between two polls. */
  interval: z.number(),
});
/** A sign-in by an account's owner, started with POST /v2/account/accounts/logins. */
export type BegunGameLogin = z.infer<typeof begunLoginSchema>;
export const begunLoginAnswerSchema = envelopeSchema.extend({ login: begunLoginSchema });

/** GET /v2/account/accounts/logins/:id */
export const gameLoginAnswerSchema = envelopeSchema.extend({
  /** `failed`: permanently; `message` gives the reason. */
  login: z.object({ status: z.enum(['waiting', 'linked', 'failed']), message: z.string().optional() }),
  /** Present once the account is linked. */
  account: gameAccountSchema.optional(),
});
/** The state of a sign-in, and the account once it is linked. */
export type GameLogin = Pick<z.infer<typeof gameLoginAnswerSchema>, 'login' | 'account'>;
