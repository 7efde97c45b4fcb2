import { SESSION_AGE } from '../../service/sessions/sessions.ts';
import type { HttpRequest } from '../request.ts';

/** A name with this prefix is only taken by browsers from this very host, over an encrypted connection. */
const SECURE_NAME = '__Host-skinsmith';
const PLAIN_NAME = 'skinsmith';
const SECRET = /^[\w-]{43}$/;

type Headed = Pick<HttpRequest, 'headers'>;

/** The secret of the session that a request belongs to, if any. */
export function readSessionCookie(request: Headed, publicUrl: string): string | undefined {
  const name = nameOf(request, publicUrl);
  const { cookie } = request.headers;
  const pairs = String(cookie ?? '').split(';');
  const values = pairs.flatMap((pair) => {
    const [key = '', value = ''] = pair.trim().split('=', 2);
    return key === name ? [value] : [];
  });
  // Two of them: another program on this host put one there, and nobody can tell which.
  return values.length === 1 && SECRET.test(values[0]!) ? values[0] : undefined;
}

/** The value of a Set-Cookie header; without a secret it takes the cookie away. */
export function sessionCookie(request: Headed, publicUrl: string, secret: string | undefined): string {
  const name = nameOf(request, publicUrl);
  const age = secret === undefined ? 0 : SESSION_AGE / 1000;
  const secure = name === SECURE_NAME ? '; Secure' : '';
  return `${name}=${secret ?? ''}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secure}`;
}

function nameOf(request: Headed, publicUrl: string): string {
  return isEncrypted(request, publicUrl) ? SECURE_NAME : PLAIN_NAME;
}

/**
 * Whether the browser's connection is encrypted, as far as is known. No proxy need be trusted for this: who sends a wrong
 * header only gets a stricter cookie.
 */
function isEncrypted({ headers }: Headed, publicUrl: string): boolean {
  const forwarded = headers['x-forwarded-proto'];
  if (typeof forwarded === 'string' && forwarded.split(',', 1)[0]?.trim() === 'https') return true;
  const { protocol, host } = new URL(publicUrl);
  return protocol === 'https:' && headers['host'] === host;
}
