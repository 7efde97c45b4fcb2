import type { Dispatcher } from 'undici';
import type { Sender } from './proxies.ts';
import { VERSION } from './version.ts';

export interface BoundedRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Headers for an address, which may be one that `url` redirects to. Lower case. */
  readonly headers: (url: URL) => Readonly<Record<string, string>>;
  readonly body?: Dispatcher.RequestOptions['body'];
  /** Milliseconds for the whole request, redirects included. */
  readonly timeout: number;
  readonly maxBytes: number;
  /** `start`: only what arrives of the first `maxBytes`; `nothing`: the body is skipped. */
  readonly reads: (status: number) => 'whole' | 'start' | 'nothing';
  /** For a GET; without it, a redirect is returned like any other answer. */
  readonly redirects?: {
    readonly max: number;
    /** Throws if the address must not be requested. */
    readonly target: (location: string, from: URL) => URL;
  };
  readonly signal?: AbortSignal | undefined;
}

export interface BoundedAnswer {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly bytes: Buffer;
  /** The final URL, after redirects. */
  readonly url: URL;
}

/** `broken`: see the cause, an error of the connection, of the protocol or of `target`. */
type FetchFailure = 'timeout' | 'too_large' | 'encoded' | 'too_many_redirects' | 'broken';

/** A request without a usable answer. Its message continues a sentence that begins with the host's name. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
  readonly code: FetchFailure;
  /** The host that failed, after redirects. */
  readonly host: string;

  constructor(code: FetchFailure, { host }: URL, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.host = host;
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([300, 301, 302, 303, 307, 308]);

/**
 * Sends a request within limits. No cookies, no compressed bodies: those are small on the wire and may be large here.
 * @throws FetchError; the signal's reason when aborted
 */
export async function fetchBounded(
  sender: Pick<Sender, 'request'>,
  request: BoundedRequest,
): Promise<BoundedAnswer> {
  const limit = AbortSignal.timeout(request.timeout);
  const signal = request.signal ? AbortSignal.any([limit, request.signal]) : limit;
  let { url } = request;
  for (let hops = 0; ; hops++) {
    const answer = await exchange(sender, { ...request, url, signal }).catch((cause) => {
      if (request.signal?.aborted) throw request.signal.reason;
      const late = `did not finish within ${request.timeout / 1000} seconds`;
      if (limit.aborted) throw new FetchError('timeout', url, late, cause);
      throw cause instanceof FetchError ? cause : new FetchError('broken', url, 'cannot be reached', cause);
    });
    if (!(answer instanceof URL)) return answer;
    url = answer;
    if (hops === request.redirects?.max)
      throw new FetchError('too_many_redirects', url, 'was reached by too many redirects');
  }
}

/** Sends one request. Returns the answer or, if redirects are followed, the address it redirects to. */
async function exchange(
  sender: Pick<Sender, 'request'>,
  request: BoundedRequest & { readonly signal: AbortSignal },
): Promise<BoundedAnswer | URL> {
  const { url, method, body = null, redirects, signal } = request;
  const fixed = { 'user-agent': `skinsmith/${VERSION}`, 'accept-encoding': 'identity' };
  const headers = { ...fixed, ...request.headers(url) };
  const path = url.pathname + url.search;
  const answer = await sender.request({ origin: url.origin, path, method, headers, body, signal });
  const { statusCode: status } = answer;
  const location = firstOf(answer.headers['location']);
  if (redirects && method === 'GET' && REDIRECTS.has(status) && location !== undefined) {
    letGo(answer.body);
    return redirects.target(location, url);
  }
  return { status, headers: answer.headers, bytes: await readBody(answer, request), url };
}

async function readBody(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  { url, maxBytes, reads }: BoundedRequest,
): Promise<Buffer> {
  const how = reads(statusCode);
  const encoding = firstOf(headers['content-encoding'])?.trim() ?? '';
  const isEncoded = !/^(?:identity)?$/i.test(encoding);
  const isTooLarge = Number(headers['content-length']) > maxBytes;
  const tooLarge = () => new FetchError('too_large', url, `answered with more than ${maxBytes} bytes`);
  if (how === 'nothing' || (how === 'whole' && (isEncoded || isTooLarge))) {
    letGo(body);
    if (how === 'nothing') return Buffer.alloc(0);
    throw isEncoded ? new FetchError('encoded', url, 'answered with a compressed body') : tooLarge();
  }
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(); // this ends the body, too
      chunks.push(chunk);
    }
  } catch (error) {
    if (how === 'whole') throw error; // else the status has arrived, and the rest does not change it
  }
  return Buffer.concat(chunks);
}

