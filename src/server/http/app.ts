import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Context, Hono, type Next } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import type { ServiceContext } from '../context.ts';
import { anonymousCaller, type Caller } from '../service/callers.ts';
import { RequestLimiter, type RequestLimits } from '../service/limits.ts';
import { Refusal } from '../service/refusal.ts';
import { API_HEADERS, errorAnswer, PREFLIGHT, responseOf, SECURITY_HEADERS, send } from './answers.ts';
import { receiveBody } from './bodies.ts';
import { Endpoint, type EndpointOptions } from './endpoint.ts';
import { type Log, type LogAddresses, logRequest } from './log.ts';
import { type Bindings, HttpRequest, originsOf } from './request.ts';
import type { Answer, Route } from './route.ts';
import { ROUTES } from './routes/routes.ts';
import { isLinkBot, wantsPage } from './visitors.ts';

export interface AppOptions extends Omit<EndpointOptions, 'requestLimiter'> {
  /** The pages for people; undefined: only the API, so that no pages are loaded. */
  readonly pages?: Pages | undefined;
  readonly limits: RequestLimits;
  readonly log: Log;
  readonly logAddresses: LogAddresses;
  /** Whether an address belongs to a trusted proxy. */
  readonly isProxy: (address: string) => boolean;
  /** Called when the caller of a request over the network is known, before its body is read. */
  readonly onAdmitted?: (incoming: IncomingMessage, caller: Caller) => void;
}

/** The pages for people, if the app has them. */
export interface Pages {
  /** Mounts what leads people from addresses of the API to pages. */
  readonly mountLeads: (app: App, options: MountOptions) => void;
  readonly mount: (app: App, options: MountOptions) => void;
  /** Answers a person's request for an address that does not exist. */
  readonly answerLost: (c: Visit, context: ServiceContext) => Promise<Answer>;
}

interface Variables {
  readonly request: HttpRequest;
  /** ID of the request, and the log whose lines contain it. */
  readonly id: string;
  readonly log: Log;
  /** The address of the request's route, with placeholders; undefined if no route matches. */
  readonly pattern: string | undefined;
  readonly caller: Caller | undefined;
}

interface Env {
  Bindings: Bindings;
  Variables: Variables;
}
export type Visit = Context<Env>;

/** The service as a function from a request to its answer. */
export type App = Hono<Env>;

/** Builds the service's app from its routes. */
export function buildApp(options: AppOptions): App {
  const { context, pages, limits } = options;
  const requestLimiter = new RequestLimiter(limits, context.clock);
  const app: App = new Hono<Env>({
    router: new TrieRouter(),
    getPath: (request, given) => {
      const { path } = addressOf(request, given?.env as Bindings | undefined, pages !== undefined);
      return withoutLastSlash(path);
    },
  });
  const mounted = { ...options, requestLimiter };
  app.use(async (c, next) => await begin(c, next, mounted));
  pages?.mountLeads(app, mounted);
  for (const [path, route] of inOrder(ROUTES)) mountRoute(app, path, route, mounted);
  pages?.mount(app, mounted);
  app.notFound(async (c) => await answerLost(c, mounted));
  app.onError((error, c) => refuse(c, error, options));
  return app;
}

export type MountOptions = AppOptions & { readonly requestLimiter: RequestLimiter };

/** Fixed parts of an address take precedence over placeholders. */
function inOrder(routes: readonly Route[]): [path: string, route: Route][] {
  const rank = (path: string) => path.replaceAll(':', '\uffff');
  return routes
    .flatMap((route) => route.paths.map((path): [string, Route] => [path, route]))
    .toSorted(([a], [b]) => (rank(a) < rank(b) ? -1 : 1));
}

/** Gives each request an ID, reports its end, and checks its headers. */
async function begin(c: Visit, next: Next, options: MountOptions): Promise<Response | undefined> {
  const { raw } = c.req;
  const id = requestId(c.req.header('x-request-id'));
  const log = options.log.of(id);
  const { url } = addressOf(raw, c.env, options.pages !== undefined);
  const request = new HttpRequest(raw, { url, carrier: c.env, log, isProxy: options.isProxy });
  c.set('id', id);
  c.set('log', log);
  c.set('request', request);
  if ('outgoing' in c.env) watch(c, c.env.outgoing, options);
  if (request.method === 'OPTIONS') {
    countStranger(request, options);
    return respond(c, PREFLIGHT, { common: SECURITY_HEADERS });
  }
  try {
    verifyAddress(url);
    if ('incoming' in c.env) verifyHead(c.env.incoming);
  } catch (error) {
    countStranger(request, options);
    throw error;
  }
  await next();
  return undefined;
}

/** Counts a request that no route admits. @throws Refusal `rate_limit` */
function countStranger(request: HttpRequest, { context, requestLimiter }: MountOptions): void {
  requestLimiter.count(anonymousCaller(originsOf(request), context.plans));
}

/** The incoming id if it is safe for logs and headers, otherwise a new one. */
function requestId(given: string | undefined): string {
  return given !== undefined && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}

/** Reports a request over the network when it is over, whichever side ended it. */
function watch(
  c: Visit,
  response: ServerResponse,
  { context, log, logAddresses: addresses }: AppOptions,
): void {
  const { clock, events } = context;
  const start = clock.monotonic();
  const request = c.get('request');
  response.once('close', () => {
    const milliseconds = clock.monotonic() - start;
    const { method } = request;
    const caller = c.get('caller');
    events.emit('requestAnswered', {
      route: c.get('pattern'),
      method,
      status: response.statusCode,
      milliseconds,
    });
    if (log.hasRequests) logRequest(c.get('log'), { request, response, caller, milliseconds, addresses });
  });
}

const MAX_URL = 8 * 1024;
/** Longest value in the path of an address, in characters. */
const MAX_PARAM_LENGTH = 128;

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

