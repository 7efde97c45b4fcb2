import { SESSION_AGE } from '../../service/sessions.ts';
import type { HttpRequest } from '../request.ts';

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
