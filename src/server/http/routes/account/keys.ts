import { z } from 'zod';
import {
  apiKeyBodySchema,
  apiKeyListAnswerSchema,
  apiKeyMadeAnswerSchema,
} from '../../../../protocol/account.ts';
import { envelopeSchema, errorAnswerSchema } from '../../../../protocol/envelope.ts';
import { createKey, listOwnKeys, revokeOwnKey } from '../../../service/keys.ts';
import { route } from '../../route.ts';
import { envelope } from '../../views.ts';

const self = { self: '/v2/account/keys' };

export const listKeysRoute = route({
  method: 'GET',
  paths: ['/v2/account/keys'],
  summary: "The caller's API keys (an operator may name another user)",
  query: apiKeyBodySchema.pick({ user: true }),
  answers: { 200: apiKeyListAnswerSchema, 401: errorAnswerSchema, 403: errorAnswerSchema },
  handle: async ({ context, caller, query, warnings }) => {
    const keys = await listOwnKeys(context.db, caller, query.user);
    return { status: 200, body: { ...envelope({ warnings, links: self }), keys } };
  },
});

export const createKeyRoute = route({
  method: 'POST',
  paths: ['/v2/account/keys'],
  summary: 'Make an API key; its secret is shown in this answer only',
  bodies: { 'application/json': apiKeyBodySchema },
  answers: { 201: apiKeyMadeAnswerSchema, 401: errorAnswerSchema, 403: errorAnswerSchema },
  handle: async ({ context, caller, request, warnings }) => {
    const { name, user } = apiKeyBodySchema.parse(request.body ?? {});
    const key = await createKey(context.db, caller, { name, user, now: context.clock.now() });
    return { status: 201, body: { ...envelope({ warnings, links: self }), key } };
  },
});

export const revokeKeyRoute = route({
  method: 'DELETE',
  paths: ['/v2/account/keys/:id'],
  summary: 'Revoke an API key',
  params: z.object({ id: z.string().max(64) }),
  answers: { 200: envelopeSchema, 401: errorAnswerSchema, 404: errorAnswerSchema },
  handle: async ({ context, caller, params, warnings }) => {
    await revokeOwnKey(context.db, caller, params.id, context.clock.now());
    const messages = [{ code: 'key_revoked', message: 'The key is revoked.' }];
    return { status: 200, body: envelope({ warnings, messages, links: self }) };
  },
});
