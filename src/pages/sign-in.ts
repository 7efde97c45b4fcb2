import { z } from 'zod';
import { type Content, type Html, html, say } from '../html/html.ts';
import { type Identity, identityIdSchema } from '../protocol/account.ts';
import { userNameSchema } from '../protocol/user.ts';
import type { ServiceContext } from '../server/context.ts';
import { originsOf } from '../server/http/route.ts';
import { ProviderError, type ProviderFault } from '../server/openid/claims.ts';
import { makeSecret } from '../server/service/authentication.ts';
import { hasScope } from '../server/service/callers.ts';
import {
  becomeNewUser,
  becomeUserOfKey,
  readFirstSignIn,
  readIdentities,
  signInWithProvider,
  unlinkIdentity,
} from '../server/service/openid.ts';
import { Refusal } from '../server/service/refusal.ts';
import {
  endOtherSessions,
  listOwnSessions,
  proveAddress,
  revokeOwnSession,
  type SessionCaller,
  type SessionView,
  signInWithKey,
  signInWithLink,
} from '../server/service/sessions.ts';
import { nextAddress, readCookie, sessionCookie, setCookie, signedIn } from './cookies.ts';
import { accountPage, identityRows, inEnglish, minuteOf, moment, type Page, reasonOf } from './frame.ts';
import { userPath } from './operator-moderation.ts';
import {
  addressWith,
  formFor,
  type PageAnswer,
  type PageCall,
  type PageRoute,
  pageFor,
  seeOther,
} from './page-route.ts';

const PATH = '/ui/sign-in';
const LINK_PATH = '/ui/sign-in/link';
const secretSchema = z.object({ secret: z.string().regex(/^[\w-]{43}$/, 'not a sign-in link') });
const nextQuery = z.object({ next: z.string().optional() });
type Next = z.output<typeof nextQuery>;
const questionSchema = z.object({ address: z.string().max(2048), nonce: z.string().max(64) });
const keySchema = z.object({ key: z.string().max(512), next: z.string().optional() });

const PROVIDER_SIGN_IN_PATH = '/ui/sign-in/provider';
const ANSWER_PATH = '/ui/sign-in/callback';
const FIRST_PATH = '/ui/sign-in/first';

export const SIGN_IN_PAGES: readonly PageRoute[] = [
  pageFor('everyone', PATH, { query: nextQuery }, async ({ context, session, query: { next } }) => {
    const page = nextAddress(next);
    if (session && page !== undefined) return seeOther(page);
    return signInPage({ provider: providerOf(context, next), next: page, signedIn: session?.caller.name });
  }),
  formFor('everyone', PATH, { fields: keySchema }, async (call) => {
    const { context, request } = call;
    const { key, next } = call.fields;
    try {
      return await signedIn(call, await signInWithKey(context, key, originsOf(request)), next);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'invalid_api_key') throw error;
      const reason = error.message.replace(/\.$/, '');
      const message = say`This API key is not valid here: ${inEnglish(reason)}. Check that you copied all of it.`;
      const problem = { message, status: 403 };
      return signInPage({ problem, provider: providerOf(context, next), next: nextAddress(next) });
    }
  }),
  /**
   * A link that the person opened from a terminal or typed signs in at once. A link on another site asks for
   * confirmation first: it could sign the person in to someone else's account, which would then own the person's skins.
   */
  pageFor('everyone', LINK_PATH, { query: secretSchema }, async (call) => {
    const { method, headers } = call.request;
    // A HEAD request, or a browser's prefetch, must not use up the link.
    const isOpened = method === 'GET' && headers['sec-purpose'] === undefined;
    if (!isOpened || headers['sec-fetch-site'] !== 'none') return linkPage(call.query.secret);
    return await followLink(call, call.query.secret);
  }),
  formFor('everyone', LINK_PATH, { fields: secretSchema }, async (call) => {
    return await followLink(call, call.fields.secret);
  }),
  // For commands that use the same store: before they send a link here, they verify that it leads to this service.
  pageFor('everyone', '/ui/sign-in/proof', { query: questionSchema }, async ({ context, query }) => {
    const proof = await proveAddress(context, query);
    if (proof === undefined)
      throw new Refusal('not_found', 'This address does not belong to this server alone.');
    return { status: 204, body: undefined, headers: { 'Skinsmith-Proof': proof } };
  }),
  formFor('everyone', '/ui/sign-out', {}, async ({ context, request, session }) => {
    if (session) await revokeOwnSession(context, session, session.sessionId);
    return seeOther('/ui/', { 'Set-Cookie': sessionCookie(request, context.publicUrl(), undefined) });
  }),
  // A link, not a form: the content policy of the pages forbids forms that lead to another server.
  pageFor('everyone', PROVIDER_SIGN_IN_PATH, { query: nextQuery }, orSignInPage(leadToProvider)),
  pageFor('everyone', ANSWER_PATH, {}, orSignInPage(takeAnswer)),
  pageFor('everyone', FIRST_PATH, {}, orSignInPage(welcome)),
  formFor('everyone', FIRST_PATH, {}, orSignInPage(becomeUser)),
];

