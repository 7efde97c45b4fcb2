import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { anonymousCaller, networkOf } from '../../service/callers/caller.ts';
import type { ServiceContext } from '../../service/context.ts';
import { RequestLimiter } from '../../service/limits/request-limiter.ts';
import { Refusal } from '../../service/refusal.ts';
import { Endpoint } from '../endpoint/endpoint.ts';
import { errorAnswer } from '../endpoint/error-answer.ts';
import { BODY_LIMIT, MAX_PARAM_LENGTH } from '../limits.ts';
import { originsOf } from '../request.ts';
import { ROUTES } from '../routes/routes.ts';
import { Endpoints } from '../routing/endpoints.ts';
import { addressFor } from './address-for.ts';
import { mountApi } from './api.ts';
import { addBodyParsers } from './body-parsers.ts';
import { Connections } from './connections.ts';
import { addPreflight, CORS_HEADERS } from './cors.ts';
import { withoutFrameworkErrors } from './framework-errors.ts';
import {
  describeAddress,
  LABEL_OF_ID,
  type LogAddresses,
  type LogLevel,
  type LogStream,
  loggerOptions,
  QuietLogController,
} from './log.ts';
import { answerClientError, type NetworkLimits, requestId, verifyHead } from './network-limits.ts';
import { NodeServers } from './node-servers.ts';
import { isPersonsMistake, lostPersonsPage, mountPages } from './pages.ts';
import { parseQuery } from './parse-query.ts';
import { PlainRequest } from './plain-request.ts';
import { proxyTest } from './proxies.ts';
import { requestWatch, type Watch } from './request-watch.ts';
import { securityHeaders } from './security-headers.ts';
import { UnfinishedBodies } from './unfinished-bodies.ts';
import { VERSION_HEADERS } from './version-headers.ts';
import { answerWriter, type WriteAnswer } from './write-answer.ts';

export interface AppOptions {
  readonly context: ServiceContext;
  /** Whether callers without a key are served; routes without authentication always serve them. */
  readonly allowsAnonymous: boolean;
  readonly logLevel: LogLevel;
  readonly logAddresses: LogAddresses;
  readonly logStream: LogStream;
  readonly networkLimits: NetworkLimits;
  /** Whether there are pages for people, and not only the API. */
  readonly hasPages: boolean;
  /** The proxies whose X-Forwarded-For is trusted: addresses, networks and `loopback`, separated by commas. */
  readonly trustProxy: string | undefined;
}

export async function buildApp(options: AppOptions): Promise<{ app: FastifyInstance; servers: NodeServers }> {
  const { servers, connections, bodies } = openServers(options);
  const common = securityHeaders();
  const ofApi = { ...common, ...CORS_HEADERS, ...VERSION_HEADERS };
  const write = answerWriter(ofApi);
  const writePage = answerWriter(common); // pages of other sites may call the API, but read no page of a person
  const answerError = errorAnswerer(options, write);
  const watch = requestWatch(options);
  const app = makeApp(options, { servers, answerError, watch });
  const requestLimiter = new RequestLimiter(options.networkLimits, options.context.clock);
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(notFoundAnswerer(options, { answerError, writePage, requestLimiter }));
  await addPreflight(app, common);
  await addBodyParsers(app);
  const endpoints = new Endpoints((route) => new Endpoint(route, { ...options, requestLimiter }));
  mountApi(app, { endpoints, connections, bodies, write });
  if (options.hasPages)
    mountPages(app, { options: { ...options, requestLimiter }, connections, bodies, write: writePage });
  return { app, servers };
}

type AnswerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** The framework, set up: it takes requests from `servers`, watches each of them and has no routes yet. */
function makeApp(
  options: AppOptions,
  { servers, answerError, watch }: { servers: NodeServers; answerError: AnswerError; watch: Watch },
): FastifyInstance {
  const app: FastifyInstance = Fastify({
    logger: loggerOptions(options.logLevel, options.logStream),
    logController: new QuietLogController({ requestIdLogLabel: LABEL_OF_ID }),
    genReqId: requestId,
    bodyLimit: BODY_LIMIT,
    serverFactory: (handle) => servers.makeFirst(handle as RequestListener),
    forceCloseConnections: 'idle',
    return503OnClosing: false, // its words are not ours; what is taken by then is answered
    exposeHeadRoutes: false,
    rewriteUrl: (request) => addressFor(request, options),
    ...(options.trustProxy !== undefined && { trustProxy: options.trustProxy }),
    clientErrorHandler: (error, socket) => answerBadClient(app, error, { socket, options }),
    frameworkErrors: (error, request, reply) => {
      watch(request, reply.raw);
      answerError(error, request, reply);
    },
    routerOptions: {
      maxParamLength: MAX_PARAM_LENGTH,
      ignoreTrailingSlash: true,
      querystringParser: parseQuery,
    },
  });
  app.addHook('onRequest', (request, reply, done) => {
    watch(request, reply.raw);
    verifyHead(request);
    done();
  });
  return app;
}

/** Answers requests for what no route has: a person with a page, if there are pages. */
function notFoundAnswerer(
  options: AppOptions,
  {
    answerError,
    writePage,
    requestLimiter,
  }: { answerError: AnswerError; writePage: WriteAnswer; requestLimiter: RequestLimiter },
) {
  const { context } = options;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    requestLimiter.count(anonymousCaller(originsOf(new PlainRequest(request)), context.plans));
    if (options.hasPages && isPersonsMistake(request))
      return writePage(reply, await lostPersonsPage(request, context));
    return answerError(new Refusal('not_found'), request, reply);
  };
}

function openServers({ networkLimits, context, trustProxy }: AppOptions): {
  servers: NodeServers;
  connections: Connections;
  bodies: UnfinishedBodies;
} {
  const { clock } = context;
  const onDropped = () => context.observer.connectionDropped();
  const connections = new Connections({
    ...networkLimits,
    nameOf: networkOf,
    isProxy: proxyTest(trustProxy),
    onDropped,
    clock,
  });
  const bodies = new UnfinishedBodies({
    most: networkLimits.maxUnfinished,
    clock,
    onDropped,
    onFlood: (socket) => connections.ban(socket),
  });
  const servers = new NodeServers({ limits: networkLimits, connections, bodies, clock, isUrgent });
  return { servers, connections, bodies };
}

function isUrgent({ url = '' }: IncomingMessage): boolean {
  return VITAL_PATHS.has(url.split('?', 1)[0] ?? '');
}

const VITAL_PATHS: ReadonlySet<string> = new Set(
  ROUTES.filter(({ isVital }) => isVital).flatMap(({ paths }) => paths),
);

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

function errorAnswerer({ context }: AppOptions, write: WriteAnswer): AnswerError {
  return (error, { url, log }, reply) =>
    write(reply, errorAnswer(withoutFrameworkErrors(error), { url, log, context }));
}
