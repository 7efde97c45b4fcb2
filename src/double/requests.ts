import type { IncomingHttpHeaders } from 'node:http';

export const REQUEST_KINDS = [
  'submit',
  'generate',
  'list',
  'job',
  'me',
  'key',
  'own-skins',
  'delay',
  'skins',
  'skin',
  'edit',
  'delete',
  'skin-texture',
  'capes',
  'texture',
  'root',
  'records',
  'other',
] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** A request whose body has arrived whole. Names of headers in lower case. */
export interface DoubleRequest {
  /** 1 for the first that the double got. */
  readonly number: number;
  readonly kind: RequestKind;
  readonly method: string;
  /** Path and query. */
  readonly address: string;
  /** What the path names: a job, a skin, a texture; empty where it names none. */
  readonly subject: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const ROUTES: readonly (readonly [method: string, path: RegExp, kind: RequestKind])[] = [
  ['POST', /^\/v2\/queue\/?$/, 'submit'],
  ['POST', /^\/v2\/generate\/?$/, 'generate'],
  ['GET', /^\/v2\/queue\/?$/, 'list'],
  ['GET', /^\/v2\/queue\/([^/]+)$/, 'job'],
  ['GET', /^\/v2\/me\/?$/, 'me'],
  ['GET', /^\/v2\/me\/apikey$/, 'key'],
  ['GET', /^\/v2\/me\/skins$/, 'own-skins'],
  ['GET', /^\/v2\/delay\/?$/, 'delay'],
  ['GET', /^\/v2\/skins(?:\/|\/latest)?$/, 'skins'],
  ['GET', /^\/v2\/skins\/([^/]+)$/, 'skin'],
  ['PATCH', /^\/v2\/skins\/([^/]+)$/, 'edit'],
  ['DELETE', /^\/v2\/skins\/([^/]+)$/, 'delete'],
  ['GET', /^\/v2\/skins\/([^/]+)\/texture$/, 'skin-texture'],
  ['GET', /^\/v2\/capes\/?$/, 'capes'],
  ['GET', /^\/textures\/([^/]+)$/, 'texture'],
  ['GET', /^\/$/, 'root'],
  ['GET', /^\/_records$/, 'records'],
];

interface Sent extends Pick<DoubleRequest, 'number' | 'method' | 'address' | 'headers' | 'body'> {}

export function doubleRequest(sent: Sent): DoubleRequest {
  const { pathname, searchParams: query } = new URL(sent.address, 'http://double');
  return { ...sent, ...routeOf(sent.method, pathname), query };
}

/** What a request asks for, and the id that its path names. */
export function routeOf(method: string, path: string): Pick<DoubleRequest, 'kind' | 'subject'> {
  for (const [wanted, pattern, kind] of ROUTES) {
    const match = method === wanted ? pattern.exec(path) : null;
    if (match) return { kind, subject: decodeURIComponent(match[1] ?? '') };
  }
  return { kind: 'other', subject: '' };
}
