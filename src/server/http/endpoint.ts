import type { z } from 'zod';
import type { Note } from '../../protocol/envelope.ts';
import type { ServiceContext } from '../context.ts';
import { authenticate } from '../service/authentication.ts';
import {
  anonymousCaller,
  type Caller,
  type Origins,
  requireScope,
  requireUser,
  userCaller,
} from '../service/callers.ts';
import { withLimits } from '../service/limits.ts';
import { asRefusal, Refusal, validationRefusal } from '../service/refusal.ts';
import type { RequestLimiter } from '../service/request-limits.ts';
import type { UserRow } from '../store/schema/tables.ts';
import {
  API_HEADERS,
  cacheHeaders,
  NO_STORE,
  refusalAnswer,
  type Written,
  write,
  writeRefusal,
} from './answers.ts';
import { v1RefusalAnswer } from './described-answers.ts';
import {
  type Answer,
  type Call,
  EVENT_STREAM,
  type HttpRequest,
  isForUsersOnly,
  isV1Address,
  originsOf,
  provedOriginsOf,
  querySchemaOf,
  type Route,
} from './route.ts';

export interface EndpointOptions {
  readonly context: ServiceContext;
  /** The user of requests without a key, if they come from the process that embeds the service. */
  readonly localUser?: UserRow;
  /** Whether callers without a key are served; routes without authentication always serve them. */
  readonly allowsAnonymous: boolean;
  readonly requestLimiter: RequestLimiter;
}

type Admission = Pick<Call, 'caller' | 'verify'>;

const HEAD_OF_STREAM: Answer = { status: 200, body: undefined, headers: { 'Content-Type': EVENT_STREAM } };

const STAND_IN = {
  ...NO_STORE,
  'Content-Type': 'image/png',
  'Cross-Origin-Resource-Policy': 'cross-origin',
} as const;

/** The API's way to serve a route. */
export class Endpoint {
  readonly longestParam = 128;
  readonly body: Route;
  readonly #route: Route;
  readonly #options: EndpointOptions;
  #query: Route['query'] | null = null;
  /** Whether refusals include the caller's rate limit. Version 1 adds its own, because its rules depend on the request. */
  readonly #tellsLimits: boolean;

  constructor(route: Route, options: EndpointOptions) {
    this.body = route;
    this.#route = route;
    this.#options = options;
    this.#tellsLimits = route.isLimited === true && !isV1Address(route.paths[0]);
  }

