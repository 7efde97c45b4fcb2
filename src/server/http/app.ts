import type { Socket } from 'node:net';
import cors from '@fastify/cors';
import formbody from '@fastify/formbody';
import multipart from '@fastify/multipart';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Note } from '../../protocol/envelope.ts';
import { authenticate, type Session } from '../service/authenticate.ts';
import { anonymousCaller, type Caller } from '../service/caller.ts';
import type { ServiceContext } from '../service/context.ts';
import { Refusal } from '../service/refusal.ts';
import { addEntityTags, cacheHeaders, NOT_KEPT } from './caching.ts';
import { CORS } from './cors.ts';
import {
  answerClientError,
  type EdgeLimits,
  KEPT_HEADERS,
  nodeServerOptions,
  requestId,
  verifyHead,
} from './edge.ts';
import { asRefusal, refusalAnswer, validationRefusal } from './error-answers.ts';
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
import { type Answer, type Call, originsOf, type Route } from './route.ts';
import { ROUTES } from './routes.ts';
import { securityHeaders } from './security-headers.ts';
import { isV1Address, v1RefusalAnswer } from './v1/error-answers.ts';

export interface AppOptions {
  readonly context: ServiceContext;
  /** The key of the process that embeds the service, if one does. */
  readonly session: Session | undefined;
  /** Whether callers without a key are served; where nobody needs to be known they always are. */
  readonly allowsAnonymous: boolean;
  readonly logLevel: LogLevel;
  readonly logAddresses: LogAddresses;
  readonly logStream: LogStream;
  readonly edge: EdgeLimits;
  /** Whose X-Forwarded-For is believed: addresses, networks and `loopback`, with commas between them. */
  readonly trustProxy: string | undefined;
}

/** Bytes of a JSON or form body: a data URL of the longest kind fits several times. */
const BODY_LIMIT = 128 * 1024;

/** Who asked, where a route wanted to know. */
type Callers = WeakMap<FastifyRequest, Caller>;

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const callers: Callers = new WeakMap();
  const watch = requestWatcher(options, callers);
  const answerError = errorAnswerer(options);
  const app: FastifyInstance = Fastify({
    logger: loggerOptions(options.logLevel, options.logStream),
    logController: new QuietLogController({ requestIdLogLabel: 'request' }),
    genReqId: requestId,
    bodyLimit: BODY_LIMIT,
    http: nodeServerOptions(options.edge),
    requestTimeout: options.edge.requestTimeout,
    keepAliveTimeout: options.edge.keepAliveTimeout,
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
  limitConnections(app, options);
  passExpectations(app);
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
    for (const route of reading) mount(scope, route, { options, callers });
  });
  for (const route of ROUTES) if (!reading.includes(route)) mount(app, route, { options, callers });
  return app;
}

function limitConnections(app: FastifyInstance, { edge, context }: AppOptions): void {
  app.server.maxConnections = edge.maxConnections;
  app.server.maxHeadersCount = KEPT_HEADERS;
  app.server.on('drop', () => context.observer.connectionDropped());
}

/** Node answers `Expect` with what it does not know by itself, in nobody's format; here such a wish goes unheard. */
function passExpectations({ server }: FastifyInstance): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** Gives each answer what all have, and tells of each request once it is over, whoever ended it. */
function requestWatcher({ context, logLevel, logAddresses: addresses }: AppOptions, callers: Callers) {
  const { clock, observer } = context;
  const security = securityHeaders();
  const isLogged = logsRequests(logLevel);
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const start = clock.monotonic();
    reply.headers(security).header('X-Request-Id', request.id);
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
}

/** What can be read can be asked after with HEAD; a stream has no end, so that there only its head is made. */
function mount(app: FastifyInstance, route: Route, { options, callers }: Mounting): void {
  const isStream = route.answers[200] === EVENT_STREAM;
  for (const url of route.paths) {
    app.route({
      method: route.method === 'GET' ? ['GET', 'HEAD'] : route.method,
      url,
      ...(route.bodyLimit !== undefined && { bodyLimit: route.bodyLimit }),
      handler: async (request, reply) => {
        const caller = await callerOf(request, route, options);
        callers.set(request, caller);
        const call = makeCall(request, route, { context: options.context, caller });
        const answer = isStream && request.method === 'HEAD' ? HEAD_OF_STREAM : await route.handle(call);
        const headers = { ...cacheHeaders(route, answer.status), ...answer.headers };
        return send(reply, { ...answer, headers });
      },
    });
  }
}

async function callerOf(request: FastifyRequest, route: Route, options: AppOptions): Promise<Caller> {
  if (route.authenticated) return await identify(request, options);
  return anonymousCaller(request.ip, options.context.plans);
}

function makeCall(
  request: FastifyRequest,
  route: Route,
  { context, caller }: { context: ServiceContext; caller: Caller },
): Call {
  verifyBodyType(request, route);
  const params = parseWith(route.params, request.params);
  const query = parseWith(route.query, request.query);
  const headers = parseWith(route.headers, request.headers);
  return { context, request, caller, params, query, headers, warnings: warningsFor(request, caller) };
}

/** A form that no route reads would count as an empty body: as a key that is bound to nothing, say. */
function verifyBodyType(request: FastifyRequest, { bodies }: Route): void {
  if (bodies === undefined || 'multipart/form-data' in bodies || !request.isMultipart()) return;
  throw new Refusal('invalid_content_type', 'The body must be application/json.');
}

async function identify(
  request: FastifyRequest,
  { context, session, allowsAnonymous }: AppOptions,
): Promise<Caller> {
  const { authorization } = request.headers;
  const credentials = { authorization, ...originsOf(request) };
  return await authenticate(context.db, credentials, {
    session,
    allowsAnonymous,
    plans: context.plans,
    now: context.clock.now(),
  });
}

function parseWith(schema: Route['query'], input: unknown): unknown {
  if (!schema) return input;
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw validationRefusal(parsed.error);
  return parsed.data;
}

function warningsFor(request: FastifyRequest, caller: Caller): Note[] {
  const warnings: Note[] = [];
  if (caller.kind === 'anonymous') {
    const message = 'No API key was sent: the strictest limits hold.';
    warnings.push({ code: 'no_api_key', message });
  }
  if (!request.headers['user-agent'] && !request.headers['mineskin-user-agent']) {
    warnings.push({ code: 'no_user_agent', message: 'Send a User-Agent that names your application.' });
  }
  return warnings;
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

/** In the format of the version that the address is of: what is malformed reaches no route that could tell. */
function refuse(refusal: Refusal, request: FastifyRequest, { clock }: ServiceContext): Answer {
  return isV1Address(request.url) ? v1RefusalAnswer(refusal, clock.now()) : refusalAnswer(refusal);
}

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  return reply
    .code(answer.status)
    .headers({ ...answer.headers })
    .send(answer.body);
}
