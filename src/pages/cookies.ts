import type { Answer, HttpRequest } from '../server/http/route.ts';
import { makeSecret } from '../server/service/authentication.ts';
import { revokeOwnSession, SESSION_AGE } from '../server/service/sessions.ts';
import type { Page } from './frame.ts';
import { addressWith, type LocalPath, type PageCall, seeOther } from './page-route.ts';

/** Browsers accept names with this prefix only from this very host, over an encrypted connection. */
const SECURE = '__Host-';

/** The cookies, each with its age in seconds and the pattern of its value. */
const COOKIES = {
  /** Identifies the person's session. */
  skinsmith: { age: SESSION_AGE / 1000, value: /^[\w-]{43}$/ },
  /** Identifies a sign-in with a provider. The page to continue to follows in base64url. */
  'skinsmith-sign-in': { age: 600, value: /^[\w-]{43}(?:\.[\w-]{1,400})?$/ },
  /** Identifies the browser of a visitor who is not signed in, and so the jobs from it. */
  'skinsmith-visitor': { age: 30 * 24 * 3600, value: /^[\w-]{43}$/ },
  /** What a visitor uses skins for. The page's script sets it. */
  'skinsmith-use': { age: 365 * 24 * 3600, value: /^[a-z0-9.-]{1,20}$/ },
  /** The language that a reader has chosen. */
  'skinsmith-language': { age: 365 * 24 * 3600, value: /^[A-Za-z-]{2,10}$/ },
} as const;
type CookieName = keyof typeof COOKIES;

type Headed = Pick<HttpRequest, 'headers'>;

/** The secret of the session that a request belongs to, if any. */
export function readSessionCookie(request: Headed, publicUrl: string): string | undefined {
  return readCookie('skinsmith', request, publicUrl);
}

/** The secret in a request's cookie, if any. */
export function readCookie(wanted: CookieName, request: Headed, publicUrl: string): string | undefined {
  const name = cookieName(wanted, request, publicUrl);
  const { cookie } = request.headers;
  const pairs = String(cookie ?? '').split(';');
  const values = pairs.flatMap((pair) => {
    const [key = '', value = ''] = pair.trim().split('=', 2);
    return key === name ? [value] : [];
  });
  // If there are two, another program on this host set one of them, and nothing tells which.
  return values.length === 1 && COOKIES[wanted].value.test(values[0]!) ? values[0] : undefined;
}

/** The whole name of a cookie. */
export function cookieName(wanted: CookieName, request: Headed, publicUrl: string): string {
  return `${prefixOf(request, publicUrl)}${wanted}`;
}

/** The value of a Set-Cookie header for the session; without a secret, it deletes the cookie. */
export function sessionCookie(request: Headed, publicUrl: string, secret: string | undefined): string {
  return setCookie('skinsmith', request, { publicUrl, secret });
}

/** The value of a Set-Cookie header; without a secret, it deletes the cookie. */
export function setCookie(
  wanted: CookieName,
  request: Headed,
  { publicUrl, secret }: { readonly publicUrl: string; readonly secret: string | undefined },
): string {
  const prefix = prefixOf(request, publicUrl);
  const age = secret === undefined ? 0 : COOKIES[wanted].age;
  const secure = prefix === SECURE ? '; Secure' : '';
  return `${prefix}${wanted}=${secret ?? ''}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`;
}

function prefixOf(request: Headed, publicUrl: string): '' | typeof SECURE {
  return isEncrypted(request, publicUrl) ? SECURE : '';
}

/**
 * Whether browsers connect over TLS; they always do if the public address is https. Any proxy's header is trusted
 * here, because a wrong one only makes the cookie stricter.
 */
function isEncrypted({ headers }: Headed, publicUrl: string): boolean {
  const forwarded = headers['x-forwarded-proto'];
  if (typeof forwarded === 'string' && forwarded.split(',', 1)[0]?.trim() === 'https') return true;
  return new URL(publicUrl).protocol === 'https:';
}

/** The longest address to return to, in characters. After a longer one, the start page follows. */
const MAX_LENGTH = 300;
/** What a list also has in its address: the places of the pages before. They are left out. */
const MAX_BACK = 2_100;

/** The address of the sign-in page, which then leads to the requested page, or to the one with the submitted form. */
export function signInAddress(request: Pick<HttpRequest, 'method' | 'url' | 'headers'>): LocalPath {
  const next = request.method === 'GET' ? nextAddress(request.url) : cameFrom(request);
  return addressWith('/ui/sign-in', { next });
}

/** The page with the form that was submitted, if the browser names it. */
export function cameFrom({ headers: { referer } }: Headed): LocalPath | undefined {
  const form = typeof referer === 'string' ? URL.parse(referer) : null;
  return form ? nextAddress(`${form.pathname}${form.search}`) : undefined;
}

/** The normalized address of one of our pages; undefined if it leads elsewhere, because anyone can write links. */
export function nextAddress(text: string | undefined): LocalPath | undefined {
  const here = 'http://this.invalid';
  const url = text === undefined || text.length > MAX_LENGTH + MAX_BACK ? null : URL.parse(text, here);
  if (!url || !/^\/(?:ui|s)\//.test(url.pathname) || url.origin !== here) return undefined;
  url.searchParams.delete('back');
  const address = `${url.pathname}${url.search}` as LocalPath;
  return address.length > MAX_LENGTH ? undefined : address;
}

type Visit = Pick<PageCall, 'context' | 'request' | 'session'>;

/** The secret by which the browser of a visitor who is not signed in finds its own jobs. */
export function visitorSecret({ context, request, session }: Visit): string | undefined {
  return session ? undefined : readCookie('skinsmith-visitor', request, context.publicUrl());
}

/** Adds the visitor's secret to a page with the form that makes skins, if the browser has none. */
export function withVisitorCookie(page: Page, visit: Visit): Page {
  const { context, request, session } = visit;
  if (session || visitorSecret(visit) !== undefined) return page;
  const input = { publicUrl: context.publicUrl(), secret: makeSecret() };
  const cookie = setCookie('skinsmith-visitor', request, input);
  return { ...page, headers: { ...page.headers, 'Set-Cookie': cookie } };
}

/** Replaces the browser's session with a new one. `next`: the page that the person wanted to see. */
export async function signedIn(
  { context, request, session }: PageCall,
  secret: string,
  next?: string,
): Promise<Answer> {
  if (session) await revokeOwnSession(context, session, session.sessionId);
  const publicUrl = context.publicUrl();
  const cookies = [sessionCookie(request, publicUrl, secret)];
  // The cookie of a sign-in with a provider is no longer needed.
  if (readCookie('skinsmith-sign-in', request, publicUrl) !== undefined)
    cookies.push(setCookie('skinsmith-sign-in', request, { publicUrl, secret: undefined }));
  return seeOther(nextAddress(next) ?? '/ui/', { 'Set-Cookie': cookies });
}
