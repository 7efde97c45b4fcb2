import { randomUUID } from 'node:crypto';
import { parse } from 'node:querystring';
import { TrieRouter } from 'hono/router/trie-router';
import type { ServiceContext } from '../context.ts';
import { anonymousCaller, type Caller } from '../service/callers.ts';
import { Refusal } from '../service/refusal.ts';
import { RequestLimiter, type RequestLimits } from '../service/request-limits.ts';
import { PREFLIGHT, SECURITY_HEADERS, type Written, write, writeRefusal } from './answers.ts';
import { type BodyOptions, receiveBody } from './bodies.ts';
import { Endpoint, type EndpointOptions } from './endpoint.ts';
import type { Log } from './log.ts';
import type { Route } from './route.ts';
import { type Carrier, type Head, type HttpRequest, originsOf } from './route.ts';
import { ROUTES } from './routes/routes.ts';
import { isLinkBot, wantsPage } from './visitors.ts';

export interface AppOptions extends Omit<EndpointOptions, 'requestLimiter'> {
  /** The pages for people; undefined: only the API, so that no pages are loaded. */
  readonly pages?: Pages | undefined;
  readonly limits: RequestLimits;
  readonly log: Log;
}

/** The pages for people, if the app has them. */
export interface Pages {
  /** Adds redirects from API addresses to pages, for browsers. */
  readonly mountLeads: (app: App, options: EndpointOptions) => void;
  readonly mount: (app: App, options: EndpointOptions) => void;
  /** Answers a person's request for an address that does not exist. */
  readonly answerLost: (request: HttpRequest, context: ServiceContext) => Promise<Written>;
}

/** Answers a request; undefined: something else at the same address does. */
type Handler = (request: HttpRequest) => Promise<Written | undefined>;

/** What is the API's or the pages' own about serving one address. */
interface Served<Admission extends { readonly caller: Caller }> {
  /** Whether the request is for it; default: all are. */
  readonly takes?: (request: HttpRequest) => boolean;
  /** Characters of the longest value of a placeholder; default: any number. */
  readonly longestParam?: number;
  readonly body: BodyOptions;
  /** Identifies the caller before the body is read. @throws Refusal */
  readonly admit: (request: HttpRequest) => Promise<Admission>;
  /** @throws Refusal, or any unexpected error */
  readonly answer: (request: HttpRequest, admission: Admission) => Promise<Written>;
  /** Presents a refusal or an unexpected error. */
  readonly refuse: (
    error: unknown,
    request: HttpRequest,
    admission: Admission | undefined,
  ) => Promise<Written>;
}

/** The steps of every request that has a route. `pattern`: the route's address, with placeholders */
export function serve<A extends { readonly caller: Caller }>(pattern: string, served: Served<A>): Handler {
  return async (request) => {
    if (served.takes?.(request) === false) return undefined;
    request.pattern = pattern;
    verifyParams(request.params, served.longestParam);
    let admission: A | undefined;
    try {
      admission = await served.admit(request);
      request.caller = admission.caller;
      request.admitted(admission.caller);
      if (!onlyReads(request)) {
        await receiveBody(request, served.body);
        await request.nextTurn(admission.caller);
      }
      return await served.answer(request, admission);
    } catch (error) {
      return await served.refuse(error, request, admission);
    }
  };
}

