import type { Origins } from '../service/callers/caller.ts';
import type { WebPages } from '../service/callers/web-pages.ts';

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
      readonly read: () => Promise<Uint8Array>;
    };

/** A request as routes see it, whatever carries it to the service. */
export interface HttpRequest {
  /** Upper case. */
  readonly method: string;
  /** Path and query; proxies send whole URLs. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Values of the path's placeholders, and of the query, as they were sent. */
  readonly params: unknown;
  readonly query: unknown;
  /** IP address of the caller. */
  readonly address: string;
  /** The host, with its port, that the caller has asked: as a trusted proxy names it, if there is one. */
  readonly host: string;
  /** Content of a JSON or form body; undefined if there is none, and until the caller is known. */
  readonly body: unknown;
  /** Reads a multipart body; undefined if the body is none. */
  readonly parts: ((limits: PartLimits) => AsyncIterable<Part>) | undefined;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
  /** Ends the connection, whatever is still to be read from it. */
  hangUp(): void;
  /** Logs a fault of the service itself. */
  report(fault: unknown, message: string): void;
}

/** The origin of a request: its address and what its headers claim. */
export function originsOf({ address, headers }: HttpRequest): Origins {
  const { 'user-agent': agent, 'mineskin-user-agent': standIn } = headers;
  const origin = textOf(headers['origin']) ?? (isOfStrangePage(headers) ? OPAQUE_ORIGIN : undefined);
  return { address, origin, agents: [textOf(agent), textOf(standIn)] };
}

/**
 * The same, but a browser that asks under a name that any site could have counts as a page of another site.
 * `changes`: of the route. Any page can show pictures from anywhere, so a GET that makes something must say whose it is.
 */
export function provedOriginsOf(
  request: HttpRequest,
  { webPages, changes = false }: { readonly webPages: WebPages; readonly changes?: boolean | undefined },
): Origins {
  const isStrange = changes ? hidesPage(request) : isUnderStrangeName(request, webPages);
  return isStrange ? { ...originsOf(request), origin: OPAQUE_ORIGIN } : originsOf(request);
}

/** How browsers write an origin that they do not reveal. */
export const OPAQUE_ORIGIN = 'null';

/**
 * Any site can have its name lead to the service. To a browser its pages are then of the service. Where the browser says
 * of which page a request is, a certificate proves the name, or it leads to this machine.
 */
export function isUnderStrangeName(request: HttpRequest, webPages: WebPages): boolean {
  if (!hidesPage(request)) return false;
  const address = URL.parse(`http://${request.host}`);
  return address === null || !webPages.isProvedName(address);
}

/** Whether a browser does not say of which page the request is, as with a GET over plain http. */
function hidesPage({ headers }: HttpRequest): boolean {
  const isTold = headers['origin'] !== undefined || headers['sec-fetch-site'] !== undefined;
  return !isTold && isOfBrowser(headers);
}

/** Pages can leave neither of the two headers out. Other programs send one at most, or, on Node, the third as well. */
function isOfBrowser(headers: HttpRequest['headers']): boolean {
  const { 'accept-language': language, 'accept-encoding': encoding, 'sec-fetch-mode': mode } = headers;
  return language !== undefined && encoding !== undefined && mode === undefined;
}

/**
 * Browsers send no Origin with the requests for pictures and frames of a page, but state how the page's site relates to
 * the service.
 */
function isOfStrangePage(headers: HttpRequest['headers']): boolean {
  const site = headers['sec-fetch-site'];
  return site === 'cross-site' || site === 'same-site';
}

/** Node has one text for each header, except for a few that may come several times. */
function textOf(value: string | string[] | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
