import { delayAnswerSchema, meAnswerSchema } from '../../../../protocol/account.ts';
import { errorAnswerSchema } from '../../../../protocol/envelope.ts';
import type { Plan } from '../../../service/plans.ts';
import { readRateLimit } from '../../../service/rate-limit.ts';
import { Refusal } from '../../../service/refusal.ts';
import { route } from '../../route.ts';
import { envelope, rateLimitHeaders } from '../../views.ts';

export const meRoute = route({
  method: 'GET',
  paths: ['/v2/me'],
  summary: 'The caller and what it may do',
  answers: { 200: meAnswerSchema, 404: errorAnswerSchema },
  handle: async ({ context, caller, warnings }) => {
    if (caller.kind === 'anonymous') throw new Refusal('user_not_found');
    const rateLimit = await readRateLimit(context.db, caller, context.clock.now());
    const { id: user, name, plan } = caller;
    const links = { self: '/v2/me' };
    return {
      status: 200,
      body: { ...envelope({ warnings, links }), user, name, grants: grantsOf(plan), rateLimit },
    };
  },
});

export const delayRoute = route({
  method: 'GET',
  paths: ['/v2/delay'],
  summary: 'The rate limit of the caller (deprecated: every answer has it)',
  answers: { 200: delayAnswerSchema },
  handle: async ({ context, caller, warnings }) => {
    const rateLimit = await readRateLimit(context.db, caller, context.clock.now());
    const body = { ...envelope({ warnings, links: { self: '/v2/delay' } }), ...rateLimit, rateLimit };
    return { status: 200, body, headers: rateLimitHeaders(rateLimit, { retry: false }) };
  },
});

function grantsOf(plan: Plan): Record<string, unknown> {
  return {
    delay: 0,
    per_minute: plan.perMinute,
    per_hour: plan.perHour,
    queue: plan.spots,
    private_skins: plan.privateSkins,
    plan: plan.name,
  };
}
