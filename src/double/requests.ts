import type { IncomingHttpHeaders } from 'node:http';
import { InvalidImageError } from '../skin/picture.ts';
import { decodePng } from '../skin/png/decode.ts';
import { pixelHash } from '../skin/read-skin.ts';

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
  /** The id in the path: of a job, a skin or a texture; empty if there is none. */
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
  ['GET', /^\/v2\/skins(?:\/|\/latest|\/random)?$/, 'skins'],
  ['GET', /^\/v2\/skins\/([^/]+)$/, 'skin'],
  ['PATCH', /^\/v2\/skins\/([^/]+)$/, 'edit'],
  ['DELETE', /^\/v2\/skins\/([^/]+)$/, 'delete'],
  ['GET', /^\/v2\/skins\/([^/]+)\/texture$/, 'skin-texture'],
  ['GET', /^\/v2\/capes\/?$/, 'capes'],
  ['GET', /^\/textures\/([^/]+)$/, 'texture'],
  ['GET', /^\/$/, 'root'],
];

interface Sent extends Pick<DoubleRequest, 'number' | 'method' | 'address' | 'headers' | 'body'> {}

export function doubleRequest(sent: Sent): DoubleRequest {
  const { pathname, searchParams: query } = new URL(sent.address, 'http://double');
  return { ...sent, ...routeOf(sent.method, pathname), query };
}

/** The kind of a request, and the id in its path. */
export function routeOf(method: string, path: string): Pick<DoubleRequest, 'kind' | 'subject'> {
  for (const [wanted, pattern, kind] of ROUTES) {
    const match = method === wanted ? pattern.exec(path) : null;
    if (match) return { kind, subject: decodeURIComponent(match[1] ?? '') };
  }
  return { kind: 'other', subject: '' };
}

/** Matches requests by a method and a path with `:names`, of which either may be left out: `GET /v2/queue/:id`. */
export function routePattern(route: string): (request: Pick<DoubleRequest, 'method' | 'address'>) => boolean {
  const [, method, path = ''] = /^(?:([A-Z]+) ?)?(\/.*)?$/.exec(route.trim()) ?? [];
  const wanted = path.split('/');
  return (request) => {
    if (method !== undefined && method !== request.method) return false;
    if (path === '') return true;
    const [actual = ''] = request.address.split('?', 1);
    const parts = actual.replace(/(?<=.)\/$/, '').split('/');
    return (
      parts.length === wanted.length && wanted.every((part, at) => part.startsWith(':') || part === parts[at])
    );
  };
}

/** The contents of a submission, as far as they can be read. */
export interface SubmittedSkin {
  readonly name: string | undefined;
  /** Name of the file without its extension. */
  readonly file: string | undefined;
  /** What two submissions of the same have in common: pixels, address or player, with the variant. */
  readonly identity: string;
  /** Pixel hash, if a picture was sent. */
  readonly pixels: string | undefined;
}

/** @returns undefined where the request submits nothing that can be read */
export async function submittedSkin({
  kind,
  headers,
  body,
}: DoubleRequest): Promise<SubmittedSkin | undefined> {
  if (kind !== 'submit' && kind !== 'generate') return undefined;
  const type = headers['content-type'] ?? '';
  if (type.startsWith('multipart/form-data')) return await fromForm(body, type);
  try {
    return fromFields(JSON.parse(body.toString('utf8')) as Record<string, unknown>);
  } catch {
    return undefined; // the service says so
  }
}

/** The form that a body is; undefined if it is none, or a part of one. */
export async function formIn(body: Buffer, type: string): Promise<FormData | undefined> {
  const response = new Response(new Uint8Array(body), { headers: { 'content-type': type } });
  return await response.formData().catch(() => undefined);
}

async function fromForm(body: Buffer, type: string): Promise<SubmittedSkin | undefined> {
  const form = await formIn(body, type);
  if (!form) return undefined;
  const entries = [...form];
  const fields = Object.fromEntries(entries.filter(([, value]) => typeof value === 'string'));
  const file = entries.map(([, value]) => value).find((value) => typeof value !== 'string');
  if (!file) return fromFields(fields);
  const pixels = pixelsOf(new Uint8Array(await file.arrayBuffer()));
  return skinOf(fields, { file: file.name.replace(/\.png$/i, ''), pixels });
}

function fromFields(fields: Record<string, unknown>): SubmittedSkin {
  const { url } = fields;
  const data = typeof url === 'string' ? /^data:image\/png;base64,(.*)$/s.exec(url)?.[1] : undefined;
  return skinOf(fields, { file: undefined, pixels: data && pixelsOf(Buffer.from(data, 'base64')) });
}

function skinOf(
  { name, url, user, variant = 'unknown' }: Record<string, unknown>,
  { file, pixels }: Pick<SubmittedSkin, 'file'> & { pixels: string | undefined },
): SubmittedSkin {
  const identity = [pixels ?? url ?? user ?? '', variant].join(' ');
  return { name: typeof name === 'string' ? name : undefined, file, identity, pixels };
}

function pixelsOf(bytes: Uint8Array): string | undefined {
  try {
    return pixelHash(decodePng(bytes));
  } catch (error) {
    if (error instanceof InvalidImageError) return undefined; // the service says so
    throw error;
  }
}
