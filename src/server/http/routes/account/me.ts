import { errorAnswerSchema } from '../../../../protocol/envelope.ts';
import { accountAnswerSchema, planListAnswerSchema } from '../../../../protocol/user.ts';
import { requireUser } from '../../../service/callers/caller.ts';
import { planView } from '../../../service/plans.ts';
import { readAccount } from '../../../service/users/users.ts';
import { route } from '../../route.ts';
import { envelope } from '../../views.ts';

export const accountRoute = route({
  method: 'GET',
  paths: ['/v2/account/me'],
  summary: "The caller's account: its plan, and what it has spent of it",
  answers: { 200: accountAnswerSchema, 401: errorAnswerSchema, 403: errorAnswerSchema },
  handle: async ({ context, caller, warnings }) => {
    const account = await readAccount(context, caller);
    const links = { self: '/v2/account/me', keys: '/v2/account/keys', plans: '/v2/account/plans' };
    return { status: 200, body: { ...envelope({ warnings, links }), ...account } };
  },
});

export const planListRoute = route({
  method: 'GET',
  paths: ['/v2/account/plans'],
  summary: 'The plans of this service and what each allows',
  answers: { 200: planListAnswerSchema, 401: errorAnswerSchema, 403: errorAnswerSchema },
  handle: async ({ context, caller, warnings }) => {
    requireUser(caller);
    const links = { self: '/v2/account/plans' };
    const plans = context.plans.all().map(planView);
    return { status: 200, body: { ...envelope({ warnings, links }), plans } };
  },
});
