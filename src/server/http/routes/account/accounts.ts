import { z } from 'zod';
import { envelopeSchema, errorAnswerSchema } from '../../../../protocol/envelope.ts';
import {
  begunLoginAnswerSchema,
  gameAccountAnswerSchema,
  gameAccountBodySchema,
  gameAccountChangeSchema,
  gameAccountCheckAnswerSchema,
  gameAccountListAnswerSchema,
  gameLoginAnswerSchema,
} from '../../../../protocol/game-account.ts';
import { uuidSchema } from '../../../../protocol/skin.ts';
import {
  beginGameLogin,
  changeGameAccount,
  checkGameAccount,
  linkGameAccount,
  readGameAccounts,
  readGameLogin,
  unlinkGameAccount,
} from '../../../service/accounts.ts';
import { requireOperator } from '../../../service/caller.ts';
import { route } from '../../route.ts';
import { envelope } from '../../views.ts';

const links = { self: '/v2/account/accounts' };
const params = z.object({ uuid: uuidSchema });
const refusals = { 400: errorAnswerSchema, 401: errorAnswerSchema, 403: errorAnswerSchema };
const away = { 503: errorAnswerSchema };

export const gameAccountListRoute = route({
  method: 'GET',
  paths: ['/v2/account/accounts'],
  summary: 'The game accounts that skins can be made with (operator only)',
  answers: { ...refusals, 200: gameAccountListAnswerSchema },
  handle: async ({ context, caller, warnings }) => {
    const accounts = await readGameAccounts(context, caller);
    return { status: 200, body: { ...envelope({ warnings, links }), accounts } };
  },
});

export const linkGameAccountRoute = route({
  method: 'POST',
  paths: ['/v2/account/accounts'],
  summary: 'Link a game account with a token of it (operator only)',
  bodies: { 'application/json': gameAccountBodySchema },
  answers: { ...refusals, ...away, 201: gameAccountAnswerSchema },
  handle: async ({ context, caller, request, warnings }) => {
    requireOperator(caller);
    const { token } = gameAccountBodySchema.parse(request.body ?? {});
    const account = await linkGameAccount(context, caller, token);
    return { status: 201, body: { ...envelope({ warnings, links }), account } };
  },
});

export const beginGameLoginRoute = route({
  method: 'POST',
  paths: ['/v2/account/accounts/logins'],
  summary: "Begin a sign-in of a game account's owner, to link the account (operator only)",
  answers: { ...refusals, ...away, 201: begunLoginAnswerSchema },
  handle: async ({ context, caller, warnings }) => {
    const login = await beginGameLogin(context, caller);
    const here = { self: `/v2/account/accounts/logins/${login.id}` };
    return { status: 201, body: { ...envelope({ warnings, links: here }), login } };
  },
});

export const gameLoginRoute = route({
  method: 'GET',
  paths: ['/v2/account/accounts/logins/:id'],
  summary: 'How a sign-in stands; the account once it is linked (operator only)',
  params: z.object({ id: z.string().max(64) }),
  answers: { ...refusals, ...away, 200: gameLoginAnswerSchema, 404: errorAnswerSchema },
  handle: async ({ context, caller, params: { id }, warnings }) => {
    const found = await readGameLogin(context, caller, id);
    return { status: 200, body: { ...envelope({ warnings, links }), ...found } };
  },
});

export const changeGameAccountRoute = route({
  method: 'PATCH',
  paths: ['/v2/account/accounts/:uuid'],
  summary: 'Pause a game account, resume it, change its settings (operator only)',
  params,
  bodies: { 'application/json': gameAccountChangeSchema },
  answers: { ...refusals, 200: gameAccountAnswerSchema, 404: errorAnswerSchema },
  handle: async ({ context, caller, params: { uuid }, request, warnings }) => {
    const change = gameAccountChangeSchema.parse(request.body ?? {});
    const account = await changeGameAccount(context, caller, uuid, change);
    return { status: 200, body: { ...envelope({ warnings, links }), account } };
  },
});

const UNLINKED = {
  restored: 'The account is unlinked and wears its own skin again.',
  not_needed: 'The account is unlinked; it wears its own skin.',
  not_restored: 'The account is unlinked, but its own skin could not be set again: its owner must do that.',
} as const;

export const unlinkGameAccountRoute = route({
  method: 'DELETE',
  paths: ['/v2/account/accounts/:uuid'],
  summary: 'Unlink a game account and give it its own skin back (operator only)',
  params,
  answers: { ...refusals, ...away, 200: envelopeSchema, 404: errorAnswerSchema },
  handle: async ({ context, caller, params: { uuid }, warnings }) => {
    const outcome = await unlinkGameAccount(context, caller, uuid);
    const messages = [{ code: `account_${outcome}`, message: UNLINKED[outcome] }];
    return { status: 200, body: envelope({ warnings, messages, links }) };
  },
});

export const checkGameAccountRoute = route({
  method: 'POST',
  paths: ['/v2/account/accounts/:uuid/check'],
  summary: 'Look after a game account: its token, its profile, what keeps it from use (operator only)',
  params,
  answers: { ...refusals, 200: gameAccountCheckAnswerSchema, 404: errorAnswerSchema },
  handle: async ({ context, caller, params: { uuid }, warnings }) => {
    const check = await checkGameAccount(context, caller, uuid);
    return { status: 200, body: { ...envelope({ warnings, links }), ...check } };
  },
});
