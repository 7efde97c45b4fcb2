import formbody from '@fastify/formbody';
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BODY_LIMIT } from '../limits.ts';
import { isAccountPath } from '../route.ts';
import { readCompressedBodies } from './compressed-bodies.ts';

/** Reads JSON and forms; bodies of all other types are refused. */
export async function addBodyParsers(app: FastifyInstance): Promise<void> {
  app.removeContentTypeParser('text/plain'); // read by default; here it is as foreign as any other
  readCompressedBodies(app);
  addJson(app);
  await app.register(multipart);
  await app.register(formbody, { bodyLimit: BODY_LIMIT });
}

/** Clients and proxies name the type whether or not they send a body: an empty body counts as no body. */
function addJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '' && !mayBeLost(request)) done(null, undefined);
    else parse(request, body as string, done);
  });
}

/** Whether content that is missing changes what the request means: a key without its bindings, for instance. */
function mayBeLost({ visit }: FastifyRequest): boolean {
  const route = visit?.found.target.route;
  return route?.bodies !== undefined && isAccountPath(route.paths[0]);
}
