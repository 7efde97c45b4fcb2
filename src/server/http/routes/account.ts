import { z } from 'zod';
import {
  delayAnswerSchema,
  identityIdSchema,
  identityListAnswerSchema,
  identityListQuerySchema,
  meAnswerSchema,
  meClientAnswerSchema,
  meKeyAnswerSchema,
  meKeysAnswerSchema,
  unlinkQuerySchema,
} from '../../../protocol/account.ts';
import {
  apiKeyAnswerSchema,
  apiKeyBodySchema,
  apiKeyChangeSchema,
  apiKeyListAnswerSchema,
  apiKeyMadeAnswerSchema,
} from '../../../protocol/api-key.ts';
import { envelopeSchema, errorAnswerSchema } from '../../../protocol/envelope.ts';
import { diagnosisAnswerSchema, statsAnswerSchema } from '../../../protocol/service.ts';
import {
  accountAnswerSchema,
  invitationAnswerSchema,
  planListAnswerSchema,
  userAnswerSchema,
  userBodySchema,
  userChangeSchema,
  userListAnswerSchema,
  userListQuerySchema,
  userNameSchema,
} from '../../../protocol/user.ts';
import { requireUser } from '../../service/callers.ts';
import { readRateLimit } from '../../service/limits.ts';
import { readIdentities, unlinkIdentity } from '../../service/openid.ts';
import { grantsOf, planView } from '../../service/plans.ts';
import { diagnose } from '../../service/status/health.ts';
import { inviteUser, revokeInvitation } from '../../service/users/invitations.ts';
import { changeOwnKey, createKey, listOwnKeys, revokeOwnKey } from '../../service/users/keys.ts';
import {
  clientInfo,
  createUser,
  readAccount,
  readOwnKey,
  readOwnKeys,
  readUser,
  readUsers,
  requireKnownUser,
  setUser,
} from '../../service/users/users.ts';
import { originsOf, type Route, route } from '../route.ts';
import { pageLinks, placeAfter, rateLimitHeaders, v2Answer } from '../views.ts';

export const ME_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    paths: ['/v2/me'],
    summary: 'The caller with its plan and limits',
    answers: { 200: meAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, warnings }) => {
      const { id: user, name, plan, key } = requireKnownUser(caller);
      const rateLimit = await readRateLimit(context.db, caller, context.clock.now());
      const links = {
        self: '/v2/me',
        client: '/v2/me/client',
        skins: '/v2/me/skins',
        ...(key && { key: '/v2/me/apikey' }),
      };
      return v2Answer({ warnings, links }, { user, name, grants: grantsOf(plan), rateLimit });
    },
  }),
  route({
    method: 'GET',
    paths: ['/v2/me/apikey'],
    summary: "The caller's current API key",
    answers: { 200: meKeyAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ caller, warnings }) => {
      const links = { self: '/v2/me/apikey', keys: '/v2/me/apikeys' };
      return v2Answer({ warnings, links }, { key: readOwnKey(caller) });
    },
  }),
  route({
    method: 'GET',
    scopes: ['account'],
    paths: ['/v2/me/apikeys'],
    summary: "The caller's API keys",
    answers: { 200: meKeysAnswerSchema },
    handle: async ({ context, caller, warnings }) => {
      const keys = await readOwnKeys(context.db, caller);
      return v2Answer({ warnings, links: { self: '/v2/me/apikeys' } }, { keys });
    },
  }),
  route({
    method: 'GET',
    paths: ['/v2/me/client'],
    summary: "The caller's address, user agent and key as the service sees them",
    answers: { 200: meClientAnswerSchema },
    handle: async ({ caller, request, warnings }) => {
      const client = clientInfo(caller, originsOf(request));
      return v2Answer({ warnings, links: { self: '/v2/me/client' } }, { client });
    },
  }),
];

