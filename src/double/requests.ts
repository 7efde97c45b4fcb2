import type { IncomingHttpHeaders } from 'node:http';
import { InvalidImageError } from '../skin/picture.ts';
import { decodePng } from '../skin/png/decode.ts';
import { pixelHash } from '../skin/read-skin.ts';

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

const ROUTES = [
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
  ['GET', /^\/textures?\/([^/]+)$/, 'texture'],
  ['GET', /^\/$/, 'root'],
  ['POST', /^\/generate\/(url|upload|user)\/?$/, 'v1-generate'],
  ['GET', /^\/get\/(?:uuid|id)\/([^/]+)$/, 'v1-skin'],
  ['GET', /^\/get\/delay$/, 'v1-delay'],
  ['GET', /^\/get\/list(?:\/\d+)?$/, 'v1-list'],
  ['GET', /^\/validate\/(?:name|user|uuid|currentUsername)\/([^/]+)$/, 'v1-player'],
] as const satisfies readonly (readonly [method: string, path: RegExp, kind: string])[];

export type RequestKind = (typeof ROUTES)[number][2] | 'other';
export const REQUEST_KINDS: readonly RequestKind[] = [...ROUTES.map(([, , kind]) => kind), 'other'];

/** Whether it is a request in the form of version 1. */
export function isVersion1({ kind }: Pick<DoubleRequest, 'kind'>): boolean {
  return kind.startsWith('v1-');
}

/** Whether it is a request that can start a job. */
export function isSubmission({ kind }: Pick<DoubleRequest, 'kind'>): boolean {
  return kind === 'submit' || kind === 'generate' || kind === 'v1-generate';
}

interface Sent extends Pick<DoubleRequest, 'number' | 'method' | 'address' | 'headers' | 'body'> {}

export function doubleRequest(sent: Sent): DoubleRequest {
  // An invalid address, such as //, is unknown to the double.
  const { pathname = '', searchParams: query = new URLSearchParams() } =
    URL.parse(sent.address, 'http://double') ?? {};
  return { ...sent, ...routeOf(sent.method, pathname), query };
}

/** The kind of a request, and the id in its path. */
export function routeOf(method: string, path: string): Pick<DoubleRequest, 'kind' | 'subject'> {
  for (const [wanted, pattern, kind] of ROUTES) {
    const match = method === wanted ? pattern.exec(path) : null;
    if (match) return { kind, subject: decoded(match[1] ?? '') };
  }
  return { kind: 'other', subject: '' };
}

/** A part of a path; as it was sent if it is encoded wrongly. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Whether a parameter of an address may be a key. */
export function isSecret(name: string): boolean {
  return /key|token|secret|password/i.test(name);
}

/** The address without parameters that may be keys. */
export function withoutSecrets(address: string): string {
  const [path = '', query] = address.split('?', 2);
  const all = [...new URLSearchParams(query)];
  const kept = all.filter(([name]) => !isSecret(name));
  if (kept.length === all.length) return address;
  return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept)}`;
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
  /** Name of the file, or the last part of its address, without its extension. */
  readonly file: string | undefined;
  /** What two submissions of the same have in common: pixels, address or player, with the variant and the name. */
  readonly identity: string;
  /** Pixel hash, if a picture was sent. */
  readonly pixels: string | undefined;
}

/** @returns undefined where the request submits nothing that can be read */
export async function submittedSkin(request: DoubleRequest): Promise<SubmittedSkin | undefined> {
  if (!isSubmission(request)) return undefined;
  const { fields: sent, file } = (await sentFields(request)) ?? {};
  if (!sent && !isVersion1(request)) return undefined; // the service says so
  // Options of version 1 may come in the query.
  const fields = isVersion1(request) ? { ...Object.fromEntries(request.query), ...sent } : sent!;
  if (!file) return fromFields(fields);
  const pixels = pixelsOf(new Uint8Array(await file.arrayBuffer()));
  return skinOf(fields, { file: file.name.replace(/\.png$/i, ''), pixels });
}

/** What a body holds: a form of either kind, or JSON. `part`: the name of the file's part. */
interface SentFields {
  readonly fields: Record<string, unknown>;
  readonly file?: File | undefined;
  readonly part?: string | undefined;
}

export async function sentFields({ headers, body }: DoubleRequest): Promise<SentFields | undefined> {
  const type = headers['content-type'] ?? '';
  try {
    if (!type.startsWith('multipart/form-data')) {
      const text = body.toString('utf8');
      const isForm = type.startsWith('application/x-www-form-urlencoded');
      const content: unknown = isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text);
      return { fields: { ...(content as object) } };
    }
  } catch {
    return undefined;
  }
  const form = await formIn(body, type);
  if (!form) return undefined;
  const entries = [...form];
  const [part, file] = entries.find((entry): entry is [string, File] => typeof entry[1] !== 'string') ?? [];
  return { fields: Object.fromEntries(entries.filter(([, value]) => typeof value === 'string')), file, part };
}

/** The form that a body is; undefined if it is none, or a part of one. */
export async function formIn(body: Buffer, type: string): Promise<FormData | undefined> {
  const response = new Response(new Uint8Array(body), { headers: { 'content-type': type } });
  return await response.formData().catch(() => undefined);
}

function fromFields(fields: Record<string, unknown>): SubmittedSkin {
  const { url } = fields;
  if (typeof url !== 'string') return skinOf(fields, { file: undefined, pixels: undefined });
  const data = /^data:image\/png;base64,(.*)$/s.exec(url)?.[1];
  if (data !== undefined)
    return skinOf(fields, { file: undefined, pixels: pixelsOf(Buffer.from(data, 'base64')) });
  const file = URL.parse(url)
    ?.pathname.split('/')
    .at(-1)
    ?.replace(/\.png$/i, '');
  return skinOf(fields, { file: file || undefined, pixels: undefined });
}

function skinOf(
  { name, url, user, uuid, variant = 'unknown' }: Record<string, unknown>,
  { file, pixels }: Pick<SubmittedSkin, 'file'> & { pixels: string | undefined },
): SubmittedSkin {
  const identity = [pixels ?? url ?? user ?? uuid ?? '', variant, name ?? ''].join(' ');
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
