import { z } from 'zod';
import type { Scope } from '../../protocol/api-key.ts';
import type { Note } from '../../protocol/envelope.ts';
import type { ServiceContext } from '../context.ts';
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

/**
 * Who may cache an answer. `private`: only the caller, who revalidates it each time; `public`: everyone, for a short
 * time; `none`: nobody.
 */
export type Cache = 'private' | 'public' | 'none';

/** A request whose caller is known and whose address has been parsed. */
export interface Call<Params = unknown, Query = unknown, Headers = unknown, Body = unknown> {
  readonly context: ServiceContext;
  readonly request: HttpRequest;
  readonly caller: Caller;
  /** Authenticates the request again. @throws Refusal if its key has been revoked since */
  readonly verify: () => Promise<void>;
  /** Warnings for every answer to this request. */
  readonly warnings: readonly Note[];
  readonly params: Params;
  readonly query: Query;
  /** The headers that the route has a schema for. Names in lower case. */
  readonly headers: Headers;
  /** The JSON body that the route has a schema for. */
  readonly body: Body;
}

export interface Answer {
  readonly status: number;
  /** A text, bytes, a stream, or a value that is written as JSON. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** The parts of a request that a route reads. */
interface RouteInput {
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /**
   * True if unknown query parameters are refused. For this service's own routes outside /v2/account, where all are
   * strict.
   */
  readonly isStrict?: boolean;
  readonly headers?: z.ZodObject;
  /** Schema of a JSON body. A missing body counts as an empty object. */
  readonly body?: z.ZodType;
  /** Instead: schemas of the body by content type, as documented; the handler reads the body itself. */
  readonly bodies?: Readonly<Record<string, z.ZodType>>;
  /** Maximum bytes of a JSON body, if more than usual is needed. */
  readonly bodyLimit?: number;
}

/** Who may use a route, and what limits apply. */
interface RouteAccess {
  /** False if the route does not need to know the caller. */
  readonly authenticated: boolean;
  /** True if callers without a key are refused, as always below /v2/account. Checked before the rest is read. */
  readonly needsKey?: boolean;
  /**
   * The key needs one of these scopes; without this field, any key is accepted. Checked before the rest is read.
   */
  readonly scopes?: readonly Scope[];
  /** Refuses callers who may never use the route. Called before the body is read. @throws Refusal */
  readonly verifyCaller?: (caller: Caller, context: ServiceContext) => void;
  /** True if the rate limit applies or is reported: answers include it in their headers. */
  readonly isLimited?: boolean;
  /** True if no limits apply, for health checks. */
  readonly isVital?: boolean;
  /**
   * True if any number of requests may be under way, because the service has a limit of its own for what they do. The
   * limit of requests in a minute applies.
   */
  readonly isBoundedElsewhere?: boolean;
}

/** One endpoint. Both the app and /openapi.json are built from these. */
export interface Route extends RouteInput, RouteAccess {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Equivalent addresses; the first one is documented. */
  readonly paths: readonly [string, ...string[]];
  readonly summary: string;
  /** True if the route has a newer replacement. */
  readonly deprecated?: boolean;
  /** True for a GET that makes or changes something: HEAD is not supported there. */
  readonly changes?: boolean;
  /**
   * Schemas of the answers by status, except the refusals that many routes share. A string: a content type other than
   * JSON; null: no body.
   */
  readonly answers: Readonly<Record<number, z.ZodType | string | null>>;
  /** True if the answer is produced while it is read, and so has no entity tag. */
  readonly isStreamed?: boolean;
  /** Who may cache the answers of a GET; default: `private`. */
  readonly cache?: Cache;
  /**
   * For pictures on web pages: the PNG for callers who would otherwise be refused because they, or all callers
   * together, have reached a limit. A page could not show an error.
   */
  readonly standIn?: (context: ServiceContext) => Promise<Uint8Array>;
  readonly handle: (call: Call) => Promise<Answer>;
}

/** What a schema parses to; without one, nothing is known. */
export type Parsed<S> = S extends z.ZodType ? z.output<S> : unknown;

/** Content type of answers that stay open for events. */
export const EVENT_STREAM = 'text/event-stream';

export type Address = `${Route['method']} /${string}`;

/** What else a route says. It ties a handler's `params`, `query`, `headers` and `body` to the schemas that parse them. */
export type RouteSpec<P, Q, H, B, Result> = Omit<
  Route,
  'method' | 'paths' | 'params' | 'query' | 'headers' | 'body' | 'handle' | 'authenticated'
> & {
  /** Equivalent addresses. */
  readonly alsoAt?: readonly string[];
  readonly params?: P;
  readonly query?: Q;
  readonly headers?: H;
  readonly body?: B;
  readonly authenticated?: boolean;
  readonly handle: (call: Call<Parsed<P>, Parsed<Q>, Parsed<H>, Parsed<B>>) => Result;
};

export function route<
  P extends z.ZodObject | undefined,
  Q extends z.ZodObject | undefined,
  H extends z.ZodObject | undefined,
  B extends z.ZodType | undefined,
>(address: Address, { alsoAt = [], ...spec }: RouteSpec<P, Q, H, B, Promise<Answer>>): Route {
  const [method, path] = address.split(' ');
  const bodies = spec.body && { 'application/json': spec.body };
  return {
    method,
    paths: [path, ...alsoAt],
    authenticated: true,
    ...(bodies && { bodies }),
    ...spec,
  } as Route;
}

/** A mistyped parameter must not count as omitted. Routes of the hosted service stay as lenient as there. */
export function querySchemaOf({ query, paths, isStrict }: Route): Route['query'] {
  const isOurs = isStrict === true || isAccountPath(paths[0]);
  return isOurs ? (query ?? z.object({})).strict() : query;
}

/** Whether the answer is produced while it is read. */
export function isStream({ answers, isStreamed = false }: Route): boolean {
  return isStreamed || answers[200] === EVENT_STREAM;
}

/** Whether callers without a key are refused before anything else of the request is checked. */
export function isForUsersOnly({ needsKey, paths }: Route): boolean {
  return needsKey === true || isAccountPath(paths[0]);
}

/** Whether a route manages accounts, keys or users. The hosted service has none of these. */
export function isAccountPath(path: string): boolean {
  return path.startsWith('/v2/account/');
}

/** Whether an address belongs to version 1, whose answers have a format of their own. Proxies receive whole URLs. */
export function isV1Address(url: string): boolean {
  return /^(?:https?:\/\/[^/?#]*)?\/+(?:generate|get|render|validate)(?:[/?#]|$)/.test(url);
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