  /** HEAD is not for what changes something. */
  takes({ method }: HttpRequest): boolean {
    return !(this.#route.changes && method === 'HEAD');
  }

  /**
   * Identifies the caller. Call this before the body is read: a refused caller must not learn what else is wrong with
   * the request. @throws Refusal
   */
  async admit(request: HttpRequest): Promise<Admission> {
    const { context, requestLimiter } = this.#options;
    try {
      const caller = await this.#authenticate(request);
      return { caller, verify: async () => await this.#verify(request, caller) };
    } catch (error) {
      requestLimiter.count(anonymousCaller(originsOf(request), context.plans));
      throw error;
    }
  }

  /** @throws Refusal, or any unexpected error */
  async answer(request: HttpRequest, admission: Admission): Promise<Written> {
    const isTagged = this.#route.method === 'GET';
    return write(await this.#answer(request, admission), { request, common: API_HEADERS, isTagged });
  }

  /** Each guess at a key costs a connection, and what came over it besides is not looked at. */
  async refuse(error: unknown, request: HttpRequest, admission: Admission | undefined): Promise<Written> {
    const { context } = this.#options;
    return writeRefusal(error, request, context, admission ? {} : { Connection: 'close' });
  }

  async #answer(request: HttpRequest, { caller, verify }: Admission): Promise<Answer> {
    const { context } = this.#options;
    const route = this.#route;
    let leave: (() => void) | undefined;
    try {
      leave = this.#enter(caller);
      // Made once, and for the first request: a schema compiles its checks on first use, and most callers use few routes.
      if (this.#query === null) this.#query = querySchemaOf(route);
      const call = parseRequest({ context, request, caller, verify }, route, this.#query);
      const answer = await this.#handle(call);
      return { ...answer, headers: { ...cacheHeaders(route, answer.status), ...answer.headers } };
    } catch (error) {
      return await this.#standIn(await this.#withRateLimitHeaders(error, caller));
    } finally {
      leave?.();
    }
  }

  /** @returns the function to call when the request is over, if it counts as under way. @throws Refusal */
  #enter(caller: Caller): (() => void) | undefined {
    const { isVital, isBoundedElsewhere } = this.#route;
    const { requestLimiter } = this.#options;
    if (isVital) return undefined;
    if (!isBoundedElsewhere) return requestLimiter.enter(caller);
    requestLimiter.count(caller);
    return undefined;
  }

  /** @throws the error itself, unless the route has a picture for callers who must wait */
  async #standIn(error: unknown): Promise<Answer> {
    const { standIn } = this.#route;
    const { context } = this.#options;
    if (!standIn) throw error;
    const refusal = asRefusal(error);
    if (refusal.status !== 429 && refusal.status !== 503) throw error;
    context.events.emit('refused', refusal.code);
    const png = Buffer.from(await standIn(context));
    const isOld = isV1Address(this.#route.paths[0]);
    const { headers } = isOld ? v1RefusalAnswer(refusal) : refusalAnswer(refusal);
    return { status: refusal.status, body: png, headers: { ...headers, ...STAND_IN } };
  }

  /** Once revoked, a key without the word Bearer counts as no key. */
  async #verify(request: HttpRequest, { owner }: Caller): Promise<void> {
    const { owner: now } = await this.#authenticate(request);
    if (now !== owner) throw new Refusal('invalid_api_key');
  }

  async #authenticate(request: HttpRequest): Promise<Caller> {
    const { authenticated, scopes, verifyCaller, changes } = this.#route;
    const { context } = this.#options;
    const origins = provedOriginsOf(request, { webPages: context.webPages, changes });
    if (!authenticated) return anonymousCaller(origins, context.plans);
    const caller = await this.#identify(request, origins);
    if (isForUsersOnly(this.#route)) requireUser(caller);
    if (scopes) requireScope(caller, ...scopes);
    try {
      verifyCaller?.(caller, context);
    } catch (error) {
      throw await this.#withRateLimitHeaders(error, caller);
    }
    return caller;
  }

  async #withRateLimitHeaders(error: unknown, caller: Caller): Promise<unknown> {
    return this.#tellsLimits ? await withLimits(this.#options.context, error, caller) : error;
  }

  async #identify(request: HttpRequest, origins: Origins): Promise<Caller> {
    const { context, localUser, allowsAnonymous } = this.#options;
    const { plans, db, clock } = context;
    const { authorization, isBare } = readSentKey(request);
    if (localUser && authorization === undefined) return userCaller(localUser, plans);
    const options = { allowsAnonymous, plans, now: clock.now() };
    return await authenticate(db, { authorization, isBare, ...origins }, options);
  }

  /** Stops waiting for the handler when the key of the request is revoked. */
  async #handle(call: Call): Promise<Answer> {
    const { caller, context, verify, request } = call;
    const route = this.#route;
    // A stream has no end, so HEAD makes only its headers.
    if (route.answers[200] === EVENT_STREAM && request.method === 'HEAD') return HEAD_OF_STREAM;
    if (caller.kind === 'anonymous' || !caller.key) return await route.handle(call);
    return await context.openRequests.during(verify, async () => await route.handle(call));
  }
}

