import { z } from 'zod';
import { type Content, type Html, html, say } from '../html/html.ts';
import { type Identity, identityIdSchema } from '../protocol/account.ts';
import { userNameSchema } from '../protocol/user.ts';
import { hasScope } from '../server/service/callers.ts';
import { readIdentities, unlinkIdentity } from '../server/service/openid.ts';
import {
  endOtherSessions,
  listOwnSessions,
  revokeOwnSession,
  type SessionCaller,
  type SessionView,
} from '../server/service/sessions.ts';
import { accountPage, identityRows, minuteOf, moment, type Page } from './frame.ts';
import { userPath } from './operator-moderation.ts';
import { formFor, type PageAnswer, type PageCall, type PageRoute, pageFor, seeOther } from './page-route.ts';

const ofSession = z.object({ id: z.string().regex(/^[0-9a-f]{24}$/, 'not a session') });
const ofIdentity = z.object({ id: identityIdSchema });

export const SESSION_PAGES: readonly PageRoute[] = [
  pageFor('users', '/ui/sessions', {}, sessionsPage),
  formFor('users', '/ui/sessions/end-others', { leadsTo: '/ui/sessions' }, async (call) => {
    await endOtherSessions(call.context, sessionOf(call));
  }),
  formFor('users', '/ui/sessions/:id/end', { params: ofSession, leadsTo: '/ui/sessions' }, async (call) => {
    await revokeOwnSession(call.context, sessionOf(call), call.params.id);
  }),
  formFor('account', '/ui/account/identities/:id/unlink', { params: ofIdentity }, async (call) => {
    return await unlinked(call, undefined);
  }),
  formFor(
    'operator',
    '/ui/operator/users/:name/identities/:id/unlink',
    { params: ofIdentity.extend({ name: userNameSchema }) },
    async (call) => await unlinked(call, call.params.name),
  ),
];

/** The session, which pages for users always have. */
function sessionOf({ session }: Pick<PageCall, 'session'>): SessionCaller {
  if (!session) throw new Error('A page for users was answered without a session.');
  return session;
}

const lastSchema = z.object({ last: z.literal('yes').optional() });

/**
 * Unlinks an identity of a user, or of the person who is signed in. The only way to sign in needs the person's
 * confirmation.
 */
async function unlinked(
  { context, caller, session, params: { id }, request }: PageCall<{ readonly id: string }>,
  user: string | undefined,
): Promise<PageAnswer> {
  const { last } = lastSchema.parse(request.body ?? {});
  const isOwn = user === undefined;
  const back = isOwn ? '/ui/sessions' : userPath(user);
  const identities = await readIdentities(context, caller, user);
  const lastWay = identities.find((one) => one.id === id && one.isLastWay);
  if (lastWay && last === undefined)
    return confirmUnlinkPage(lastWay, { isOwn, back, path: `${isOwn ? '/ui/account' : back}/identities` });
  const mayBeLast = last !== undefined;
  await unlinkIdentity(context, caller, { id, user, mayBeLast, sessionId: session?.sessionId });
  return seeOther(back);
}

/** Asks for confirmation before the only way to sign in is removed. `back`: the page to return to. */
function confirmUnlinkPage(
  { id, subject }: Identity,
  { isOwn, back, path }: { readonly isOwn: boolean; readonly back: string; readonly path: string },
): Page {
  const warning = isOwn
    ? say`You have no other way to sign in: no API key without restrictions, and no other account at a provider. Create a key first; otherwise only an operator can let you back in.`
    : say`This user has no other way to sign in: no API key without restrictions, and no other account at a provider. Create a key first; otherwise only an operator can let the user back in.`;
  return {
    title: say`Unlink the only way to sign in?`,
    body: html`<form class="panel" method="post" action="${path}/${id}/unlink"><input type="hidden" name="last" value="yes">
<p><strong><bdi class="breaks">${subject}</bdi></strong></p>
<p>${warning}</p>
<div class="acts"><button class="danger">${say`Unlink anyway`}</button> <a href="${back}">${say`Keep it`}</a></div></form>`,
  };
}

async function sessionsPage(call: PageCall): Promise<Page> {
  const { context, caller } = call;
  const sessions = await listOwnSessions(context, sessionOf(call));
  /** Whether these are all of the person's sessions. */
  const isWhole = hasScope(caller, 'account');
  const identities = isWhole ? await readIdentities(context, caller) : [];
  const body = html`<ul class="list">${sessions.map(row)}</ul>
${sessions.length > 1 && html`<form method="post" action="/ui/sessions/end-others"><button class="quiet-button danger">${say`End all others`}</button></form>`}
${!isWhole && html`<p class="quiet">${say`To see your other sessions, sign in with an API key that has the permission account.`}</p>`}
${identities.length > 0 && ways(identities)}`;
  return accountPage('sessions', { title: say`Where you are signed in`, body }, isWhole);
}

function ways(identities: readonly Identity[]): Html {
  return html`<section aria-labelledby="ways"><h2 id="ways">${say`Single sign-on accounts`}</h2>
<p>${say`Once unlinked, an account can no longer sign you in. Browsers that signed in without an API key are signed out, except this one.`}</p>
<ul class="list">${identityRows(identities, '/ui/account/identities')}</ul></section>`;
}

function row({ id, agent, created_at, used_at, expires_at, isCurrent }: SessionView): Html {
  return html`<li class="panel"><div class="grow"><strong>${browserOf(agent)}</strong>${isCurrent && html` <span class="tag active">${say`this browser`}</span>`}
<p class="quiet">${say`Signed in ${moment(created_at)}, last seen ${moment(used_at)}, expires ${moment(expires_at)}`}</p></div>
<form method="post" action="/ui/sessions/${id}/end"><button class="quiet-button" aria-label="${say`End the session of ${browserOf(agent)}, signed in ${minuteOf(created_at)}`}">${say`End`}</button></form></li>`;
}

const BROWSERS = ['Firefox', 'Edg', 'OPR', 'Chrome', 'Safari', 'curl'] as const;
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS', 'Linux'] as const;

/** A User-Agent in a few words, or its beginning if the browser is unknown. */
function browserOf(agent: string): Content {
  const browser = BROWSERS.find((name) => agent.includes(`${name}/`));
  if (!browser) return agent.slice(0, 60) || say`Unknown browser`;
  const system = SYSTEMS.find((name) => agent.includes(name));
  return system ? say`${browser} on ${system}` : browser;
}
