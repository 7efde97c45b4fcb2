import { z } from 'zod';
import { VERSION } from '../../../../../base/version.ts';
import { capeChangeSchema, capeFieldsSchema } from '../../../../../protocol/cape.ts';
import { uuidSchema } from '../../../../../protocol/skin.ts';
import { userChangeSchema, userListQuerySchema, userNameSchema } from '../../../../../protocol/user.ts';
import { accountsPage } from '../../../../pages/views/operator/accounts.ts';
import { capesPage } from '../../../../pages/views/operator/capes.ts';
import { overviewPage } from '../../../../pages/views/operator/overview.ts';
import { usersPage } from '../../../../pages/views/operator/users.ts';
import { changeGameAccount, readGameAccounts } from '../../../../service/accounts/accounts.ts';
import { requireOperator } from '../../../../service/callers/caller.ts';
import { readIdentities } from '../../../../service/openid/identities.ts';
import { planView } from '../../../../service/plans.ts';
import { Refusal } from '../../../../service/refusal.ts';
import { addCape, editCape, readAllCapes, removeCape } from '../../../../service/skins/capes.ts';
import { readOverview } from '../../../../service/status/overview.ts';
import { readUsers, setUser } from '../../../../service/users/users.ts';
import { readBody } from '../../../bodies.ts';
import { placeAfter } from '../../../list-pages.ts';
import { type PageRoute, pageRoute, seeOther } from '../../../pages/page-route.ts';
import { capeView } from '../../../views.ts';
import { MODERATION_PAGES } from './moderation.ts';

const isFor = 'users' as const;
const scopes = ['operator'] as const;
const yesOrNo = z.enum(['yes', 'no']);

const overviewRoute = pageRoute({
  method: 'GET',
  path: '/ui/operator',
  isFor,
  scopes,
  handle: async ({ context, caller }) => {
    const overview = await readOverview(context, caller);
    const plans = context.plans.all().map(planView);
    return overviewPage({ ...overview, plans, version: VERSION, origin: context.publicUrl() });
  },
});

const usersRoute = pageRoute({
  method: 'GET',
  path: '/ui/operator/users',
  isFor,
  scopes,
  query: userListQuerySchema,
  handle: async ({ context, caller, query }) => {
    const users = await readUsers(context, caller, query);
    const next = placeAfter(users, query.size, ({ name }) => name);
    const plans = context.plans.all().map(({ name }) => name);
    const shown = users.map(async (user) => ({
      ...user,
      identities: await readIdentities(context, caller, user.name),
    }));
    return usersPage({
      users: await Promise.all(shown),
      filter: query.filter ?? '',
      plans,
      next,
      origin: context.publicUrl(),
    });
  },
});

const userFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/operator/users/:name',
  isFor,
  scopes,
  params: z.object({ name: userNameSchema }),
  handle: async ({ context, caller, params: { name }, request }) => {
    const fields = z.object({ plan: z.string(), disabled: yesOrNo }).partial();
    const { plan, disabled } = fields.parse(request.body ?? {});
    const change = { plan, disabled: disabled && disabled === 'yes' };
    await setUser(context, caller, name, userChangeSchema.parse(change));
    return seeOther(`/ui/operator/users?filter=${name}`);
  },
});

const accountsRoute = pageRoute({
  method: 'GET',
  path: '/ui/operator/accounts',
  isFor,
  scopes,
  handle: async ({ context, caller }) => {
    requireOperator(caller); // others would see their own
    const accounts = await readGameAccounts(context, caller);
    return accountsPage({ accounts, origin: context.publicUrl() });
  },
});

const accountFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/operator/accounts/:uuid',
  isFor,
  scopes,
  params: z.object({ uuid: uuidSchema }),
  handle: async ({ context, caller, params, request }) => {
    requireOperator(caller);
    const { paused } = z.object({ paused: yesOrNo }).parse(request.body ?? {});
    await changeGameAccount(context, caller, params.uuid, { paused: paused === 'yes' });
    return seeOther('/ui/operator/accounts');
  },
});

const capesRoute = pageRoute({
  method: 'GET',
  path: '/ui/operator/capes',
  isFor,
  scopes,
  handle: async ({ context, caller }) => {
    const capes = (await readAllCapes(context, caller)).map((cape) => capeView(cape, context.textureUrl));
    return capesPage({ capes, origin: context.publicUrl() });
  },
});

const addCapeFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/operator/capes',
  isFor,
  scopes,
  handle: async ({ context, caller, request }) => {
    requireOperator(caller); // before reading a body that may be large
    const { fields, file } = await readBody(request);
    if (!file) throw new Refusal('missing_file', 'Choose the picture of the cape.');
    await addCape(context, caller, { image: file, ...capeFieldsSchema.parse(fields) });
    return seeOther('/ui/operator/capes');
  },
});

const changeCapeFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/operator/capes/:uuid',
  isFor,
  scopes,
  params: z.object({ uuid: uuidSchema }),
  handle: async ({ context, caller, params, request }) => {
    await editCape(context, caller, params.uuid, capeChangeSchema.parse(request.body ?? {}));
    return seeOther('/ui/operator/capes');
  },
});

const deleteCapeFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/operator/capes/:uuid/delete',
  isFor,
  scopes,
  params: z.object({ uuid: uuidSchema }),
  handle: async ({ context, caller, params }) => {
    await removeCape(context, caller, params.uuid);
    return seeOther('/ui/operator/capes');
  },
});

/** Pages for operators, whose keys have that scope. */
export const OPERATOR_ROUTES: readonly PageRoute[] = [
  overviewRoute,
  usersRoute,
  userFormRoute,
  accountsRoute,
  accountFormRoute,
  capesRoute,
  addCapeFormRoute,
  changeCapeFormRoute,
  deleteCapeFormRoute,
  ...MODERATION_PAGES,
];
