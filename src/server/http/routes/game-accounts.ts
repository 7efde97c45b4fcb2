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
import { type Route, route } from '../route.ts';
import { v2Answer } from '../views.ts';

const links = { self: '/v2/account/accounts' };
const params = z.object({ uuid: uuidSchema });

const UNLINKED = {
  restored: 'The account was unlinked and wears its previous skin again.',
  not_needed: 'The account was unlinked; it wears its own skin.',
  not_restored:
    'The account was unlinked, but its previous skin could not be restored. Its owner must set it again.',
} as const;

export const GAME_ACCOUNT_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    scopes: ['account', 'operator'],
    paths: ['/v2/account/accounts'],
    summary: 'The game accounts that the caller linked; all for an operator',
    answers: { 200: gameAccountListAnswerSchema },
    handle: async ({ context, caller, warnings }) => {
      const accounts = await readGameAccounts(context, caller);
      return v2Answer({ warnings, links }, { accounts });
    },
  }),
  route({
    method: 'POST',
    scopes: ['account', 'operator'],
    paths: ['/v2/account/accounts'],
    summary: 'Link a game account with one of its tokens',
    bodies: { 'application/json': gameAccountBodySchema },
    answers: { 201: gameAccountAnswerSchema },
    handle: async ({ context, caller, request, warnings }) => {
      verifyMayLink(context, caller);
      const input = gameAccountBodySchema.parse(request.body ?? {});
      const link = async () => await linkGameAccount(context, caller, input);
      const account = await withinFetchLimits(context, { caller, via: 'queue' }, link);
      return v2Answer({ warnings, links }, { account }, 201);
    },
  }),
  route({
    method: 'POST',
    scopes: ['account', 'operator'],
    paths: ['/v2/account/accounts/logins'],
    summary: 'Start a device-code sign-in that links a game account',
    bodies: { 'application/json': gameLoginBodySchema },
    answers: { 201: begunLoginAnswerSchema },
    handle: async ({ context, caller, request, warnings }) => {
      verifyMayLink(context, caller);
      const input = gameLoginBodySchema.parse(request.body ?? {});
      const begin = async () => await beginGameLogin(context, caller, input);
      const login = await withinFetchLimits(context, { caller, via: 'queue' }, begin);
      const here = { self: `/v2/account/accounts/logins/${login.id}` };
      return v2Answer({ warnings, links: here }, { login }, 201);
    },
  }),
  route({
    method: 'GET',
    scopes: ['account', 'operator'],
    paths: ['/v2/account/accounts/logins/:id'],
    summary: 'State of a sign-in, with the account once linked',
    params: z.object({ id: z.string().max(64) }),
    answers: { 200: gameLoginAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { id }, warnings }) => {
      const found = await readGameLogin(context, caller, id);
      return v2Answer({ warnings, links }, found);
    },
  }),
  route({
    method: 'PATCH',
    scopes: ['account', 'operator'],
    paths: ['/v2/account/accounts/:uuid'],
    summary: 'Pause or resume a game account, or change its settings',
    params,
    body: gameAccountChangeSchema,
    answers: { 200: gameAccountAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { uuid }, body, warnings }) => {
      const account = await changeGameAccount(context, caller, uuid, body);
      return v2Answer({ warnings, links }, { account });
    },
  }),
  route({
    method: 'DELETE',
    scopes: ['account', 'operator'],
    paths: ['/v2/account/accounts/:uuid'],
    summary: 'Unlink a game account and restore its previous skin',
    params,
    answers: { 200: envelopeSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { uuid }, warnings }) => {
      const outcome = await unlinkGameAccount(context, caller, uuid);
      const messages = [{ code: `account_${outcome}`, message: UNLINKED[outcome] }];
      return v2Answer({ warnings, messages, links });
    },
  }),
  route({
    method: 'POST',
    scopes: ['account', 'operator'],
    paths: ['/v2/account/accounts/:uuid/check'],
    summary: 'Check a game account: its token, its profile, and what prevents its use',
    params,
    answers: { 200: gameAccountCheckAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { uuid }, warnings }) => {
      const look = async () => await checkGameAccount(context, caller, uuid);
      const check = await withinFetchLimits(context, { caller, via: 'queue' }, look);
      return v2Answer({ warnings, links }, check);
    },
  }),
  route({
    method: 'PUT',
    scopes: ['account', 'operator'],
    paths: ['/v2/account/accounts/:uuid/skin'],
    summary: "Let the caller's own game account wear a skin, in Minecraft too",
    params,
    body: gameAccountSkinSchema,
    answers: { 200: gameAccountAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { uuid }, body, warnings }) => {
      const wear = async () => await wearOnGameAccount(context, caller, uuid, body);
      const account = await withinFetchLimits(context, { caller, via: 'queue' }, wear);
      return v2Answer({ warnings, links }, { account });
    },
  }),
  route({
    method: 'DELETE',
    scopes: ['account', 'operator'],
    paths: ['/v2/account/accounts/:uuid/skin'],
    summary: "Restore the skin that the caller's own game account wore before",
    params,
    answers: { 200: gameAccountAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { uuid }, warnings }) => {
      const restore = async () => await restoreGameAccount(context, caller, uuid);
      const account = await withinFetchLimits(context, { caller, via: 'queue' }, restore);
      return v2Answer({ warnings, links }, { account });
    },
  }),
];