function letGo(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => {}).destroy(); // the error only says that the body was discarded
}

export function firstOf(value: string | string[] | undefined): string | undefined {
  return [value].flat()[0];
}

/**
 * The header `Retry-After` as milliseconds from `now`: seconds or an HTTP date (RFC 9110, 10.2.3). Undefined if it is
 * neither.
 */
export function parseRetryAfter(header: string | string[] | undefined, now: number): number | undefined {
  const text = firstOf(header);
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text.trim())) return Math.ceil(Number(text) * 1000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Turns the path of a page into the address of the picture on it; undefined if the page shows none. */
type Rewrite = (path: string) => string | undefined;

/** A page of the hosted service that shows a skin: by its UUID, or the first eight digits of that. */
const SKIN_PAGE = /^\/(?:skins\/)?([0-9a-f]{8}|[0-9a-f-]{32,36})$/i;

/**
 * Pages of skin sites, by host: the address of such a page is not that of a picture. Source of all rows: the hosted
 * service's own (MineSkin/api.mineskin.org, src/generator/v2/UrlHandler.ts and UrlChecks.ts).
 */
const PAGES = {
  /** A single picture; galleries and albums contain several. */
  'imgur.com': from(/^\/([A-Za-z0-9]{5,10})$/, (id) => `https://i.imgur.com/${id}.png`),
  'namemc.com': from(/^\/skin\/([0-9a-f]{16})$/, (id) => `https://namemc.com/texture/${id}.png`),
  'minecraftskins.com': from(
    /^\/skin\/(\d{1,15})(?:\/[^/]*)?$/,
    (id) => `https://www.minecraftskins.com/skin/download/${id}`,
  ),
  'minecraft.novaskin.me': from(
    /^\/skin\/(\d{1,15})(?:\/[^/]*)?$/,
    (id) => `https://minecraft.novaskin.me/skin/${id}/download`,
  ),
  /** Not of the hosted service: a file in a repository. */
  'github.com': from(
    /^\/([\w.-]+\/[\w.-]+\/(?:blob|raw)\/.+)$/,
    (path) => `https://raw.githubusercontent.com/${path.replace(/\/(?:blob|raw)\//, '/')}`,
  ),
  'mineskin.org': from(SKIN_PAGE, hostedTexture),
  'minesk.in': from(SKIN_PAGE, hostedTexture),
} as const satisfies Record<string, Rewrite>;

/** `www.` and language prefixes, as in `de.namemc.com`. */
const PREFIX = /^(?:www|[a-z]{2})\./;

/** The picture on a well-known page; any other address is returned unchanged. */
export function pictureLink(url: URL): string {
  const rewrite = rewriteFor(url.hostname) ?? rewriteFor(url.hostname.replace(PREFIX, ''));
  return rewrite?.(url.pathname.replace(/\/$/, '')) ?? url.href;
}

/**
 * The address that a service gets for one that a user typed. The hosted service knows the pages of skin sites itself, and one of ours
 * may have the skin on a page of the hosted one; only files on GitHub are unknown to some.
 */
export function sentLink(url: URL): string | undefined {
  return /^(?:www\.)?github\.com$/.test(url.hostname) ? pictureLink(url) : undefined;
}

/** Whether a text is the address of a page or site as people write it, without its scheme. */
export function lacksScheme(text: string): boolean {
  const url = /^[\w.-]+\.[a-z]{2,}\/\S+$/i.test(text) ? URL.parse(`https://${text}`) : null;
  return url !== null && (url.hostname.startsWith('www.') || pictureLink(url) !== url.href);
}

/** The id of the skin on a page of the hosted service: clients write such links for skins of other services as well. */
export function skinOnPage({ hostname, pathname }: URL): string | undefined {
  if (!/^(?:www\.)?(?:mineskin\.org|minesk\.in)$/.test(hostname)) return undefined;
  return SKIN_PAGE.exec(pathname.replace(/\/$/, ''))?.[1]?.toLowerCase();
}

function rewriteFor(host: string): Rewrite | undefined {
  return Object.hasOwn(PAGES, host) ? PAGES[host as keyof typeof PAGES] : undefined;
}

function from(path: RegExp, link: (id: string) => string): Rewrite {
  return (text) => {
    const id = path.exec(text)?.[1];
    return id === undefined ? undefined : link(id);
  };
}

function hostedTexture(uuid: string): string {
  return `https://api.mineskin.org/v2/skins/${uuid}/texture`;
}
