import { z } from 'zod';
import { uuidSchema } from '../../../../../protocol/skin.ts';
import { checkedPage, failedLoginPage, gamesPage, loginPage } from '../../../../pages/views/account/games.ts';
import {
  beginGameLogin,
  changeGameAccount,
  checkGameAccount,
  findGameLogin,
  readGameAccounts,
  readGameLogin,
  unlinkGameAccount,
} from '../../../../service/accounts/accounts.ts';
import { requireUser } from '../../../../service/callers/caller.ts';
import { withinFetchLimits } from '../../../../sources/fetches.ts';
import { checked } from '../../../pages/form-fields.ts';
import { dataAnswer, type PageCall, pageRoute, seeOther } from '../../../pages/page-route.ts';

const PATH = '/ui/account/games';
const isFor = 'users' as const;
const scopes = ['account'] as const;
const ofAccount = z.object({ uuid: uuidSchema });
const ofLogin = z.object({ id: z.string().max(64) });

/** One's own; an operator sees those of others on a page of its own. */
export const gamesRoute = pageRoute({
  method: 'GET',
  path: PATH,
  isFor,
  scopes,
  query: z.object({ worn: z.literal('yes').optional().catch(undefined) }),
  handle: async ({ context, caller, query }) => {
    const { name, isOperator } = requireUser(caller);
    const accounts = (await readGameAccounts(context, caller)).filter(({ user }) => user === name);
    const mayLink = context.usersMayLink || isOperator;
    const areUsed = context.generatorKind === 'accounts';
    const isWorn = query.worn !== undefined;
    return gamesPage({ accounts, mayLink, areUsed, isWorn, origin: context.publicUrl() });
  },
});

export const beginLoginFormRoute = pageRoute({
  method: 'POST',
  path: `${PATH}/logins`,
  isFor,
  scopes,
  handle: async ({ context, caller, request }) => {
    const input = z.object({ share: checked }).parse(request.body ?? {});
    const begin = async () => await beginGameLogin(context, caller, input);
    const { id } = await withinFetchLimits(context, { caller, via: 'queue' }, begin);
    return seeOther(`${PATH}/logins/${id}?new=yes`);
  },
});

/** Looks whether the code was entered; not when the page is first shown. */
export const loginRoute = pageRoute({
  method: 'GET',
  path: `${PATH}/logins/:id`,
  isFor,
  scopes,
  params: ofLogin,
  query: z.object({ new: z.literal('yes').optional().catch(undefined) }),
  handle: async (call) => {
    const { context, caller, params, query } = call;
    const begun = findGameLogin(context, caller, params.id);
    const { status, message = '' } = query.new ? ({ status: 'waiting' } as const) : await loginOf(call);
    if (status === 'linked') return seeOther(PATH);
    return status === 'failed' ? failedLoginPage(message) : loginPage(begun, context.publicUrl());
  },
});

async function loginOf({ context, caller, params }: PageCall<z.output<typeof ofLogin>>) {
  return (await readGameLogin(context, caller, params.id)).login;
}

export const loginStateRoute = pageRoute({
  method: 'GET',
  path: `${PATH}/logins/:id/state`,
  isFor,
  scopes,
  params: ofLogin,
  handle: async (call) => dataAnswer(200, await loginOf(call)),
});

export const gameSettingsFormRoute = pageRoute({
  method: 'POST',
  path: `${PATH}/:uuid`,
  isFor,
  scopes,
  params: ofAccount,
  handle: async ({ context, caller, params, request }) => {
    const change = z.object({ share: checked, capes: checked, restore: checked }).parse(request.body ?? {});
    await changeGameAccount(context, caller, params.uuid, change);
    return seeOther(PATH);
  },
});

export const pauseGameFormRoute = pageRoute({
  method: 'POST',
  path: `${PATH}/:uuid/pause`,
  isFor,
  scopes,
  params: ofAccount,
  handle: async ({ context, caller, params, request }) => {
    const { paused } = z.object({ paused: z.enum(['yes', 'no']) }).parse(request.body ?? {});
    await changeGameAccount(context, caller, params.uuid, { paused: paused === 'yes' });
    return seeOther(PATH);
  },
});

export const checkGameFormRoute = pageRoute({
  method: 'POST',
  path: `${PATH}/:uuid/check`,
  isFor,
  scopes,
  params: ofAccount,
  handle: async ({ context, caller, params }) => {
    const look = async () => await checkGameAccount(context, caller, params.uuid);
    const check = await withinFetchLimits(context, { caller, via: 'queue' }, look);
    return checkedPage(check, context.publicUrl());
  },
});

export const unlinkGameFormRoute = pageRoute({
  method: 'POST',
  path: `${PATH}/:uuid/unlink`,
  isFor,
  scopes,
  params: ofAccount,
  handle: async ({ context, caller, params }) => {
    const outcome = await unlinkGameAccount(context, caller, params.uuid);
    return outcome === 'not_restored' ? seeOther(`${PATH}?worn=yes`) : seeOther(PATH);
  },
});
