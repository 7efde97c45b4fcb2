import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

/**
 * Headers that tell browsers to treat an answer as nothing but data: the same for all answers, so they are made once.
 */
export function securityHeaders(): OutgoingHttpHeaders {
  const answer = new ServerResponse(new IncomingMessage(new Socket()));
  const setHeaders = helmet({ contentSecurityPolicy: { directives: { defaultSrc: ["'none'"] } } });
  setHeaders(answer.req, answer, () => {});
  return { ...answer.getHeaders() };
}
