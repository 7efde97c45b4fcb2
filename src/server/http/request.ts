import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import { isInside } from '../outbound/target.ts';
import type { Origins, WebPages } from '../service/callers.ts';
import type { ServiceLog } from './log.ts';

/** Limits on the parts of a multipart body. Sizes in bytes. */
export interface PartLimits {
  readonly fileSize: number;
  readonly files: number;
  readonly fields: number;
  readonly fieldSize: number;
  readonly headerPairs: number;
}

/** One part of a multipart body. */
export type Part =
  | { readonly kind: 'field'; readonly name: string; readonly value: unknown }
  | {
      readonly kind: 'file';
      readonly name: string;
      readonly fileName: string | undefined;
      readonly bytes: Uint8Array;
    };

/** Where a request comes from: Node's server or this process. */
export type Bindings =
  | {
      readonly incoming: IncomingMessage;
      readonly outgoing: ServerResponse;
      /** See `HttpRequest`. */
      readonly holdUnread?: (bytes: number) => void;
    }
  // A call inside the process.
  | { readonly signal: AbortSignal; readonly hangUp: () => void };

interface RequestParts {
  /** Path and query, as the service interprets them. */
  readonly url: string;
  readonly carrier: Bindings;
  readonly log: ServiceLog;
  /** Whether an address belongs to a trusted proxy. */
  readonly isProxy: (address: string) => boolean;
}

/** The address of callers in this process. */
const THIS_MACHINE = '127.0.0.1';

/** A request in the form that routes receive. Create it while the connection is open: a closed one has no address. */
export class HttpRequest {
  /** Upper case. */
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Values of the path's placeholders and of the query, as sent. */
  params: unknown;
  readonly query: unknown;
  /** IP address of the caller. */
  readonly address: string;
  /** The host and port that the caller addressed: as a trusted proxy reports it, if there is one. */
  readonly host: string;
  /** The bytes of the body; undefined if there is none. */
  readonly content: AsyncIterable<Uint8Array> | undefined;
  /** Content of a JSON or form body; undefined if there is none or the caller is not known yet. */
  body: unknown;
  /** Reads a multipart body; undefined if the body is not multipart. */
  parts: ((limits: PartLimits) => Promise<readonly Part[]>) | undefined;
  readonly #carrier: Bindings;
  readonly #log: ServiceLog;
  #signal: AbortSignal | undefined;

  constructor(request: Request, { url, carrier, log, isProxy }: RequestParts) {
    this.method = request.method;
    this.url = url;
    this.query = parse(queryOf(url), undefined, undefined, { maxKeys: 0 });
    this.#carrier = carrier;
    this.#log = log;
    if ('incoming' in carrier) {
      const { incoming } = carrier;
      this.headers = incoming.headers;
      this.content = hasBody(incoming) ? incoming.iterator({ destroyOnReturn: false }) : undefined;
      [this.address, this.host] = originIn(incoming, isProxy);
    } else {
      this.headers = Object.fromEntries(request.headers);
      this.content = request.body ?? undefined;
      [this.address, this.host] = [THIS_MACHINE, THIS_MACHINE];
    }
  }

  /** Aborted when the caller is gone, or has the whole answer. Created on demand, because few routes need it. */
  get signal(): AbortSignal {
    this.#signal ??= 'outgoing' in this.#carrier ? signalOf(this.#carrier.outgoing) : this.#carrier.signal;
    return this.#signal;
  }