async function leadToProvider({ context, request, query }: PageCall<unknown, Next>): Promise<PageAnswer> {
  const { openId, publicUrl } = context;
  if (!openId) throw new Refusal('not_found');
  const secret = makeSecret();
  const address = await openId.begin(secret, `${publicUrl()}${ANSWER_PATH}`);
  const page = nextAddress(query.next);
  const kept = page === undefined ? secret : `${secret}.${Buffer.from(page).toString('base64url')}`;
  const cookie = setCookie('skinsmith-sign-in', request, { publicUrl: publicUrl(), secret: kept });
  return { status: 303, body: undefined, headers: { Location: address.href, 'Set-Cookie': cookie } };
}

async function takeAnswer(call: PageCall): Promise<PageAnswer> {
  const { context, request } = call;
  const answer = new URL(`${context.publicUrl()}${ANSWER_PATH}`);
  answer.search = request.url.includes('?') ? request.url.slice(request.url.indexOf('?')) : '';
  const { secret, next } = signInOf(call);
  const session = await signInWithProvider(context, { answer, secret }, originsOf(request));
  return session === undefined ? seeOther(FIRST_PATH) : await signedIn(call, session, next);
}

async function becomeUser(call: PageCall): Promise<PageAnswer> {
  const { context, request } = call;
  const { key } = formSchema.parse(request.body ?? {});
  const { secret, next } = signInOf(call);
  const origins = originsOf(request);
  if (key === undefined) return await signedIn(call, await becomeNewUser(context, secret, origins), next);
  try {
    return await signedIn(call, await becomeUserOfKey(context, { secret, key }, origins), next);
  } catch (error) {
    if (error instanceof Refusal)
      return await welcome(call, say`This key was not accepted: ${reasonOf(error)}`);
    throw error;
  }
}

async function followLink(call: PageCall, link: string): Promise<PageAnswer> {
  const { context, request } = call;
  try {
    return await signedIn(call, await signInWithLink(context, link, originsOf(request)));
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'link_gone') throw error;
    const message = say`${reasonOf(error)} Ask the operator for a new one, or run skinsmith open again.`;
    return signInPage({ problem: { message, status: error.status }, provider: providerOf(context) });
  }
}

const formSchema = z.object({ key: z.string().max(512).optional() });

/** The provider to sign in with. The address is absolute, because the provider returns only to the public address. */
function providerOf({ openId, publicUrl }: ServiceContext, next?: string): SignInView['provider'] {
  const path = addressWith(PROVIDER_SIGN_IN_PATH, { next: nextAddress(next) });
  return openId && { name: openId.name, address: `${publicUrl()}${path}` };
}

async function welcome(call: PageCall, problem?: Html): Promise<Page> {
  const { name } = await readFirstSignIn(call.context, signInOf(call).secret);
  return firstSignInPage(name, call.context.openId?.name ?? say`the provider`, problem);
}

/** @throws ProviderError for a browser that did not start a sign-in, or started it too long ago */
function signInOf(call: PageCall): { readonly secret: string; readonly next: string | undefined } {
  const { context, request } = call;
  const kept = readCookie('skinsmith-sign-in', request, context.publicUrl());
  if (kept === undefined) throw new ProviderError('stale', 'this browser has not started a sign-in');
  const [secret = ''] = kept.split('.', 1);
  return { secret, next: keptNext(call) };
}

/** The page to continue to, as the browser's cookie keeps it during a sign-in with a provider. */
function keptNext({ context, request }: PageCall): string | undefined {
  const [, next] = readCookie('skinsmith-sign-in', request, context.publicUrl())?.split('.', 2) ?? [];
  return next && Buffer.from(next, 'base64url').toString();
}

/** Shows on the sign-in page why the provider's sign-in failed. Keys and links still work. */
function orSignInPage<Call extends PageCall>(answer: (call: Call) => Promise<PageAnswer>) {
  return async (call: Call): Promise<PageAnswer> => {
    try {
      return await answer(call);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      if (REPORTED.has(error.code))
        call.request.log.error({ err: error }, 'sign-in by OpenID Connect failed');
      const next = keptNext(call);
      const provider = providerOf(call.context, next);
      const { status, text } = PROBLEMS[error.code];
      const problem = { status, message: text(provider?.name) };
      return signInPage({ problem, provider, next: nextAddress(next) });
    }
  };
}

/** Faults that the operator can fix. */
const REPORTED: ReadonlySet<ProviderFault> = new Set(['unreachable', 'invalid']);

