import { z } from 'zod';
import {
  apiKeyAnswerSchema,
  apiKeyBodySchema,
  apiKeyChangeSchema,
  apiKeyListAnswerSchema,
  apiKeyMadeAnswerSchema,
} from '../../../../protocol/api-key.ts';
import { envelopeSchema, errorAnswerSchema } from '../../../../protocol/envelope.ts';
import { userNameSchema } from '../../../../protocol/user.ts';
import { changeOwnKey, createKey, listOwnKeys, revokeOwnKey } from '../../../service/users/keys.ts';
import { route } from '../../route.ts';
import { envelope } from '../../views.ts';

const links = { self: '/v2/account/keys' };
const params = z.object({ id: z.string().max(64) });
const refusals = { 400: errorAnswerSchema, 401: errorAnswerSchema, 403: errorAnswerSchema };

export const listKeysRoute = route({
  method: 'GET',
  scopes: ['account', 'operator'],
  paths: ['/v2/account/keys'],
  summary: "The caller's API keys (an operator may name another user)",
  query: z.object({ user: userNameSchema.optional() }),
  answers: { ...refusals, 200: apiKeyListAnswerSchema, 404: errorAnswerSchema },
  handle: async ({ context, caller, query, warnings }) => {
    const keys = await listOwnKeys(context.db, caller, query.user);
    return { status: 200, body: { ...envelope({ warnings, links }), keys } };
  },
});

export const createKeyRoute = route({
  method: 'POST',
  scopes: ['account', 'operator'],
  paths: ['/v2/account/keys'],
  summary: 'Make an API key; its secret is shown in this answer only',
  bodies: { 'application/json': apiKeyBodySchema },
  answers: { ...refusals, 201: apiKeyMadeAnswerSchema },
  handle: async ({ context, caller, request, warnings }) => {
    const input = apiKeyBodySchema.parse(request.body ?? {});
    const key = await createKey(context, caller, input);
    return { status: 201, body: { ...envelope({ warnings, links }), key } };
  },
});

export const changeKeyRoute = route({
  method: 'PATCH',
  scopes: ['account', 'operator'],
  paths: ['/v2/account/keys/:id'],
  summary: 'Change an API key: its name, what it is bound to, how it speaks version 1',
  params,
  bodies: { 'application/json': apiKeyChangeSchema },
  answers: { ...refusals, 200: apiKeyAnswerSchema, 404: errorAnswerSchema },
  handle: async ({ context, caller, params, request, warnings }) => {
    const change = apiKeyChangeSchema.parse(request.body ?? {});
    const key = await changeOwnKey(context, caller, params.id, change);
    return { status: 200, body: { ...envelope({ warnings, links }), key } };
  },
});

export const revokeKeyRoute = route({
  method: 'DELETE',
  scopes: ['account', 'operator'],
  paths: ['/v2/account/keys/:id'],
  summary: 'Revoke an API key',
  params,
  answers: { ...refusals, 200: envelopeSchema, 404: errorAnswerSchema },
  handle: async ({ context, caller, params, warnings }) => {
    await revokeOwnKey(context, caller, params.id);
    const messages = [{ code: 'key_revoked', message: 'The key is revoked.' }];
    return { status: 200, body: envelope({ warnings, messages, links }) };
  },
});
