import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

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

/** A request whose body has come in whole. */
export interface HostedRequest {
  /** 1 for the first that the service got. */
  readonly number: number;
  readonly kind: RequestKind;
  readonly method: string;
  /** With its query. */
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

/** Longest body that is taken in, bytes; what is longer is cut, and then it is no PNG. */
const MAX_BODY_BYTES = 256 * 1024;

/** @throws Error when the caller goes away before its body is whole */
export async function readRequest(message: IncomingMessage, number: number): Promise<HostedRequest> {
  const { method = '', url: address = '/', headers } = message;
  const { pathname, searchParams: query } = new URL(address, 'http://hosted');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    if (size < MAX_BODY_BYTES) chunks.push(chunk);
    size += chunk.length;
  }
  const body = Buffer.concat(chunks);
  return { number, method, address, ...routeOf(method, pathname), query, headers, body };
}

/** What a request asks for, and what of. */
export function routeOf(method: string, path: string): Pick<HostedRequest, 'kind' | 'subject'> {
  for (const [wanted, pattern, kind] of ROUTES) {
    const match = method === wanted ? pattern.exec(path) : null;
    if (match) return { kind, subject: decodeURIComponent(match[1] ?? '') };
  }
  return { kind: 'other', subject: '' };
}
