import type { Caller, Origins, WebPages } from '../service/callers.ts';
import type { Refusal } from '../service/refusal.ts';
import type { Log } from './log.ts';

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

/** The head of a request, from the network or from this process. */
export interface Head {
  /** Upper case. */
  readonly method: string;
  /** As sent: path and query, or a whole URL. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** IP address of the caller. */
  readonly address: string;
  /** The host and port that the caller addressed: as a trusted proxy reports it, if there is one. */
  readonly host: string;
  /** The bytes of the body; undefined if there is none. */
  readonly content: AsyncIterable<Uint8Array> | undefined;
  /** Aborted when the caller is gone, or has the whole answer. */
  readonly signal: AbortSignal;
  /** Why the request cannot be answered. */
  readonly problem?: Refusal | undefined;
}

/** What carries a request and its answer, as far as those who answer have to do with it. */
export interface Carrier {
  /** Call when the caller is known, before the body is read. */
  readonly admitted: (caller: Caller) => void;
  /** Waits until a caller whose body has been read may go on: bodies of many connections may come at once. */
  readonly nextTurn: (caller: Caller) => Promise<void>;
  /** Counts what waits to be read of a streamed answer, in bytes. If callers have too much, someone's connection ends. */
  readonly holdUnread: (bytes: number) => void;
  /** Closes the connection, even if data is still unread. */
  readonly hangUp: () => void;
}

/** A request in the form that routes receive. */
export interface HttpRequest extends Head, Carrier {
  /** Path and query, as the service interprets them. */
  readonly url: string;
  /** Values of the query, as sent. */
  readonly query: unknown;
  /** Identifies the request for its caller, and in the log. */
  readonly id: string;
  readonly log: Log;
  /** The address of the request's route, with placeholders; undefined if no route matches. */
  pattern: string | undefined;
  /** Values of the path's placeholders, as sent. */
  params: Readonly<Record<string, string>>;
  /** Undefined until the caller has been admitted. */
  caller: Caller | undefined;
  /** Content of a JSON or form body; undefined if there is none or the caller is not known yet. */
  body: unknown;
  /** Reads a multipart body; undefined if the body is not multipart. */
  parts: ((limits: PartLimits) => Promise<readonly Part[]>) | undefined;
}

/** The origins of a request: its address and what its headers claim. */
export function originsOf({ address, headers }: HttpRequest): Origins {
  const { 'user-agent': agent, 'mineskin-user-agent': standIn } = headers;
  const origin = headerText(headers['origin']) ?? (isOfOtherPage(headers) ? OPAQUE_ORIGIN : undefined);
  return { address, origin, agents: [headerText(agent), headerText(standIn)] };
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
function headerText(value: string | string[] | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
