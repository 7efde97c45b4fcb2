import { hash } from 'node:crypto';
import etag from '@fastify/etag';
import type { FastifyInstance } from 'fastify';

/** Adds an entity tag to the answers of this instance's routes, and omits bodies that the caller already has. */
export async function addEntityTags(app: FastifyInstance): Promise<void> {
  const hashFn = (payload: string | Buffer) => hash('sha1', payload, 'base64url');
  await app.register(etag, { hashFn, weak: true, replyWith304: false });
  app.addHook('onSend', (request, reply, payload, done) => {
    const tag = reply.getHeader('etag');
    if (reply.statusCode !== 200 || tag === undefined) {
      if (reply.statusCode >= 400) reply.removeHeader('etag');
      return done(null, payload);
    }
    if (!isKnown(String(tag), request.headers['if-none-match'])) return done(null, payload);
    reply.code(304).removeHeader('content-type').removeHeader('content-length');
    done(null, null);
  });
}

/** Whether one of the tags sent by the caller is this one (RFC 9110, 13.1.2: weak comparison). */
function isKnown(tag: string, named: string | undefined): boolean {
  if (named === undefined) return false;
  const strong = (text: string) => text.trim().replace(/^W\//, '');
  return named.trim() === '*' || named.split(',').some((one) => strong(one) === strong(tag));
}