  /** Counts what waits to be read of a streamed answer, in bytes. If callers have too much, somebody's connection ends. */
  holdUnread(bytes: number): void {
    if ('incoming' in this.#carrier) this.#carrier.holdUnread?.(bytes);
  }

  /** Closes the connection, even if data is still unread. */
  hangUp(): void {
    if ('incoming' in this.#carrier) this.#carrier.incoming.socket.destroy();
    else this.#carrier.hangUp();
  }

  /** Logs a fault of the service itself. */
  report(fault: unknown, message: string): void {
    this.#log.error({ err: fault }, message);
  }
}

/** Whether a request over the network has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function queryOf(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}

function signalOf(outgoing: ServerResponse): AbortSignal {
  const closed = new AbortController();
  if (outgoing.closed) closed.abort();
  else outgoing.once('close', () => closed.abort());
  return closed.signal;
}

/** The caller's address and the host that it addressed. Proxies put both into headers; each appends itself. */
function originIn(
  { socket, headers }: IncomingMessage,
  isProxy: (address: string) => boolean,
): [address: string, host: string] {
  const { remoteAddress = '' } = socket;
  const host = headers.host ?? '';
  if (!isProxy(remoteAddress)) return [remoteAddress, host];
  const named = lastOf(headers['x-forwarded-host']);
  return [forwardedFor(headers['x-forwarded-for'], isProxy) ?? remoteAddress, named || host];
}

/** The caller's address, as a trusted proxy reports it if there is one. */
export function callerAddress(incoming: IncomingMessage, isProxy: (address: string) => boolean): string {
  return originIn(incoming, isProxy)[0];
}

/** The last address that is not a trusted proxy's; if all are, the first. */
function forwardedFor(
  header: string | string[] | undefined,
  isProxy: (address: string) => boolean,
): string | undefined {
  const addresses = String(header ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
  return addresses.findLast((address) => !isProxy(address)) ?? addresses[0];
}

function lastOf(header: string | string[] | undefined): string {
  return String(header ?? '')
    .split(',')
    .at(-1)!
    .trim();
}

/** Names for networks, as in the configuration of reverse proxies. */
const NAMED_NETWORKS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Whether an address is one of the proxies in `--trust-proxy`. */
export function proxyTest(trusted: string | undefined): (address: string) => boolean {
  const names = (trusted ?? '').split(',').map((one) => one.trim());
  const networks = names.filter(Boolean).flatMap((one) => NAMED_NETWORKS[one] ?? [one]);
  return (address) => networks.some((network) => isInside(address, network));
}
/** The origins of a request: its address and what its headers claim. */
export function originsOf({ address, headers }: HttpRequest): Origins {
  const { 'user-agent': agent, 'mineskin-user-agent': standIn } = headers;
  const origin = textOf(headers['origin']) ?? (isOfOtherPage(headers) ? OPAQUE_ORIGIN : undefined);
  return { address, origin, agents: [textOf(agent), textOf(standIn)] };
}

/**
 * The same, but a request under an unverified name counts as coming from a page of another site. `changes`: of the
 * route. Any page can load pictures from anywhere, so a GET that makes something must state its origin.
 */
export function provedOriginsOf(
  request: HttpRequest,
  { webPages, changes = false }: { readonly webPages: WebPages; readonly changes?: boolean | undefined },
): Origins {
  const isStrange = changes ? hidesPage(request) : isUnderUnprovedName(request, webPages);
  return isStrange ? { ...originsOf(request), origin: OPAQUE_ORIGIN } : originsOf(request);
}

/** What browsers send for an origin that they do not reveal. */
export const OPAQUE_ORIGIN = 'null';

/**
 * Any site can point its name at the service (DNS rebinding); browsers then treat its pages as the service's. If the
 * browser states the page's origin, the name must be proved by a certificate or be one of this machine.
 */
export function isUnderUnprovedName(request: HttpRequest, webPages: WebPages): boolean {
  if (!hidesPage(request)) return false;
  const address = URL.parse(`http://${request.host}`);
  return address === null || !webPages.isProvedName(address);
}

/** Whether a browser does not state the page's origin, as with a GET over plain http. */
function hidesPage({ headers }: HttpRequest): boolean {
  const isTold = headers['origin'] !== undefined || headers['sec-fetch-site'] !== undefined;
  return !isTold && isOfBrowser(headers);
}

/** Pages can omit neither of the two headers. Other programs send at most one, or on Node also the third. */
function isOfBrowser(headers: HttpRequest['headers']): boolean {
  const { 'accept-language': language, 'accept-encoding': encoding, 'sec-fetch-mode': mode } = headers;
  return language !== undefined && encoding !== undefined && mode === undefined;
}

/**
 * Browsers send no Origin for a page's pictures and frames, but state how the page's site relates to the service.
 */
function isOfOtherPage(headers: HttpRequest['headers']): boolean {
  const site = headers['sec-fetch-site'];
  return site === 'cross-site' || site === 'same-site';
}

/** Node joins repeated headers into one string, except for a few. */
function textOf(value: string | string[] | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