function onlyReads({ method }: HttpRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** @throws Refusal with status 414 */
function verifyParams(params: HttpRequest['params'], longest = Number.POSITIVE_INFINITY): void {
  if (Object.values(params).some((value) => value.length > longest)) throw urlTooLong();
}

/** The same for all services of a process. */
const IN_ORDER = inOrder(ROUTES);

/** The service as a function from a request to its answer, whatever carries the two. */
export class App {
  readonly #options: AppOptions;
  readonly #requestLimiter: RequestLimiter;
  readonly #router = new TrieRouter<Handler>();

  constructor(options: AppOptions) {
    this.#options = options;
    const { context, pages, limits } = options;
    this.#requestLimiter = new RequestLimiter(limits, context.clock);
    const mounted = { ...options, requestLimiter: this.#requestLimiter };
    pages?.mountLeads(this, mounted);
    for (const [path, route] of IN_ORDER)
      this.on(route.method, path, serve(path, new Endpoint(route, mounted)));
    pages?.mount(this, mounted);
  }

  /** Those that are mounted first take precedence. */
  on(method: string, path: string, handler: Handler): void {
    this.#router.add(method, path, handler);
  }

  /** The request that a head begins, with an ID. */
  open(head: Head, carrier: Carrier): HttpRequest {
    const id = requestId(head.headers['x-request-id']);
    const url = addressOf(head, this.#options.pages !== undefined);
    const [, query = ''] = /\?(.*)/s.exec(url) ?? [];
    return Object.assign(head, carrier, {
      url,
      query: parse(query, undefined, undefined, { maxKeys: 0 }),
      id,
      log: this.#options.log.of(id),
      pattern: undefined,
      params: {},
      caller: undefined,
      body: undefined,
      parts: undefined,
    });
  }

  async answer(request: HttpRequest): Promise<Written> {
    try {
      if (request.method === 'OPTIONS') {
        this.#countStranger(request);
        return write(PREFLIGHT, { request, common: SECURITY_HEADERS });
      }
      this.#verify(request);
      return (await this.#handle(request)) ?? (await this.#answerLost(request));
    } catch (error) {
      return writeRefusal(error, request, this.#options.context);
    }
  }

  /** Undefined if no route matches. */
  async #handle(request: HttpRequest): Promise<Written | undefined> {
    const method = onlyReads(request) ? 'GET' : request.method;
    const [found] = this.#router.match(method, pathOf(request.url));
    for (const [handler, params] of found) {
      request.params = decodedParams(params as HttpRequest['params']);
      const written = await handler(request);
      if (written) return written;
    }
    return undefined;
  }

  /** @throws Refusal with status 400, 414, 431 */
  #verify(request: HttpRequest): void {
    try {
      verifyAddress(request.url);
      if (request.problem) throw request.problem;
    } catch (error) {
      this.#countStranger(request);
      throw error;
    }
  }

  /** Counts a request that no route admits. @throws Refusal `rate_limit` */
  #countStranger(request: HttpRequest): void {
    this.#requestLimiter.count(anonymousCaller(originsOf(request), this.#options.context.plans));
  }

  /** Answers requests that match no route: people get a page, if there are pages. */
  async #answerLost(request: HttpRequest): Promise<Written> {
    const { pages, context } = this.#options;
    this.#countStranger(request);
    if (!pages || !isPersonsMistake(request)) throw new Refusal('not_found');
    return await pages.answerLost(request, context);
  }
}

/** Fixed parts of an address take precedence over placeholders. */
function inOrder(routes: readonly Route[]): [path: string, route: Route][] {
  const rank = (path: string) => path.replaceAll(':', '\uffff');
  return routes
    .flatMap((route) => route.paths.map((path): [string, Route] => [path, route]))
    .toSorted(([a], [b]) => (rank(a) < rank(b) ? -1 : 1));
}

/** The incoming id if it is safe for logs and headers, otherwise a new one. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}

const MAX_URL = 8 * 1024;

/** @throws Refusal with status 400, 414 */
function verifyAddress(url: string): void {
  if (url.length > MAX_URL) throw urlTooLong();
  try {
    decodeURIComponent(url.split('?', 1)[0]!);
  } catch (error) {
    throw malformedUrl(error);
  }
}

function urlTooLong(): Refusal {
  return new Refusal('invalid_request', { status: 414, message: 'The address is too long.' });
}

export function malformedUrl(cause?: unknown): Refusal {
  return new Refusal('invalid_request', { message: 'The address is not well-formed.', cause });
}

const START = '/ui';

/**
 * The address of a request, for all code, so that everything agrees on the route and its version. It stays as sent: dots
 * in it must not lead anywhere else than a proxy in front has seen.
 */
function addressOf({ url, headers }: Head, hasPages: boolean): string {
  const [whole = ''] = url.split('#', 1); // some clients send the fragment
  const afterHost = whole.replace(/^[a-z]+:\/\/[^/?]*/i, '');
  const sent = afterHost.startsWith('/') ? afterHost : `/${afterHost}`;
  const plain = sent.replace(/^\/{2,}/, '/'); // a base address that ends in a slash makes two
  // `/` is the key document for programs and the start page for people, also where a link to it unfolds.
  const isStart = hasPages && /^\/(?:\?|$)/.test(plain) && (wantsPage(headers) || isLinkBot(headers));
  return isStart ? START : plain;
}

/** What the router matches: placeholders are decoded later, so escaped `/` and `%` stay. Ignores a slash at the end. */
function pathOf(url: string): string {
  const [path = ''] = url.split('?', 1);
  const decoded = path.includes('%') ? decodeURI(path.replaceAll('%25', '%2525')) : path;
  return decoded.length > 1 && decoded.endsWith('/') ? decoded.slice(0, -1) : decoded;
}

function decodedParams(params: HttpRequest['params']): HttpRequest['params'] {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]));
}

/** Prefixes of the API's addresses, whose errors are for programs, whatever they accept. */
const API = new Set(['v1', 'v2', ...ROUTES.flatMap(({ paths }) => paths.map(firstPart))]);

function firstPart(address: string): string {
  return /^\/+([^/?]*)/.exec(address)?.[1] ?? '';
}

/** Whether a person opened this unknown address in a browser. */
function isPersonsMistake(request: HttpRequest): boolean {
  const { url, headers } = request;
  return onlyReads(request) && wantsPage(headers) && !API.has(firstPart(url));
}
