import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** Requests to the game's services. */
export type CallKind =
  | 'profile'
  | 'joined'
  | 'account'
  | 'skin_upload'
  | 'skin_url'
  | 'skin_reset'
  | 'cape_hide'
  | 'entitlements'
  | 'name'
  | 'names'
  | 'keys'
  | 'texture'
  | 'device_code'
  | 'token'
  | 'xbox'
  | 'xsts'
  | 'login'
  | 'xuid'
  | 'bedrock_skin'
  | 'control'
  | 'other';

/** What changes how an account looks. */
export const CHANGES: readonly CallKind[] = ['skin_upload', 'skin_url', 'skin_reset'];

/** A request whose body has arrived completely. */
export interface Call {
  /** 1 for the first that the services got. */
  readonly number: number;
  readonly kind: CallKind;
  /** What the path names: a UUID, a name, a texture, a control; empty where it names none. */
  readonly subject: string;
  readonly query: URLSearchParams;
  /** Of the `Authorization` header. */
  readonly token: string | undefined;
  readonly contentType: string;
  readonly body: Buffer;
  /** First part of the path, which names the service. */
  readonly origin: string;
}

type Route = readonly [method: string, path: RegExp, kind: CallKind];

const ROUTES: readonly Route[] = [
  ['GET', /^\/sessionserver\/session\/minecraft\/profile\/([^/]+)$/, 'profile'],
  ['GET', /^\/sessionserver\/session\/minecraft\/hasJoined$/, 'joined'],
  ['GET', /^\/services\/minecraft\/profile$/, 'account'],
  ['POST', /^\/services\/minecraft\/profile\/skins$/, 'skin_upload'],
  ['DELETE', /^\/services\/minecraft\/profile\/skins\/active$/, 'skin_reset'],
  ['DELETE', /^\/services\/minecraft\/profile\/capes\/active$/, 'cape_hide'],
  ['GET', /^\/services\/entitlements\/mcstore$/, 'entitlements'],
  ['GET', /^\/services\/minecraft\/profile\/lookup\/name\/([^/]+)$/, 'name'],
  ['POST', /^\/services\/minecraft\/profile\/lookup\/bulk\/byname$/, 'names'],
  ['GET', /^\/services\/publickeys$/, 'keys'],
  ['GET', /^\/texture\/([^/]+)$/, 'texture'],
  ['POST', /^\/live\/oauth20_connect\.srf$/, 'device_code'],
  ['POST', /^\/live\/oauth20_token\.srf$/, 'token'],
  ['POST', /^\/azure\/consumers\/oauth2\/v2\.0\/devicecode$/, 'device_code'],
  ['POST', /^\/azure\/consumers\/oauth2\/v2\.0\/token$/, 'token'],
  ['POST', /^\/xbox\/user\/authenticate$/, 'xbox'],
  ['POST', /^\/xsts\/xsts\/authorize$/, 'xsts'],
  ['POST', /^\/services\/authentication\/login_with_xbox$/, 'login'],
  ['GET', /^\/geyser\/v2\/xbox\/xuid\/([^/]+)$/, 'xuid'],
  ['GET', /^\/geyser\/v2\/skin\/([^/]+)$/, 'bedrock_skin'],
  ['GET', /^\/_fake\/(\w+)$/, 'control'],
  ['POST', /^\/_fake\/(\w+)$/, 'control'],
];

/** @throws Error when the caller goes away before its body is whole */
export async function readCall(message: IncomingMessage, number: number): Promise<Call> {
  const { method = '', url = '/', headers } = message;
  const { pathname, searchParams } = new URL(url, 'http://game');
  const contentType = headers['content-type'] ?? '';
  const { kind, subject } = routeOf(method, pathname);
  return {
    number,
    kind: kind === 'skin_upload' && contentType.startsWith('application/json') ? 'skin_url' : kind,
    subject,
    query: searchParams,
    token: headers.authorization?.replace(/^Bearer /, ''),
    contentType,
    body: await buffer(message),
    origin: pathname.split('/', 2)[1] ?? '',
  };
}

function routeOf(method: string, path: string): Pick<Call, 'kind' | 'subject'> {
  for (const [wanted, pattern, kind] of ROUTES) {
    const match = method === wanted ? pattern.exec(path) : null;
    if (match) return { kind, subject: decodeURIComponent(match[1] ?? '') };
  }
  return { kind: 'other', subject: '' };
}