/** The request in the form that the handler expects. @throws Refusal if it does not match the route's schemas */
function parseRequest(
  call: Pick<Call, 'context' | 'request' | 'caller' | 'verify'>,
  route: Route,
  query: Route['query'],
): Call {
  const { request, caller } = call;
  verifyBodyType(request, route);
  return {
    ...call,
    params: parseWith(route.params, request.params),
    query: parseWith(query, request.query),
    headers: parseWith(route.headers, request.headers),
    body: parseWith(route.body, request.body ?? {}),
    warnings: warningsFor(request, caller),
  };
}

/** A form sent to a route that reads none would count as an empty body, for instance as a key without bindings. */
function verifyBodyType(request: HttpRequest, { bodies }: Route): void {
  if (bodies === undefined || 'multipart/form-data' in bodies || !request.parts) return;
  throw new Refusal('invalid_content_type', 'The body must be application/json.');
}

function parseWith(schema: z.ZodType | undefined, input: unknown): unknown {
  if (!schema) return input;
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw validationRefusal(parsed.error);
  return parsed.data;
}

function warningsFor(request: HttpRequest, caller: Caller): Note[] {
  const sent = readSentKey(request);
  const isUnknown = sent.isBare && caller.kind === 'anonymous';
  const warnings: Note[] = isUnknown ? [UNKNOWN_BARE] : [...sent.warnings];
  if (caller.kind === 'anonymous' && warnings.length === 0) {
    const message = 'The request has no API key, so the limits for anonymous callers apply.';
    warnings.push({ code: 'no_api_key', message });
  }
  if (!request.headers['user-agent'] && !request.headers['mineskin-user-agent']) {
    warnings.push({ code: 'no_user_agent', message: 'Send a User-Agent that names your application.' });
  }
  return warnings;
}

/** The API key of a request, sent in any of the supported ways. */
interface SentKey {
  /** The value of the Authorization header. */
  readonly authorization: string | undefined;
  /** Whether the word Bearer is missing. Then the header may be meant for a proxy in front. */
  readonly isBare: boolean;
  readonly warnings: readonly Note[];
}

const BARE: Note = {
  code: 'deprecated',
  message: 'Send the API key as "Authorization: Bearer <key>", with the word Bearer before it.',
};
const IN_QUERY: Note = {
  code: 'deprecated',
  message: 'An API key in the address ends up in logs. Send it as "Authorization: Bearer <key>".',
};

const NO_KEY: Note = {
  code: 'no_api_key',
  message: 'The Authorization header has no API key. Send it as "Authorization: Bearer <key>".',
};

/** The warning for a header with one word that is not a key of this service. */
const UNKNOWN_BARE: Note = {
  code: 'no_api_key',
  message:
    'The Authorization header has no API key of this service, so the limits for anonymous callers apply. Send a key as "Authorization: Bearer <key>".',
};

/**
 * Old clients send the key without `Bearer`, or as `key` in the query of version 1. The header takes precedence; one
 * without a key counts as missing, as on the hosted service: programs send an empty setting as an empty key, and proxies
 * in front pass on their own credentials.
 */
function readSentKey(request: HttpRequest): SentKey {
  const { authorization } = request.headers as { authorization?: string };
  if (authorization !== undefined && /^\S{16,}$/.test(authorization))
    return { authorization: `Bearer ${authorization}`, isBare: true, warnings: [BARE] };
  if (authorization !== undefined && /^Bearer\s+\S/i.test(authorization))
    return { authorization, isBare: false, warnings: [] };
  const key = keyInQuery(request);
  if (key !== undefined) return { authorization: `Bearer ${key}`, isBare: false, warnings: [IN_QUERY] };
  return { authorization: undefined, isBare: false, warnings: authorization === undefined ? [] : [NO_KEY] };
}

function keyInQuery({ query, url }: HttpRequest): string | undefined {
  if (!isV1Address(url)) return undefined;
  const key = (query as Readonly<Record<string, unknown>> | undefined)?.['key'];
  return typeof key === 'string' && key !== '' ? key : undefined;
}
