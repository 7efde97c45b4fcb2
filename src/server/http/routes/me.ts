import {
  delayAnswerSchema,
  meAnswerSchema,
  meClientAnswerSchema,
  meKeyAnswerSchema,
  meKeysAnswerSchema,
} from '../../../protocol/account.ts';
import { errorAnswerSchema } from '../../../protocol/envelope.ts';
import { statsAnswerSchema } from '../../../protocol/service.ts';
import { readRateLimit } from '../../service/limits.ts';
import { grantsOf } from '../../service/plans.ts';
import { clientInfo, readOwnKey, readOwnKeys, requireKnownUser } from '../../service/users/users.ts';
import { originsOf } from '../request.ts';
import { route } from '../route.ts';
import { envelope, rateLimitHeaders } from '../views.ts';

export const meRoute = route({
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
    return {
      status: 200,
      body: { ...envelope({ warnings, links }), user, name, grants: grantsOf(plan), rateLimit },
    };
  },
});

export const meKeyRoute = route({
  method: 'GET',
  paths: ['/v2/me/apikey'],
  summary: "The caller's current API key",
  answers: { 200: meKeyAnswerSchema, 404: errorAnswerSchema },
  handle: async ({ caller, warnings }) => {
    const links = { self: '/v2/me/apikey', keys: '/v2/me/apikeys' };
    return { status: 200, body: { ...envelope({ warnings, links }), key: readOwnKey(caller) } };
  },
});

export const meKeysRoute = route({
  method: 'GET',
  scopes: ['account'],
  paths: ['/v2/me/apikeys'],
  summary: "The caller's API keys",
  answers: { 200: meKeysAnswerSchema, 401: errorAnswerSchema },
  handle: async ({ context, caller, warnings }) => {
    const keys = await readOwnKeys(context.db, caller);
    return { status: 200, body: { ...envelope({ warnings, links: { self: '/v2/me/apikeys' } }), keys } };
  },
});

export const meClientRoute = route({
  method: 'GET',
  paths: ['/v2/me/client'],
  summary: "The caller's address, user agent and key as the service sees them",
  answers: { 200: meClientAnswerSchema },
  handle: async ({ caller, request, warnings }) => {
    const client = clientInfo(caller, originsOf(request));
    return { status: 200, body: { ...envelope({ warnings, links: { self: '/v2/me/client' } }), client } };
  },
});

export const delayRoute = route({
  method: 'GET',
  paths: ['/v2/delay'],
  summary: 'The rate limit of the caller (deprecated: every answer has it)',
  isLimited: true,
  answers: { 200: delayAnswerSchema },
  handle: async ({ context, caller, warnings }) => {
    const rateLimit = await readRateLimit(context.db, caller, context.clock.now());
    const body = { ...envelope({ warnings, links: { self: '/v2/delay' } }), ...rateLimit, rateLimit };
    return { status: 200, body, headers: rateLimitHeaders(rateLimit, { retry: false }) };
  },
});

export const statsRoute = route({
  method: 'GET',
  paths: ['/v2/stats'],
  summary: 'Statistics of the whole service, at most a minute old',
  answers: { 200: statsAnswerSchema },
  cache: 'public',
  handle: async ({ context, warnings }) => ({
    status: 200,
    body: { ...envelope({ warnings, links: { self: '/v2/stats' } }), stats: await context.stats.read() },
  }),
});
