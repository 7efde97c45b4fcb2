import formbody from '@fastify/formbody';
import helmet from '@fastify/helmet';
import multipart from '@fastify/multipart';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Note } from '../../protocol/envelope.ts';
import { authenticate, type Session } from '../service/authenticate.ts';
import { anonymousCaller, type Caller } from '../service/caller.ts';
import type { ServiceContext } from '../service/context.ts';
import { Refusal } from '../service/refusal.ts';
import { asRefusal, refusalAnswer, validationRefusal } from './error-answers.ts';
import { type LogLevel, loggerOptions } from './log.ts';
import type { Answer, Call, Route } from './route.ts';
import { ROUTES } from './routes.ts';

export interface AppOptions {
  readonly context: ServiceContext;
  /** The key of the process that embeds the service, if one does. */
  readonly session: Session | undefined;
  readonly logLevel: LogLevel;
}

/** Bytes of a JSON or form body: a data URL of the longest kind fits several times. */
const BODY_LIMIT = 128 * 1024;
/** Milliseconds a client may take to send a request, and to stay connected without one. */
const REQUEST_TIMEOUT = 30_000;
const KEEP_ALIVE_TIMEOUT = 10_000;

export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const app = Fastify({
    logger: loggerOptions(options.logLevel),
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => void answerError(error, request, reply),
    routerOptions: { maxParamLength: 128, ignoreTrailingSlash: true },
  });
  await app.register(helmet, { contentSecurityPolicy: { directives: { defaultSrc: ["'none'"] } } });
  app.removeContentTypeParser('text/plain'); // read by default; here it is as foreign as any other
  await app.register(multipart);
  await app.register(formbody, { bodyLimit: BODY_LIMIT });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((_request, reply) => send(reply, refusalAnswer(new Refusal('not_found'))));
  for (const route of ROUTES) mount(app, route, options);
  return app;
}

function mount(app: FastifyInstance, route: Route, options: AppOptions): void {
  for (const url of route.paths) {
    app.route({
      method: route.method,
      url,
      handler: async (request, reply) => {
        const call = await makeCall(request, route, options);
        return send(reply, await route.handle(call));
      },
    });
  }
}

async function makeCall(request: FastifyRequest, route: Route, options: AppOptions): Promise<Call> {
  const { context } = options;
  const caller = route.authenticated ? await identify(request, options) : anonymousCaller(request.ip);
  const params = parseWith(route.params, request.params);
  const query = parseWith(route.query, request.query);
  const headers = parseWith(route.headers, request.headers);
  return { context, request, caller, params, query, headers, warnings: warningsFor(request, caller) };
}

async function identify(request: FastifyRequest, { context, session }: AppOptions): Promise<Caller> {
  const credentials = { authorization: request.headers.authorization, address: request.ip };
  return await authenticate(context.db, credentials, { session, now: context.clock.now() });
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

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = asRefusal(error);
  if (refusal.code === 'internal_error') request.log.error({ err: refusal.cause ?? refusal }, refusal.code);
  else if (refusal.status >= 500) request.log.warn(`${refusal.code}: ${refusal.message}`);
  return send(reply, refusalAnswer(refusal));
}

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  return reply
    .code(answer.status)
    .headers({ ...answer.headers })
    .send(answer.body);
}