export const statsRoute = route({
  method: 'GET',
  paths: ['/v2/stats'],
  summary: 'Statistics of the whole service, at most a minute old',
  answers: { 200: statsAnswerSchema },
  cache: 'public',
  handle: async ({ context, warnings }) =>
    v2Answer({ warnings, links: { self: '/v2/stats' } }, { stats: await context.stats.read() }),
});

const links = { self: '/v2/account/keys' };
const params = z.object({ id: z.string().max(64) });

const identityLinks = { self: '/v2/account/identities' };

export const ACCOUNT_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    paths: ['/v2/delay'],
    summary: 'The rate limit of the caller (deprecated: every answer has it)',
    isLimited: true,
    answers: { 200: delayAnswerSchema },
    handle: async ({ context, caller, warnings }) => {
      const rateLimit = await readRateLimit(context.db, caller, context.clock.now());
      const answer = v2Answer({ warnings, links: { self: '/v2/delay' } }, { ...rateLimit, rateLimit });
      return { ...answer, headers: rateLimitHeaders(rateLimit, { retry: false }) };
    },
  }),
  route({
    method: 'GET',
    paths: ['/v2/account/me'],
    summary: "The caller's account: plan and usage",
    answers: { 200: accountAnswerSchema },
    handle: async ({ context, caller, warnings }) => {
      const account = await readAccount(context, caller);
      const links = { self: '/v2/account/me', keys: '/v2/account/keys', plans: '/v2/account/plans' };
      return v2Answer({ warnings, links }, account);
    },
  }),
  route({
    method: 'GET',
    paths: ['/v2/account/plans'],
    summary: 'The plans of this service and what each allows',
    answers: { 200: planListAnswerSchema },
    handle: async ({ context, caller, warnings }) => {
      requireUser(caller);
      const links = { self: '/v2/account/plans' };
      const plans = context.plans.all().map(planView);
      return v2Answer({ warnings, links }, { plans });
    },
  }),
  route({
    method: 'GET',
    scopes: ['operator'],
    paths: ['/v2/account/doctor'],
    summary: 'Health of the store and of the generator (operator only)',
    answers: { 200: diagnosisAnswerSchema },
    cache: 'none',
    handle: async ({ context, caller, warnings }) => {
      const links = { self: '/v2/account/doctor' };
      return v2Answer({ warnings, links }, await diagnose(context, caller));
    },
  }),
  route({
    method: 'GET',
    scopes: ['account', 'operator'],
    paths: ['/v2/account/keys'],
    summary: "The caller's API keys (an operator may name another user)",
    query: z.object({ user: userNameSchema.optional() }),
    answers: { 200: apiKeyListAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, query, warnings }) => {
      const keys = await listOwnKeys(context.db, caller, query.user);
      return v2Answer({ warnings, links }, { keys });
    },
  }),
  route({
    method: 'POST',
    scopes: ['account', 'operator'],
    paths: ['/v2/account/keys'],
    summary: 'Create an API key; only this answer shows its secret',
    body: apiKeyBodySchema,
    answers: { 201: apiKeyMadeAnswerSchema },
    handle: async ({ context, caller, body, warnings }) => {
      const key = await createKey(context, caller, body);
      return v2Answer({ warnings, links }, { key }, 201);
    },
  }),
  route({
    method: 'PATCH',
    scopes: ['account', 'operator'],
    paths: ['/v2/account/keys/:id'],
    summary: 'Change an API key: its name, its restrictions, its handling of version 1',
    params,
    body: apiKeyChangeSchema,
    answers: { 200: apiKeyAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params, body, warnings }) => {
      const key = await changeOwnKey(context, caller, params.id, body);
      return v2Answer({ warnings, links }, { key });
    },
  }),
  route({
    method: 'DELETE',
    scopes: ['account', 'operator'],
    paths: ['/v2/account/keys/:id'],
    summary: 'Revoke an API key',
    params,
    answers: { 200: envelopeSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params, warnings }) => {
      await revokeOwnKey(context, caller, params.id);
      const messages = [{ code: 'key_revoked', message: 'The key was revoked.' }];
      return v2Answer({ warnings, messages, links });
    },
  }),
  route({
    method: 'GET',
    scopes: ['account', 'operator'],
    paths: ['/v2/account/identities'],
    summary: "The caller's OpenID Connect identities (an operator may name another user)",
    query: identityListQuerySchema,
    answers: { 200: identityListAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, query, warnings }) => {
      const identities = await readIdentities(context, caller, query.user);
      return v2Answer({ warnings, links: identityLinks }, { identities });
    },
  }),
  route({
    method: 'DELETE',
    scopes: ['account', 'operator'],
    paths: ['/v2/account/identities/:id'],
    summary:
      'Unlink an identity and end all sessions not started with an API key; the only way to sign in needs last=yes',
    params: z.object({ id: identityIdSchema }),
    query: unlinkQuerySchema,
    answers: { 200: envelopeSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { id }, query: { user, last }, warnings }) => {
      await unlinkIdentity(context, caller, { id, user, mayBeLast: last === 'yes' });
      const messages = [{ code: 'identity_unlinked', message: 'The identity was unlinked.' }];
      return v2Answer({ warnings, messages, links: identityLinks });
    },
  }),
];

