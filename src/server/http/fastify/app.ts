import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import cors from '@fastify/cors';
import formbody from '@fastify/formbody';
import multipart from '@fastify/multipart';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { authenticate, type Session } from '../../service/callers/authenticate.ts';
import { anonymousCaller, type Caller, networkOf, requireUser } from '../../service/callers/caller.ts';
import type { Origins } from '../../service/callers/key-bindings.ts';
import { requireScope } from '../../service/callers/scopes.ts';
import type { ServiceContext } from '../../service/context.ts';
import { Turnstile } from '../../service/limits/turnstile.ts';
import { Refusal } from '../../service/refusals/refusal.ts';
import { SERVER_NAME } from '../../workers/make-skin-data.ts';
import { addEntityTags, cacheHeaders, NOT_KEPT } from '../caching.ts';
import { asRefusal, refusalAnswer } from '../error-answers.ts';
import { makeCall } from '../parse-request.ts';
import { type Answer, type Call, isForUsersOnly, originsOf, type Route } from '../route.ts';
import { ROUTES } from '../routes.ts';
import { readSentKey } from '../sent-key.ts';
import { isV1Address, v1RefusalAnswer } from '../v1/error-answers.ts';
import { Connections } from './connections.ts';
import { CORS } from './cors.ts';
import {
  describeAddress,
  type LogAddresses,
  type LogLevel,
  type LogStream,
  loggerOptions,
  logRequest,
  logsRequests,
  QuietLogController,
} from './log.ts';
import { answerClientError, breadcrumb, type EdgeLimits, requestId, verifyHead } from './network-limits.ts';
import { NodeServers } from './node-servers.ts';
import { proxyTest } from './proxies.ts';
import { securityHeaders } from './security-headers.ts';

export interface AppOptions {
  readonly context: ServiceContext;
  /** The key of the process that embeds the service, if one does. */
  readonly session: Session | undefined;
  /** Whether callers without a key are served; routes without authentication always serve them. */
  readonly allowsAnonymous: boolean;
  readonly logLevel: LogLevel;
  readonly logAddresses: LogAddresses;
  readonly logStream: LogStream;
  readonly edge: EdgeLimits;
  /** The proxies whose X-Forwarded-For is trusted: addresses, networks and `loopback`, separated by commas. */
  readonly trustProxy: string | undefined;
}

/** Bytes of a JSON or form body: several times the longest data URL. */
const BODY_LIMIT = 128 * 1024;

/** The callers of those requests whose routes authenticate. */
type Callers = WeakMap<FastifyRequest, Caller>;

export async function buildApp(options: AppOptions): Promise<{ app: FastifyInstance; servers: NodeServers }> {
  const callers: Callers = new WeakMap();
  const watch = requestWatcher(options, callers);
  const answerError = errorAnswerer(options);
  const { servers, connections } = openServers(options);
  const app: FastifyInstance = Fastify({
    logger: loggerOptions(options.logLevel, options.logStream),
    logController: new QuietLogController({ requestIdLogLabel: 'request' }),
    genReqId: requestId,
    bodyLimit: BODY_LIMIT,
    serverFactory: (handle) => servers.makeFirst(handle as RequestListener),
    forceCloseConnections: 'idle',
    return503OnClosing: false, // its words are not ours; what is taken by then is answered
    exposeHeadRoutes: false,
    ...(options.trustProxy !== undefined && { trustProxy: options.trustProxy }),
    clientErrorHandler: (error, socket) => answerBadClient(app, error, { socket, options }),
    frameworkErrors: (error, request, reply) => {
      watch(request, reply);
      answerError(error, request, reply);
    },
    routerOptions: { maxParamLength: 128, ignoreTrailingSlash: true },
  });
  const turnstile = new Turnstile(options.edge, options.context.clock);
  app.addHook('onRequest', (request, reply, done) => {
    watch(request, reply);
    done();
  });
  await app.register(cors, CORS);
  app.addHook('onRequest', (request, _reply, done) => {
    verifyHead(request);
    done();
  });
  app.removeContentTypeParser('text/plain'); // read by default; here it is as foreign as any other
  await app.register(multipart);
  await app.register(formbody, { bodyLimit: BODY_LIMIT });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request, reply) => answerError(new Refusal('not_found'), request, reply));
  const reading = ROUTES.filter(({ method }) => method === 'GET');
  await app.register(async (scope) => {
    await addEntityTags(scope);
    for (const route of reading) mount(scope, route, { options, callers, connections, turnstile });
  });
  for (const route of ROUTES)
    if (!reading.includes(route)) mount(app, route, { options, callers, connections, turnstile });
  return { app, servers };
}

function openServers({ edge, context, trustProxy }: AppOptions): {
  servers: NodeServers;
  connections: Connections;
} {
  const connections = new Connections({
    ...edge,
    nameOf: networkOf,
    isProxy: proxyTest(trustProxy),
    onDropped: () => context.observer.connectionDropped(),
  });
  const isUrgent = (url: string) => VITAL_PATHS.has(url.split('?', 1)[0] ?? '');
  const servers = new NodeServers({ limits: edge, connections, clock: context.clock, isUrgent });
  return { servers, connections };
}

const VITAL_PATHS: ReadonlySet<string> = new Set(
  ROUTES.filter(({ isVital }) => isVital).flatMap(({ paths }) => paths),
);

