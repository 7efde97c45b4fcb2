import { z } from 'zod';
import { identityIdSchema } from '../../../../protocol/account.ts';
import { userNameSchema } from '../../../../protocol/user.ts';
import { lastWayPage } from '../../../pages/frame/identities.ts';
import { readIdentities, unlinkIdentity } from '../../../service/openid/identities.ts';
import {
  type PageAnswer,
  type PageCall,
  type PageRoute,
  pageRoute,
  seeOther,
} from '../../pages/page-route.ts';

const lastSchema = z.object({ last: z.literal('yes').optional() });

const unlinkOwnFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/account/identities/:id/unlink',
  isFor: 'users',
  scopes: ['account'],
  params: z.object({ id: identityIdSchema }),
  handle: async (call) =>
    await unlinked(call, { path: '/ui/account/identities', back: '/ui/sessions', whose: 'You have' }),
});

const unlinkFormRoute = pageRoute({
  method: 'POST',
  path: '/ui/operator/users/:name/identities/:id/unlink',
  isFor: 'users',
  scopes: ['operator'],
  params: z.object({ id: identityIdSchema, name: userNameSchema }),
  handle: async (call) => {
    const user = call.params.name;
    const path = `/ui/operator/users/${user}/identities`;
    const back = `/ui/operator/users?filter=${user}` as const;
    return await unlinked(call, { user, path, back, whose: 'This user has' });
  },
});

export const IDENTITY_ROUTES: readonly PageRoute[] = [unlinkOwnFormRoute, unlinkFormRoute];

interface Unlink {
  /** Default: the person who is signed in. */
  readonly user?: string;
  readonly path: string;
  readonly back: `/ui${string}`;
  readonly whose: Parameters<typeof lastWayPage>[1]['whose'];
}

/** The only way in is unlinked when the person has been told, and says so. */
async function unlinked(
  { context, caller, session, params: { id }, request }: PageCall<{ readonly id: string }>,
  { user, path, back, whose }: Unlink,
): Promise<PageAnswer> {
  const { last } = lastSchema.parse(request.body ?? {});
  const identities = await readIdentities(context, caller, user);
  const lastWay = identities.find((one) => one.id === id && one.isLastWay);
  if (lastWay && last === undefined)
    return lastWayPage(`${path}/${id}/unlink`, { subject: lastWay.subject, back, whose });
  const mayBeLast = last !== undefined;
  await unlinkIdentity(context, caller, { id, user, mayBeLast, sessionId: session?.sessionId });
  return seeOther(back);
}
