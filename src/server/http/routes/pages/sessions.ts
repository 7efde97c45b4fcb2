import { z } from 'zod';
import { sessionsPage } from '../../../pages/views/sessions.ts';
import { hasScope } from '../../../service/callers/caller.ts';
import { readIdentities } from '../../../service/openid/identities.ts';
import { endSession, listOwnSessions, type SessionCaller } from '../../../service/sessions.ts';
import { type PageCall, pageRoute, seeOther } from '../../pages/page-route.ts';

export const sessionsRoute = pageRoute({
  method: 'GET',
  path: '/ui/sessions',
  isFor: 'users',
  handle: async (call) => {
    const { context, caller } = call;
    const sessions = await listOwnSessions(context, sessionOf(call));
    const isWhole = hasScope(caller, 'account');
    const identities = isWhole ? await readIdentities(context, caller) : [];
    return sessionsPage({ sessions, isWhole, identities, origin: context.publicUrl() });
  },
});

export const endSessionRoute = pageRoute({
  method: 'POST',
  path: '/ui/sessions/:id/end',
  isFor: 'users',
  params: z.object({ id: z.string().regex(/^[0-9a-f]{24}$/, 'not a session') }),
  handle: async (call) => {
    await endSession(call.context, sessionOf(call), call.params.id);
    return seeOther('/ui/sessions');
  },
});

/** Pages for users are only answered with a session. */
function sessionOf({ session }: Pick<PageCall, 'session'>): SessionCaller {
  if (!session) throw new Error('A page for users was answered without a session.');
  return session;
}
