import type { HttpRequest } from '../http/request.ts';
import type { Answer } from '../http/route.ts';
import { Refusal } from '../service/refusal.ts';
import { makeSecret, revokeOwnSession, SESSION_AGE } from '../service/sessions.ts';
import type { FormMaker, Page } from './frame.ts';
import { type PageCall, seeOther } from './page-route.ts';

/** A name with this prefix is only taken by browsers from this very host, over an encrypted connection. */
const SECURE = '__Host-';

/** The cookies, each with the seconds for which a browser keeps it, and what its value looks like: a secret. */
const COOKIES = {
  /** Of the person's session. */
  skinsmith: { age: SESSION_AGE / 1000, value: /^[\w-]{43}$/ },
  /** Of a sign-in that leads by way of a provider; the page to go on to follows, in base64url. */
  'skinsmith-sign-in': { age: 600, value: /^[\w-]{43}(?:\.[\w-]{1,400})?$/ },
  /** Of a visitor who is not signed in: it shows which jobs come from the browser. */
  'skinsmith-visitor': { age: 30 * 24 * 3600, value: /^[\w-]{43}$/ },
} as const;
type CookieName = keyof typeof COOKIES;

type Headed = Pick<HttpRequest, 'headers'>;

/** The secret of the session that a request belongs to, if any. */
export function readSessionCookie(request: Headed, publicUrl: string): string | undefined {
  return readCookie('skinsmith', request, publicUrl);
}

/** The secret that a request brings, if any. */
export function readCookie(cookieName: CookieName, request: Headed, publicUrl: string): string | undefined {
  const name = `${prefixOf(request, publicUrl)}${cookieName}`;
  const { cookie } = request.headers;
  const pairs = String(cookie ?? '').split(';');
  const values = pairs.flatMap((pair) => {
    const [key = '', value = ''] = pair.trim().split('=', 2);
    return key === name ? [value] : [];
  });
  // Two of them: another program on this host put one there, and nobody can tell which.
  return values.length === 1 && COOKIES[cookieName].value.test(values[0]!) ? values[0] : undefined;
}

/** The value of a Set-Cookie header for the session; without a secret it takes the cookie away. */
export function sessionCookie(request: Headed, publicUrl: string, secret: string | undefined): string {
  return setCookie('skinsmith', request, { publicUrl, secret });
}

/** The value of a Set-Cookie header; without a secret it takes the cookie away. */
export function setCookie(
  cookieName: CookieName,
  request: Headed,
  { publicUrl, secret }: { readonly publicUrl: string; readonly secret: string | undefined },
): string {
  const prefix = prefixOf(request, publicUrl);
  const age = secret === undefined ? 0 : COOKIES[cookieName].age;
  const secure = prefix === SECURE ? '; Secure' : '';
  return `${prefix}${cookieName}=${secret ?? ''}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`;
}

function prefixOf(request: Headed, publicUrl: string): '' | typeof SECURE {
  return isEncrypted(request, publicUrl) ? SECURE : '';
}

/**
 * Whether browsers come over an encrypted connection: always, if the public address is one of https. This trusts any
 * proxy: a wrong header only makes the cookie stricter.
 */
function isEncrypted({ headers }: Headed, publicUrl: string): boolean {
  const forwarded = headers['x-forwarded-proto'];
  if (typeof forwarded === 'string' && forwarded.split(',', 1)[0]?.trim() === 'https') return true;
  return new URL(publicUrl).protocol === 'https:';
}

/** Characters of an address that is kept: longer ones lead to the start page. */
const MAX_LENGTH = 300;

/** Where a person signs in, and from there on to the page that was asked for. A form that was sent is lost. */
export function signInAddress({ method, url }: Pick<HttpRequest, 'method' | 'url'>): `/ui${string}` {
  const next = method === 'GET' ? nextAddress(url) : undefined;
  return next === undefined ? '/ui/sign-in' : `/ui/sign-in?${new URLSearchParams({ next })}`;
}

/** An address on these pages, however it was written; undefined for one that leads elsewhere: links come from anybody. */
export function nextAddress(text: string | undefined): `/ui${string}` | undefined {
  const here = 'http://this.invalid';
  const url = text === undefined || text.length > MAX_LENGTH ? null : URL.parse(text, here);
  if (!url?.pathname.startsWith('/ui/') || url.origin !== here) return undefined;
  return `${url.pathname}${url.search}` as `/ui${string}`;
}

type Visit = Pick<PageCall, 'context' | 'request' | 'session'>;

/** The secret of the browser of a visitor who is not signed in, by which it finds its own jobs. */
export function visitorSecret({ context, request, session }: Visit): string | undefined {
  return session ? undefined : readCookie('skinsmith-visitor', request, context.publicUrl());
}

/** A page with the form that makes skins. It gives the browser of a visitor its secret. */
export function forMaker(page: Page, visit: Visit): Page {
  const { context, request, session } = visit;
  if (session || visitorSecret(visit) !== undefined) return page;
  const input = { publicUrl: context.publicUrl(), secret: makeSecret() };
  return { ...page, headers: { 'Set-Cookie': setCookie('skinsmith-visitor', request, input) } };
}

export function makerOf({ caller, session }: Pick<PageCall, 'caller' | 'session'>): FormMaker {
  return { name: session?.caller.name, hasPrivateSkins: caller.plan.privateSkins };
}

/**
 * Whoever was signed in when the form was drawn must still be, or the skin would be nobody's for good.
 * @param maker the name that the form has, or nothing
 * @throws Refusal `unauthorized`
 */
export function verifyMaker({ session }: Pick<PageCall, 'session'>, maker: unknown): void {
  if (typeof maker !== 'string' || maker === '' || maker === session?.caller.name) return;
  const message = session
    ? `You are signed in as ${session.caller.name} now, and no longer as ${maker}. Load the page again.`
    : 'You have been signed out. Sign in again, and send this once more.';
  throw new Refusal('unauthorized', { message });
}

/** Gives the browser its new session, in place of the one that it had. `next`: the page that the person wanted to see. */
export async function signedIn(
  { context, request, session }: PageCall,
  secret: string,
  next?: string,
): Promise<Answer> {
  if (session) await revokeOwnSession(context, session, session.sessionId);
  const publicUrl = context.publicUrl();
  const cookies = [sessionCookie(request, publicUrl, secret)];
  // That of the way by a provider has done its work.
  if (readCookie('skinsmith-sign-in', request, publicUrl) !== undefined)
    cookies.push(setCookie('skinsmith-sign-in', request, { publicUrl, secret: undefined }));
  return seeOther(nextAddress(next) ?? '/ui/', { 'Set-Cookie': cookies });
}
