import { z } from 'zod';
import { apiKeyBodySchema, apiKeyChangeSchema, SCOPES, type Scope } from '../../../../../protocol/api-key.ts';
import { keysPage, newKeyPage } from '../../../../pages/views/account/keys.ts';
import { type Caller, hasScope } from '../../../../service/callers/caller.ts';
import { changeOwnKey, createKey, listOwnKeys, revokeOwnKey } from '../../../../service/users/keys.ts';
import { checked, lines, several } from '../../../pages/form-fields.ts';
import { pageRoute, seeOther } from '../../../pages/page-route.ts';
import type { HttpRequest } from '../../../request.ts';

const PATH = '/ui/account/keys';
const isFor = 'users' as const;
const scopes = ['account'] as const;
const params = z.object({ id: z.string().max(64) });

export const keysRoute = pageRoute({
  method: 'GET',
  path: PATH,
  isFor,
  scopes,
  handle: async ({ context, caller }) => {
    const keys = await listOwnKeys(context.db, caller);
    const current = caller.kind === 'user' ? caller.key?.id : undefined;
    return keysPage({ keys, current, mayGive: scopesToGive(caller), origin: context.publicUrl() });
  },
});

/** A key gives no other more than it has, and only an operator's keys can have that scope. */
function scopesToGive(caller: Caller): Scope[] {
  const isOperator = caller.kind === 'user' && caller.isOperator;
  return SCOPES.filter((scope) => hasScope(caller, scope) && (scope !== 'operator' || isOperator));
}

const formSchema = z.object({
  name: z.string(),
  scope: several(z.string()),
  allowedIps: lines,
  allowedOrigins: lines,
  allowedAgents: lines,
  v2Compat: checked,
});

/** What a form says of a key, as the API takes it. */
function keyIn({ body }: HttpRequest) {
  const { scope, ...fields } = formSchema.parse(body ?? {});
  return { ...fields, scopes: scope };
}

export const createKeyFormRoute = pageRoute({
  method: 'POST',
  path: PATH,
  isFor,
  scopes,
  handle: async ({ context, caller, request }) => {
    const input = apiKeyBodySchema.parse(keyIn(request));
    const key = await createKey(context, caller, input);
    // Answered as a page, not by a redirect: no address may lead to the key.
    return newKeyPage(key, context.publicUrl());
  },
});

export const changeKeyFormRoute = pageRoute({
  method: 'POST',
  path: `${PATH}/:id`,
  isFor,
  scopes,
  params,
  handle: async ({ context, caller, params, request }) => {
    await changeOwnKey(context, caller, params.id, apiKeyChangeSchema.parse(keyIn(request)));
    return seeOther(PATH);
  },
});

export const revokeKeyFormRoute = pageRoute({
  method: 'POST',
  path: `${PATH}/:id/revoke`,
  isFor,
  scopes,
  params,
  handle: async ({ context, caller, params }) => {
    await revokeOwnKey(context, caller, params.id);
    return seeOther(PATH);
  },
});