const userParams = z.object({ name: userNameSchema });

export const USER_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    scopes: ['operator'],
    paths: ['/v2/account/users'],
    summary: 'The users of this service, by name (operator only)',
    query: userListQuerySchema,
    answers: { 200: userListAnswerSchema },
    handle: async ({ context, caller, query, warnings }) => {
      const users = await readUsers(context, caller, query);
      const next = placeAfter(users, query.size, ({ name }) => name);
      const links = pageLinks('/v2/account/users', query, next);
      return v2Answer({ warnings, links }, { users });
    },
  }),
  route({
    method: 'GET',
    scopes: ['operator'],
    paths: ['/v2/account/users/:name'],
    summary: 'A user of this service (operator only)',
    params: userParams,
    answers: { 200: userAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { name }, warnings }) => {
      const user = await readUser(context, caller, name);
      return v2Answer({ warnings, links: linksOf(name) }, { user });
    },
  }),
  route({
    method: 'POST',
    scopes: ['operator'],
    paths: ['/v2/account/users'],
    summary: 'Create a user (operator only)',
    body: userBodySchema,
    answers: { 201: userAnswerSchema },
    handle: async ({ context, caller, body, warnings }) => {
      const user = await createUser(context, caller, body);
      return v2Answer({ warnings, links: linksOf(user.name) }, { user }, 201);
    },
  }),
  route({
    method: 'PATCH',
    scopes: ['operator'],
    paths: ['/v2/account/users/:name'],
    summary: 'Change the plan of a user, disable or enable the user (operator only)',
    params: userParams,
    body: userChangeSchema,
    answers: { 200: userAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { name }, body, warnings }) => {
      const user = await setUser(context, caller, name, body);
      return v2Answer({ warnings, links: linksOf(name) }, { user });
    },
  }),
  route({
    method: 'POST',
    scopes: ['operator'],
    paths: ['/v2/account/users/:name/invitation'],
    summary:
      'Make a link that signs the user in once, within seven days, in place of the one before (operator only)',
    params: userParams,
    answers: { 201: invitationAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { name }, warnings }) => {
      const invitation = await inviteUser(context, caller, name);
      return v2Answer({ warnings, links: linksOf(name) }, { invitation }, 201);
    },
  }),
  route({
    method: 'DELETE',
    scopes: ['operator'],
    paths: ['/v2/account/users/:name/invitation'],
    summary: 'Revoke the invitation of a user (operator only)',
    params: userParams,
    answers: { 200: envelopeSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { name }, warnings }) => {
      await revokeInvitation(context, caller, name);
      const messages = [{ code: 'invitation_revoked', message: 'The invitation was revoked.' }];
      return v2Answer({ warnings, messages, links: linksOf(name) });
    },
  }),
];

function linksOf(name: string): Record<string, string> {
  return { self: `/v2/account/users/${name}`, keys: `/v2/account/keys?user=${name}` };
}