/** Adds the common headers to each answer, and reports each request once it is over, whichever side ended it. */
function requestWatcher({ context, logLevel, logAddresses: addresses }: AppOptions, callers: Callers) {
  const { clock, observer } = context;
  const security = securityHeaders();
  const isLogged = logsRequests(logLevel);
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const start = clock.monotonic();
    reply.headers(security).header('X-Request-Id', request.id).header('MineSkin-Server', SERVER_NAME);
    reply.header('MineSkin-Breadcrumb', breadcrumb());
    reply.raw.once('close', () => {
      const milliseconds = clock.monotonic() - start;
      const { method, routeOptions } = request;
      observer.requestAnswered({ route: routeOptions.url, method, status: reply.statusCode, milliseconds });
      if (isLogged) logRequest({ request, reply, caller: callers.get(request), milliseconds, addresses });
    });
  };
}

function answerBadClient(
  app: FastifyInstance,
  error: Error,
  { socket, options }: { socket: Socket; options: AppOptions },
): void {
  const address = describeAddress(socket.remoteAddress ?? '', options.logAddresses);
  const refusal = answerClientError(error, socket);
  if (!refusal) return;
  options.context.observer.refused(refusal.code);
  app.log.info({ status: refusal.status, ...address }, refusal.message);
}

const EVENT_STREAM = 'text/event-stream';
const HEAD_OF_STREAM: Answer = { status: 200, body: undefined, headers: { 'Content-Type': EVENT_STREAM } };

interface Mounting {
  readonly options: AppOptions;
  readonly callers: Callers;
  readonly connections: Connections;
  readonly turnstile: Turnstile;
}

/** Read-only routes also support HEAD; a stream has no end, so HEAD makes only its headers. */
function mount(
  app: FastifyInstance,
  route: Route,
  { options, callers, connections, turnstile }: Mounting,
): void {
  const isStream = route.answers[200] === EVENT_STREAM;
  const authenticators = new WeakMap<FastifyRequest, () => Promise<Caller>>();
  for (const url of route.paths) {
    app.route({
      method: route.method === 'GET' && !route.changes ? ['GET', 'HEAD'] : route.method,
      url,
      ...(route.bodyLimit !== undefined && { bodyLimit: route.bodyLimit }),
      // Before the body is read: a refused caller does not learn what else is wrong with the request.
      onRequest: async (request) => {
        const authenticated = callerOf(request, route, options);
        authenticators.set(request, authenticated);
        const caller = await authenticated().catch((error: unknown) => {
          turnstile.count(anonymousCaller(originsOf(request), options.context.plans));
          throw error;
        });
        callers.set(request, caller);
        if (caller.kind === 'user') connections.recognize(request.raw.socket, caller.owner);
      },
      handler: async (request, reply) => {
        const { context } = options;
        const caller = callers.get(request)!;
        const authenticated = authenticators.get(request)!;
        const leave = route.isVital ? undefined : turnstile.enter(caller);
        try {
          const verify = async () => void (await authenticated());
          const call = makeCall(request, route, { context, caller, verify });
          const isHead = isStream && request.method === 'HEAD';
          const answer = isHead ? HEAD_OF_STREAM : await handleWhileAllowed(route, call);
          const headers = { ...cacheHeaders(route, answer.status), ...answer.headers };
          return send(reply, { ...answer, headers });
        } finally {
          leave?.();
        }
      },
    });
  }
}

/**
 * Returns a function that authenticates the caller. It may be called again, since the key may have been revoked in the
 * meantime. @throws Refusal
 */
function callerOf(request: FastifyRequest, route: Route, options: AppOptions): () => Promise<Caller> {
  const { context } = options;
  const origins = originsOf(request); // a closed connection no longer has an address
  if (!route.authenticated) return async () => anonymousCaller(origins, context.plans);
  return async () => {
    const caller = await identify(request, origins, options);
    if (isForUsersOnly(route)) requireUser(caller);
    if (route.scopes) requireScope(caller, ...route.scopes);
    return caller;
  };
}

/** Stops waiting for the handler when the key of the request is revoked. */
async function handleWhileAllowed(route: Route, call: Call): Promise<Answer> {
  const { caller, context, verify } = call;
  if (caller.kind === 'anonymous' || !caller.key) return await route.handle(call);
  return await context.openRequests.during(verify, async () => await route.handle(call));
}

async function identify(
  request: FastifyRequest,
  origins: Origins,
  { context, session, allowsAnonymous }: AppOptions,
): Promise<Caller> {
  const { authorization } = readSentKey(request);
  const credentials = { authorization, ...origins };
  return await authenticate(context.db, credentials, {
    session,
    allowsAnonymous,
    plans: context.plans,
    now: context.clock.now(),
  });
}

function errorAnswerer({ context }: AppOptions) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const refusal = asRefusal(error);
    if (refusal.code === 'internal_error') request.log.error({ err: refusal.cause ?? refusal }, refusal.code);
    else if (refusal.status >= 500) request.log.warn(`${refusal.code}: ${refusal.message}`);
    context.observer.refused(refusal.code);
    const answer = refuse(refusal, request, context);
    return send(reply, { ...answer, headers: { ...NOT_KEPT, ...answer.headers } });
  };
}

/**
 * Answers in the format of the version that the address belongs to: a malformed request reaches no route that could
 * decide this.
 */
function refuse(refusal: Refusal, request: FastifyRequest, { clock }: ServiceContext): Answer {
  return isV1Address(request.url) ? v1RefusalAnswer(refusal, clock.now()) : refusalAnswer(refusal);
}

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  return reply
    .code(answer.status)
    .headers({ ...answer.headers })
    .send(answer.body);
}
