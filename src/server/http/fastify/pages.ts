import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ServiceContext } from '../../service/context.ts';
import { Refusal } from '../../service/refusal.ts';
import type { SessionCaller } from '../../service/sessions.ts';
import {
  findPerson,
  type PageAdmission,
  PageEndpoint,
  type PageEndpointOptions,
  pageErrorAnswer,
} from '../pages/page-endpoint.ts';
import type { PageRoute } from '../pages/page-route.ts';
import { wantsPage } from '../pages/wants-page.ts';
import type { HttpRequest } from '../request.ts';
import type { Answer } from '../route.ts';
import { PAGE_ROUTES } from '../routes/pages/page-routes.ts';
import { ROUTES } from '../routes/routes.ts';
import type { Connections } from './connections.ts';
import { withoutFrameworkErrors } from './framework-errors.ts';
import { PlainRequest } from './plain-request.ts';
import type { UnfinishedBodies } from './unfinished-bodies.ts';
import type { WriteAnswer } from './write-answer.ts';

interface PageVisit {
  readonly request: HttpRequest;
  readonly admission: PageAdmission;
}

interface PageParts {
  readonly options: PageEndpointOptions;
  readonly connections: Connections;
  readonly bodies: UnfinishedBodies;
  readonly write: WriteAnswer;
}

/** Puts all pages on the app. */
export function mountPages(app: FastifyInstance, parts: PageParts): void {
  const visits = new WeakMap<FastifyRequest, PageVisit>();
  for (const route of PAGE_ROUTES) mountPage(app, route, { ...parts, visits });
}

function mountPage(
  app: FastifyInstance,
  { method, path, ...route }: PageRoute,
  {
    options,
    connections,
    bodies,
    write,
    visits,
  }: PageParts & { readonly visits: WeakMap<FastifyRequest, PageVisit> },
): void {
  const endpoint = new PageEndpoint({ method, path, ...route }, options);
  app.route({
    method: method === 'GET' ? ['GET', 'HEAD'] : method,
    url: path,
    // Before the body is read.
    onRequest: async (raw) => {
      const request = new PlainRequest(raw);
      const admission = await endpoint.admit(request);
      visits.set(raw, { request, admission });
      const { session, caller } = admission;
      if (session) connections.recognize(raw.raw.socket, caller.owner);
      else connections.countAsStranger(raw.raw.socket);
      bodies.attribute(raw.raw, session ? undefined : caller.owner);
    },
    handler: async (raw, reply) => {
      const { request, admission } = visits.get(raw)!;
      return write(reply, await endpoint.answer(request, admission));
    },
    errorHandler: (error, raw, reply) => {
      const { session } = visits.get(raw)?.admission ?? {};
      write(reply, pageError(error, raw, { context: options.context, session }));
    },
  });
}

/** Tells a person, signed in or not, that an address leads nowhere. */
export async function lostPersonsPage(raw: FastifyRequest, context: ServiceContext): Promise<Answer> {
  try {
    const session = await findPerson(new PlainRequest(raw), context);
    return pageError(new Refusal('not_found'), raw, { context, session });
  } catch (error) {
    return pageError(error, raw, { context });
  }
}

/** What is wrong with a person's request, as a page. */
function pageError(
  error: unknown,
  { id, log, headers }: FastifyRequest,
  { context, session }: { readonly context: ServiceContext; readonly session?: SessionCaller | undefined },
): Answer {
  const known = { requestId: id, session };
  return pageErrorAnswer(withoutFrameworkErrors(error), { request: { headers }, log, context }, known);
}

const START = '/ui';
/** How the addresses of the API begin: its errors are for programs, whatever they accept. */
const API = new Set(['v1', 'v2', ...ROUTES.flatMap(({ paths }) => paths.map(firstPart))]);

function firstPart(address: string): string {
  return /^\/+([^/?]*)/.exec(address)?.[1] ?? '';
}

/** Whether an address that leads nowhere was opened by a person, in a browser. */
export function isPersonsMistake({
  method,
  url,
  headers,
}: Pick<FastifyRequest, 'method' | 'url' | 'headers'>): boolean {
  return (method === 'GET' || method === 'HEAD') && wantsPage(headers) && !API.has(firstPart(url));
}

/** `/` is the key document for programs and the start page for people. */
export function startFor({ url, headers }: Pick<HttpRequest, 'url' | 'headers'>): string {
  return /^(?:https?:\/\/[^/]+)?\/?(?:\?|$)/.test(url) && wantsPage(headers) ? START : url;
}