/** Maximum number of headers per request. */
const MAX_HEADERS = 100;
/** Headers that Node must keep so that a request with too many is noticed. */
export const KEPT_HEADERS = MAX_HEADERS + 1;

/** @throws Refusal with status 400, 431 */
function verifyHead({ headersDistinct, rawHeaders, httpVersion }: IncomingMessage): void {
  const hosts = headersDistinct['host']?.length ?? 0;
  // With two, a proxy in front of the service might use the other one.
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0'))
    throw new Refusal('invalid_request', hosts > 1 ? 'Send one Host header only.' : 'Send a Host header.');
  if (rawHeaders.length / 2 > MAX_HEADERS)
    throw new Refusal('invalid_request', { status: 431, message: 'There are too many headers.' });
}

const START = '/ui';

/**
 * The address of a request, for all code, so that everything agrees on the route and its version. From the network, it
 * stays as sent: dots in it must not lead anywhere else than a proxy in front has seen.
 */
function addressOf(
  request: Request,
  carrier: Bindings | undefined,
  hasPages: boolean,
): { readonly url: string; readonly path: string } {
  const target = (carrier && 'incoming' in carrier ? carrier.incoming.url : undefined) ?? request.url;
  const [whole = ''] = target.split('#', 1); // some clients send the fragment
  const afterHost = whole.replace(/^[a-z]+:\/\/[^/?]*/i, '');
  const sent = afterHost.startsWith('/') ? afterHost : `/${afterHost}`;
  const plain = sent.replace(/^\/{2,}/, '/'); // a base address that ends in a slash makes two
  // `/` is the key document for programs and the start page for people, also where a link to it unfolds.
  const isStart = hasPages && /^\/(?:\?|$)/.test(plain) && wantsStart(request.headers);
  const url = isStart ? START : plain;
  const [path = ''] = url.split('?', 1);
  return { url, path: decoded(path) };
}

function wantsStart(headers: Headers): boolean {
  const accept = headers.get('accept') ?? '';
  return wantsPage({ accept }) || isLinkBot({ 'user-agent': headers.get('user-agent') ?? '' });
}

/** The router decodes placeholders, so escaped `/` and `%` stay. Malformed ones are refused later. */
function decoded(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURI(path.replaceAll('%25', '%2525'));
  } catch {
    return path;
  }
}

/** Ignores one slash at the end. */
function withoutLastSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function mountRoute(app: App, path: string, route: Route, options: MountOptions): void {
  const endpoint = new Endpoint(route, options);
  app.on(route.method, path, async (c, next) => {
    if (route.changes && c.req.method === 'HEAD') return await next();
    c.set('pattern', path);
    const request = c.get('request');
    request.params = verifiedParams(c.req.param());
    // Before the body is read.
    const admission = await endpoint.admit(request).catch((error) => {
      // Each guess at a key costs a connection, and what came over it besides is not looked at.
      if ('outgoing' in c.env) c.env.outgoing.setHeader('Connection', 'close');
      throw error;
    });
    admitted(c, admission.caller, options);
    await receive(c, admission.caller, { ...options, route });
    const answer = await endpoint.answer(request, admission);
    return respond(c, answer, { common: API_HEADERS, isTagged: route.method === 'GET' });
  });
}

/** @throws Refusal with status 414 */
function verifiedParams(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (Object.values(params).some((value) => value.length > MAX_PARAM_LENGTH)) throw urlTooLong();
  return params;
}

export function admitted(c: Visit, caller: Caller, { onAdmitted }: AppOptions): void {
  c.set('caller', caller);
  if ('incoming' in c.env) onAdmitted?.(c.env.incoming, caller);
}

/** Reads the body, and waits for the caller's turn: bodies of many connections may come at once. @throws Refusal */
export async function receive(
  c: Visit,
  caller: Caller,
  { context, route }: Pick<AppOptions, 'context'> & { readonly route: Parameters<typeof receiveBody>[1] },
): Promise<void> {
  const request = c.get('request');
  await receiveBody(request, route);
  if ('incoming' in c.env && request.method !== 'GET')
    await context.turns.next(context.known.holderOf(caller));
}

export function respond(
  c: Visit,
  answer: Answer,
  options: { readonly common: Readonly<Record<string, string>>; readonly isTagged?: boolean },
): Response {
  const { method } = c.req;
  const all = { ...options, id: c.get('id'), method, ifNoneMatch: c.req.header('if-none-match') };
  return 'outgoing' in c.env ? send(c.env.outgoing, answer, all) : responseOf(answer, all);
}

function refuse(c: Visit, error: unknown, { context }: AppOptions): Response {
  const answer = errorAnswer(error, { url: c.get('request').url, log: c.get('log'), context });
  return respond(c, answer, { common: API_HEADERS });
}

/** Answers requests that match no route: people get a page, if there are pages. */
async function answerLost(c: Visit, options: MountOptions): Promise<Response> {
  const { context, pages } = options;
  const request = c.get('request');
  countStranger(request, options);
  if (!pages || !isPersonsMistake(request)) return refuse(c, new Refusal('not_found'), options);
  const answer = await pages.answerLost(c, context);
  return respond(c, answer, { common: SECURITY_HEADERS });
}

/** Prefixes of the API's addresses, whose errors are for programs, whatever they accept. */
const API = new Set(['v1', 'v2', ...ROUTES.flatMap(({ paths }) => paths.map(firstPart))]);

function firstPart(address: string): string {
  return /^\/+([^/?]*)/.exec(address)?.[1] ?? '';
}

/** Whether a person opened this unknown address in a browser. */
function isPersonsMistake({ method, url, headers }: HttpRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && wantsPage(headers) && !API.has(firstPart(url));
}
