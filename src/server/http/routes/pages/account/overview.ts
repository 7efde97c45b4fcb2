import { overviewPage } from '../../../../pages/views/account/overview.ts';
import { planView } from '../../../../service/plans.ts';
import { readAccount } from '../../../../service/users/users.ts';
import { pageRoute } from '../../../pages/page-route.ts';

export const accountRoute = pageRoute({
  method: 'GET',
  path: '/ui/account',
  isFor: 'users',
  handle: async ({ context, caller }) => {
    const account = await readAccount(context, caller);
    const plans = context.plans.all().map(planView);
    return overviewPage({ account, plans, origin: context.publicUrl() });
  },
});