const PROBLEMS = {
  unreachable: {
    status: 503,
    text: (name) => say`${name} is not responding. Try again later, or sign in with a key.`,
  },
  denied: { status: 403, text: (name) => say`Signing in with ${name} failed.` },
  stale: {
    status: 403,
    text: () =>
      say`This sign-in was already used, has expired, or was started in another browser. Start again.`,
  },
  not_allowed: {
    status: 403,
    text: () => say`You are not allowed to use this server. Its operator decides who is.`,
  },
  busy: {
    status: 429,
    text: () => say`Too many people are signing in. Try again in a minute, or sign in with a key.`,
  },
  invalid: {
    status: 502,
    text: (name) => say`${name} sent an invalid answer, so you could not be signed in. Tell the operator.`,
  },
} satisfies Record<ProviderFault, { status: number; text: (name: Content) => Html }>;

interface SignInView {
  /** Why the last attempt failed, and the status that says so. */
  readonly problem?: { readonly message: Html; readonly status: number } | undefined;
  /** The single sign-on provider, and the address where its sign-in starts. */
  readonly provider?: { readonly name: string; readonly address: string } | undefined;
  /** The page to continue to. */
  readonly next?: string | undefined;
  /** The name of the person who is signed in already. */
  readonly signedIn?: string | undefined;
}

function signInPage({ problem, provider, next, signedIn: name }: SignInView): Page {
  return {
    ...(problem && { status: problem.status }),
    title: say`Sign in`,
    body: html`${problem && html`<p class="panel narrow problem" role="alert">${problem.message}</p>`}
${name !== undefined && html`<p>${say`You are signed in as <strong><bdi>${name}</bdi></strong>. <a href="/ui/">Continue</a>, or sign in as someone else.`}</p>`}
${provider && html`<p class="narrow"><a class="button wide" href="${provider.address}">${say`Sign in with ${provider.name}`}</a></p><p class="narrow quiet">${say`This browser then stays signed in for a day, or until you sign out.`}</p><p class="narrow or">${say`or`}</p>`}
${keyForm(next, provider !== undefined)}
<h2>${say`No key yet?`}</h2>
<p>${
      provider
        ? say`Sign in with ${provider.name}: you get an account, and can create keys there. The operator of this server can also give you a key. Once signed in, you can create more under API keys in your account.`
        : say`The operator of this server gives you a key. Once signed in, you can create more under API keys in your account.`
    }</p>
<details><summary>${say`Do you run this server?`}</summary><p>${say`On its machine, you need no key: <code>skinsmith open</code> opens these pages and signs you in. <code>skinsmith keys create --user NAME</code> makes a key for someone else.`}</p></details>`,
  };
}

/** `isSecond`: whether there is another way to sign in, which is the usual one. */
function keyForm(next: string | undefined, isSecond: boolean): Html {
  return html`<form class="panel narrow" method="post" action="/ui/sign-in">
<label for="key">${say`API key`}</label>
<input id="key" name="key" type="password" required autocomplete="current-password" spellcheck="false" aria-describedby="key-hint">
<p id="key-hint" class="quiet">${say`Paste it once. This browser then stays signed in for 30 days, or until you sign out.`}</p>
${next !== undefined && html`<input type="hidden" name="next" value="${next}">`}<button type="submit"${isSecond && html` class="quiet-button"`}>${say`Sign in`}</button></form>`;
}

/** `name`: of the user that would be created; `problem`: why the key was not accepted. */
function firstSignInPage(name: string, provider: Content, problem: Html | undefined): Page {
  return {
    ...(problem !== undefined && { status: 403 }),
    title: say`Welcome`,
    body: html`<p class="lead">${say`You signed in with ${provider} for the first time.`}</p>
<form class="panel narrow" method="post" action="/ui/sign-in/first"><h2>${say`New here?`}</h2>
<p>${say`You get your own account, named <bdi>${name}</bdi> if that name is free.`}</p>
<button>${say`Create my account`}</button></form>
<form class="panel narrow" method="post" action="/ui/sign-in/first"><h2>${say`Already have an account?`}</h2>
${problem !== undefined && html`<p class="problem" role="alert">${problem}</p>`}
<label for="key">${say`API key of that account`}</label>
<input id="key" name="key" type="password" required autocomplete="current-password" spellcheck="false" aria-describedby="key-hint">
<p id="key-hint" class="quiet">${say`The key needs full access. From now on, ${provider} signs you in to that account.`}</p>
<button>${say`Use this account`}</button></form>`,
  };
}

/** Asks for confirmation before signing in: a link on another site could be someone else's. */
function linkPage(secret: string): Page {
  return {
    title: say`Sign in with this link?`,
    body: html`<form class="panel narrow" method="post" action="/ui/sign-in/link"><p>${say`Continue only if the operator of this server has sent you this link, or you created it yourself with <code>skinsmith open</code>.`}</p>
<input type="hidden" name="secret" value="${secret}"><button>${say`Sign in`}</button></form>`,
  };
}

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
