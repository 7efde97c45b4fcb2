import { z } from 'zod';
import { envelopeSchema, errorAnswerSchema } from '../../../protocol/envelope.ts';
import {
  begunLoginAnswerSchema,
  gameAccountAnswerSchema,
  gameAccountBodySchema,
  gameAccountChangeSchema,
  gameAccountCheckAnswerSchema,
  gameAccountListAnswerSchema,
  gameAccountSkinSchema,
  gameLoginAnswerSchema,
  gameLoginBodySchema,
} from '../../../protocol/game-account.ts';
import { uuidSchema } from '../../../protocol/skin.ts';
import {
  beginGameLogin,
  changeGameAccount,
  checkGameAccount,
  linkGameAccount,
  readGameAccounts,
  readGameLogin,
  unlinkGameAccount,
  verifyMayLink,
} from '../../service/accounts/accounts.ts';
import { restoreGameAccount, wearOnGameAccount } from '../../service/accounts/wearing.ts';
import { withinFetchLimits } from '../../service/sources/fetches.ts';
import type { Call, Route } from '../route.ts';
import { v2Routes } from '../v2-routes.ts';

const ACCOUNTS = '/v2/account/accounts';
const forUsers = v2Routes({ scopes: ['account', 'operator'], links: { self: ACCOUNTS } });
const params = z.object({ uuid: uuidSchema });

const UNLINKED = {
  restored: 'The account was unlinked and wears its previous skin again.',
  not_needed: 'The account was unlinked; it wears its own skin.',
  not_restored:
    'The account was unlinked, but its previous skin could not be restored. Its owner must set it again.',
} as const;

export const GAME_ACCOUNT_ROUTES: readonly Route[] = [
  forUsers(`GET ${ACCOUNTS}`, {
    summary: 'The game accounts that the caller linked; all for an operator',
    answers: { 200: gameAccountListAnswerSchema },
    handle: async ({ context, caller }) => ({ accounts: await readGameAccounts(context, caller) }),
  }),
  forUsers(`POST ${ACCOUNTS}`, {
    summary: 'Link a game account with one of its tokens',
    bodies: { 'application/json': gameAccountBodySchema },
    answers: { 201: gameAccountAnswerSchema },
    handle: async ({ context, caller, request }) => {
      verifyMayLink(context, caller);
      const input = gameAccountBodySchema.parse(request.body ?? {});
      return { account: await asking({ context, caller }, () => linkGameAccount(context, caller, input)) };
    },
  }),
  forUsers(`POST ${ACCOUNTS}/logins`, {
    summary: 'Start a device-code sign-in that links a game account',
    bodies: { 'application/json': gameLoginBodySchema },
    answers: { 201: begunLoginAnswerSchema },
    handle: async ({ context, caller, request }) => {
      verifyMayLink(context, caller);
      const input = gameLoginBodySchema.parse(request.body ?? {});
      const login = await asking({ context, caller }, () => beginGameLogin(context, caller, input));
      return { links: { self: `${ACCOUNTS}/logins/${login.id}` }, login };
    },
  }),
  forUsers(`GET ${ACCOUNTS}/logins/:id`, {
    summary: 'State of a sign-in, with the account once linked',
    params: z.object({ id: z.string().max(64) }),
    answers: { 200: gameLoginAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { id } }) => await readGameLogin(context, caller, id),
  }),
  forUsers(`PATCH ${ACCOUNTS}/:uuid`, {
    summary: 'Pause or resume a game account, or change its settings',
    params,
    body: gameAccountChangeSchema,
    answers: { 200: gameAccountAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { uuid }, body }) => ({
      account: await changeGameAccount(context, caller, uuid, body),
    }),
  }),
  forUsers(`DELETE ${ACCOUNTS}/:uuid`, {
    summary: 'Unlink a game account and restore its previous skin',
    params,
    answers: { 200: envelopeSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { uuid } }) => {
      const outcome = await unlinkGameAccount(context, caller, uuid);
      return { messages: [{ code: `account_${outcome}`, message: UNLINKED[outcome] }] };
    },
  }),
  forUsers(`POST ${ACCOUNTS}/:uuid/check`, {
    summary: 'Check a game account: its token, its profile, and what prevents its use',
    params,
    answers: { 200: gameAccountCheckAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { uuid } }) =>
      await asking({ context, caller }, () => checkGameAccount(context, caller, uuid)),
  }),
  forUsers(`PUT ${ACCOUNTS}/:uuid/skin`, {
    summary: "Let the caller's own game account wear a skin, in Minecraft too",
    params,
    body: gameAccountSkinSchema,
    answers: { 200: gameAccountAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { uuid }, body }) => ({
      account: await asking({ context, caller }, () => wearOnGameAccount(context, caller, uuid, body)),
    }),
  }),
  forUsers(`DELETE ${ACCOUNTS}/:uuid/skin`, {
    summary: "Restore the skin that the caller's own game account wore before",
    params,
    answers: { 200: gameAccountAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { uuid } }) => ({
      account: await asking({ context, caller }, () => restoreGameAccount(context, caller, uuid)),
    }),
  }),
];

/** Asks the game, within the limits for that. */
async function asking<T>(
  { context, caller }: Pick<Call, 'context' | 'caller'>,
  ask: () => Promise<T>,
): Promise<T> {
  return await withinFetchLimits(context, { caller, via: 'queue' }, ask);
}
