import { hash } from 'node:crypto';
import { encode, type RequestContent, type TransportRequest } from '../../../../src/client/transport.ts';
import { SECURITY_HEADERS } from '../../../../src/server/http/answers.ts';
import type { Way } from './both-ways.ts';

/** One request, whatever carries it. */
export interface Ask {
  readonly method: TransportRequest['method'];
  readonly path: string;
  readonly content?: RequestContent;
  /** API key; absent: sends none. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** An answer, read to its end: JSON as a value, text, or the hash of anything else. */
export interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

export async function send(
  { origin, fetch }: Way,
  { method, path, content, key, headers, signal }: Ask,
): Promise<Response> {
  const { type, body } = await encode(method === 'GET' || method === 'HEAD' ? undefined : content);
  const all = {
    'user-agent': 'skinsmith-tests/1',
    'accept-encoding': 'identity',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...type,
    ...headers,
  };
  const init = { method, headers: all, body, redirect: 'manual', ...(signal && { signal }) } as const;
  return await fetch(new Request(origin + path, init));
}

/** Reads only the start of an event stream, which has no end. */
export async function ask(way: Way, request: Ask): Promise<Told> {
  const { status, headers, body } = await send(way, request);
  const kept = [...headers].filter(([name, value]) => !isOfNetwork(name, value));
  const type = headers.get('content-type') ?? 'text/plain';
  const bytes = await readBytes(body ?? [], type === 'text/event-stream');
  return { status, headers: Object.fromEntries(kept), body: parsed(bytes, type) };
}

async function readBytes(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  areEvents: boolean,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) {
    chunks.push(chunk);
    if (areEvents && isStartOfEvents(chunks)) break;
  }
  return Buffer.concat(chunks);
}

/** Whether this is a whole first event. */
function isStartOfEvents(chunks: readonly Uint8Array[]): boolean {
  return /^event: .*\ndata: .*\n\n/m.test(Buffer.concat(chunks).toString('utf8'));
}

/** Only the description of the API is as large as this. Nothing in it is random, so its hash suffices for comparing. */
const LARGE = 500_000;

/** The hash, if it is neither JSON nor text, or large. */
function parsed(bytes: Buffer, type: string): unknown {
  const isJson = type.startsWith('application/json');
  if (bytes.length > LARGE || (!isJson && !type.startsWith('text/'))) return hash('sha1', bytes);
  const text = bytes.toString('utf8');
  return isJson && text !== '' ? JSON.parse(text) : text;
}

/** What only matters to connections, caches, browsers and the logs of others. */
const OF_NETWORK: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'date', 'content-length', 'transfer-encoding'],
  ...['x-request-id', 'mineskin-server', 'mineskin-breadcrumb'],
  ...['x-mineskin-server', 'x-mineskin-breadcrumb', 'mineskin-version'],
  ...Object.keys(SECURITY_HEADERS),
]);

function isOfNetwork(name: string, value: unknown): boolean {
  if (name === 'mineskin-api-version') return value === 'v2'; // version 1 says so itself
  if (name === 'cross-origin-resource-policy') return value === 'same-origin'; // unless a route says otherwise
  if (name === 'etag') return String(value).startsWith('W/'); // made from the text of the answer
  return OF_NETWORK.has(name) || name.startsWith('access-control-');
}

/** UUIDs with and without dashes, ids of keys, and keys. */
const DRAWN =
  /(?<![0-9a-f])(?:[0-9a-f]{32}|[0-9a-f]{24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![0-9a-f])|sksm_\w+/g;
/** What the store of each service measured of itself: times, sizes and counts of connections. */
const MEASURED = /\d+(?:\.\d+)? (?:ms(?: behind| ahead of)?|MiB|of \d+ (?:possible )?connections)/g;
/** Fields that have a part of what is drawn. */
const PARTS: ReadonlySet<string> = new Set(['shortId', 'last4', 'link']);

/** Replaces what is drawn at random by its order of appearance, and what is measured, so that services can be compared. */
export class Masks {
  readonly #seen = new Map<string, string>();

  mask(value: unknown): unknown {
    if (typeof value === 'string')
      return value.replaceAll(DRAWN, (found) => this.#named(found)).replaceAll(MEASURED, 'so much');
    if (Array.isArray(value)) return value.map((entry) => this.mask(entry));
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value).map(([name, field]) => [
      name,
      PARTS.has(name) ? this.#named(String(field)) : this.mask(field),
    ]);
    return Object.fromEntries(fields);
  }

  #named(drawn: string): string {
    const name = this.#seen.get(drawn) ?? `#${this.#seen.size + 1}`;
    this.#seen.set(drawn, name);
    return name;
  }
}
