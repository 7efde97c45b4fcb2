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
import { errorAnswerSchema } from '../../../protocol/envelope.ts';
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
import { v2Routes } from '../v2-routes.ts';
import { pageLinks, placeAfter, rateLimitHeaders, v2Answer } from '../views.ts';

const forEveryone = v2Routes();

export const ME_ROUTES: readonly Route[] = [
  forEveryone('GET /v2/me', {
    summary: 'The caller with its plan and limits',
    answers: { 200: meAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller }) => {
      const { id: user, name, plan, key } = requireKnownUser(caller);
      const rateLimit = await readRateLimit(context.db, caller, context.clock.now());
      const links = {
        self: '/v2/me',
        client: '/v2/me/client',
        skins: '/v2/me/skins',
        ...(key && { key: '/v2/me/apikey' }),
      };
      return { links, user, name, grants: grantsOf(plan), rateLimit };
    },
  }),
  forEveryone('GET /v2/me/apikey', {
    summary: "The caller's current API key",
    answers: { 200: meKeyAnswerSchema, 404: errorAnswerSchema },
    links: { self: '/v2/me/apikey', keys: '/v2/me/apikeys' },
    handle: async ({ caller }) => ({ key: readOwnKey(caller) }),
  }),
  forEveryone('GET /v2/me/apikeys', {
    scopes: ['account'],
    summary: "The caller's API keys",
    answers: { 200: meKeysAnswerSchema },
    handle: async ({ context, caller }) => ({ keys: await readOwnKeys(context.db, caller) }),
  }),
  forEveryone('GET /v2/me/client', {
    summary: "The caller's address, user agent and key as the service sees them",
    answers: { 200: meClientAnswerSchema },
    handle: async ({ caller, request }) => ({ client: clientInfo(caller, originsOf(request)) }),
  }),
];

export const statsRoute = forEveryone('GET /v2/stats', {
  summary: 'Statistics of the whole service, at most a minute old',
  answers: { 200: statsAnswerSchema },
  cache: 'public',
  handle: async ({ context }) => ({ stats: await context.stats.read() }),
});

const KEYS = '/v2/account/keys';
const IDENTITIES = '/v2/account/identities';
const forKeys = v2Routes({ scopes: ['account', 'operator'], links: { self: KEYS } });
const forIdentities = v2Routes({ scopes: ['account', 'operator'], links: { self: IDENTITIES } });
const params = z.object({ id: z.string().max(64) });

export const ACCOUNT_ROUTES: readonly Route[] = [
  route('GET /v2/delay', {
    summary: 'The rate limit of the caller (deprecated: every answer has it)',
    isLimited: true,
    answers: { 200: delayAnswerSchema },
    handle: async ({ context, caller, warnings }) => {
      const rateLimit = await readRateLimit(context.db, caller, context.clock.now());
      const answer = v2Answer({ warnings, links: { self: '/v2/delay' } }, { ...rateLimit, rateLimit });
      return { ...answer, headers: rateLimitHeaders(rateLimit, { retry: false }) };
    },
  }),
  forEveryone('GET /v2/account/me', {
    summary: "The caller's account: plan and usage",
    answers: { 200: accountAnswerSchema },
    links: { self: '/v2/account/me', keys: '/v2/account/keys', plans: '/v2/account/plans' },
    handle: async ({ context, caller }) => await readAccount(context, caller),
  }),
  forEveryone('GET /v2/account/plans', {
    summary: 'The plans of this service and what each allows',
    answers: { 200: planListAnswerSchema },
    handle: async ({ context, caller }) => {
      requireUser(caller);
      return { plans: context.plans.all().map(planView) };
    },
  }),
  forEveryone('GET /v2/account/doctor', {
    scopes: ['operator'],
    summary: 'Health of the store and of the generator (operator only)',
    answers: { 200: diagnosisAnswerSchema },
    cache: 'none',
    handle: async ({ context, caller }) => await diagnose(context, caller),
  }),
  forKeys(`GET ${KEYS}`, {
    summary: "The caller's API keys (an operator may name another user)",
    query: z.object({ user: userNameSchema.optional() }),
    answers: { 200: apiKeyListAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, query }) => ({
      keys: await listOwnKeys(context.db, caller, query.user),
    }),
  }),
  forKeys(`POST ${KEYS}`, {
    summary: 'Create an API key; only this answer shows its secret',
    body: apiKeyBodySchema,
    answers: { 201: apiKeyMadeAnswerSchema },
    handle: async ({ context, caller, body }) => ({ key: await createKey(context, caller, body) }),
  }),
  forKeys(`PATCH ${KEYS}/:id`, {
    summary: 'Change an API key: its name, its restrictions, its handling of version 1',
    params,
    body: apiKeyChangeSchema,
    answers: { 200: apiKeyAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params, body }) => ({
      key: await changeOwnKey(context, caller, params.id, body),
    }),
  }),
  forKeys(`DELETE ${KEYS}/:id`, {
    summary: 'Revoke an API key',
    params,
    done: { code: 'key_revoked', message: 'The key was revoked.' },
    handle: async ({ context, caller, params }) => await revokeOwnKey(context, caller, params.id),
  }),
  forIdentities(`GET ${IDENTITIES}`, {
    summary: "The caller's OpenID Connect identities (an operator may name another user)",
    query: identityListQuerySchema,
    answers: { 200: identityListAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, query }) => ({
      identities: await readIdentities(context, caller, query.user),
    }),
  }),
  forIdentities(`DELETE ${IDENTITIES}/:id`, {
    summary:
      'Unlink an identity and end all sessions not started with an API key; the only way to sign in needs last=yes',
    params: z.object({ id: identityIdSchema }),
    query: unlinkQuerySchema,
    done: { code: 'identity_unlinked', message: 'The identity was unlinked.' },
    handle: async ({ context, caller, params: { id }, query: { user, last } }) =>
      await unlinkIdentity(context, caller, { id, user, mayBeLast: last === 'yes' }),
  }),
];

