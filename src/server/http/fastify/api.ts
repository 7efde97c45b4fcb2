import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Admission } from '../endpoint/endpoint.ts';
import type { HttpRequest } from '../request.ts';
import { ROUTES } from '../routes/routes.ts';
import type { Endpoints, Mounted } from '../routing/endpoints.ts';
import type { Found } from '../routing/router.ts';
import type { Connections } from './connections.ts';
import { PlainRequest } from './plain-request.ts';
import type { UnfinishedBodies } from './unfinished-bodies.ts';
import type { WriteAnswer } from './write-answer.ts';

/** A request of the API on its way through the app. */
export interface Visit {
  readonly found: Found<Mounted>;
  readonly request: HttpRequest;
  /** Undefined until the caller is known. */
  admission?: Admission;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null unless the API has a route for the request. */
    visit: Visit | null;
  }
}

interface Api {
  readonly endpoints: Endpoints;
  readonly connections: Connections;
  readonly bodies: UnfinishedBodies;
  readonly write: WriteAnswer;
}

/** All addresses that have no route of their own. */
const ANY = '/*';

/**
 * Puts the API on the app. It looks routes up itself, as it does inside the process: the framework takes longer to set
 * up a route for each of them than to open the whole service. Only bodies that may be larger than others need their own.
 */
export function mountApi(app: FastifyInstance, api: Api): void {
  app.decorateRequest('visit', null);
  const hooks = hooksOf(api);
  // Of any method, so that nothing is read of the body of a request that has no route.
  const methods = app.supportedMethods.filter((method) => method !== 'OPTIONS');
  app.route({ method: methods, url: ANY, ...hooks });
  for (const { method, paths, bodyLimit } of ROUTES.filter((route) => route.bodyLimit !== undefined))
    for (const url of paths) app.route({ method, url, bodyLimit: bodyLimit!, ...hooks });
}

/** The address of the request's route, with its placeholders; undefined if there is no such route. */
export function routeOf(
  request: Pick<FastifyRequest, 'visit'> & Partial<Pick<FastifyRequest, 'routeOptions'>>,
): string | undefined {
  if (request.visit) return request.visit.found.pattern;
  const { url } = request.routeOptions ?? {}; // made anew each time it is asked for, which takes longer than the look-up
  return url === ANY ? undefined : url;
}

function hooksOf({ endpoints, connections, bodies, write }: Api) {
  return {
    // Before the body is read.
    onRequest: async (raw: FastifyRequest, reply: FastifyReply) => {
      const found = endpoints.find(raw.method, pathOf(raw.url));
      if (!found) {
        reply.callNotFound();
        return reply;
      }
      const visit: Visit = { found, request: new PlainRequest(raw, found.params) };
      raw.visit = visit;
      visit.admission = await found.target.endpoint.admit(visit.request);
      const { caller } = visit.admission;
      if (caller.kind === 'user') connections.recognize(raw.raw.socket, caller.owner);
      else connections.countAsStranger(raw.raw.socket);
      bodies.attribute(raw.raw, caller.kind === 'user' ? undefined : caller.owner);
      return undefined;
    },
    handler: async (raw: FastifyRequest, reply: FastifyReply) => {
      const { found, request, admission } = raw.visit!;
      const { route, endpoint } = found.target;
      return write(reply, await endpoint.answer(request, admission!), { isTagged: route.method === 'GET' });
    },
  };
}

/** The path of a request's address, which proxies are sent with the scheme and the host. */
export function pathOf(url: string): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  return path === '' ? '/' : path;
}
