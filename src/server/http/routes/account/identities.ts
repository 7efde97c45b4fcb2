import { z } from 'zod';
import {
  identityIdSchema,
  identityListAnswerSchema,
  identityListQuerySchema,
  unlinkQuerySchema,
} from '../../../../protocol/account.ts';
import { envelopeSchema, errorAnswerSchema } from '../../../../protocol/envelope.ts';
import { readIdentities, unlinkIdentity } from '../../../service/openid/identities.ts';
import { route } from '../../route.ts';
import { envelope } from '../../views.ts';

const links = { self: '/v2/account/identities' };
const refusals = {
  400: errorAnswerSchema,
  401: errorAnswerSchema,
  403: errorAnswerSchema,
  404: errorAnswerSchema,
};

export const identityListRoute = route({
  method: 'GET',
  scopes: ['account', 'operator'],
  paths: ['/v2/account/identities'],
  summary: 'Who signs in as the caller by OpenID Connect (an operator may name another user)',
  query: identityListQuerySchema,
  answers: { ...refusals, 200: identityListAnswerSchema },
  handle: async ({ context, caller, query, warnings }) => {
    const identities = await readIdentities(context, caller, query.user);
    return { status: 200, body: { ...envelope({ warnings, links }), identities } };
  },
});

export const unlinkIdentityRoute = route({
  method: 'DELETE',
  scopes: ['account', 'operator'],
  paths: ['/v2/account/identities/:id'],
  summary:
    'Unlink an identity and end all sessions not started with an API key; the only way to sign in takes last=yes',
  params: z.object({ id: identityIdSchema }),
  query: unlinkQuerySchema,
  answers: { ...refusals, 200: envelopeSchema },
  handle: async ({ context, caller, params: { id }, query: { user, last }, warnings }) => {
    await unlinkIdentity(context, caller, { id, user, mayBeLast: last === 'yes' });
    const messages = [{ code: 'identity_unlinked', message: 'The identity is unlinked.' }];
    return { status: 200, body: envelope({ warnings, messages, links }) };
  },
});