const userParams = z.object({ name: userNameSchema });
const forOperators = v2Routes({ scopes: ['operator'] });

export const USER_ROUTES: readonly Route[] = [
  forOperators('GET /v2/account/users', {
    summary: 'The users of this service, by name (operator only)',
    query: userListQuerySchema,
    answers: { 200: userListAnswerSchema },
    handle: async ({ context, caller, query }) => {
      const users = await readUsers(context, caller, query);
      const next = placeAfter(users, query.size, ({ name }) => name);
      const links = pageLinks('/v2/account/users', query, next);
      return { links, users };
    },
  }),
  forOperators('GET /v2/account/users/:name', {
    summary: 'A user of this service (operator only)',
    params: userParams,
    answers: { 200: userAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { name } }) => ({
      links: linksOf(name),
      user: await readUser(context, caller, name),
    }),
  }),
  forOperators('POST /v2/account/users', {
    summary: 'Create a user (operator only)',
    body: userBodySchema,
    answers: { 201: userAnswerSchema },
    handle: async ({ context, caller, body }) => {
      const user = await createUser(context, caller, body);
      return { links: linksOf(user.name), user };
    },
  }),
  forOperators('PATCH /v2/account/users/:name', {
    summary: 'Change the plan of a user, disable or enable the user (operator only)',
    params: userParams,
    body: userChangeSchema,
    answers: { 200: userAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { name }, body }) => ({
      links: linksOf(name),
      user: await setUser(context, caller, name, body),
    }),
  }),
  forOperators('POST /v2/account/users/:name/invitation', {
    summary:
      'Make a link that signs the user in once, within seven days, in place of the one before (operator only)',
    params: userParams,
    answers: { 201: invitationAnswerSchema, 404: errorAnswerSchema },
    handle: async ({ context, caller, params: { name } }) => ({
      links: linksOf(name),
      invitation: await inviteUser(context, caller, name),
    }),
  }),
  forOperators('DELETE /v2/account/users/:name/invitation', {
    summary: 'Revoke the invitation of a user (operator only)',
    params: userParams,
    done: { code: 'invitation_revoked', message: 'The invitation was revoked.' },
    handle: async ({ context, caller, params: { name } }) => {
      await revokeInvitation(context, caller, name);
      return { links: linksOf(name) };
    },
  }),
];

function linksOf(name: string): Record<string, string> {
  return { self: `/v2/account/users/${name}`, keys: `/v2/account/keys?user=${name}` };
}
