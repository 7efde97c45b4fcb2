import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

/** What tells browsers to make nothing of an answer but data: the same for all, so that it is made once. */
export function securityHeaders(): OutgoingHttpHeaders {
  const answer = new ServerResponse(new IncomingMessage(new Socket()));
  const setHeaders = helmet({ contentSecurityPolicy: { directives: { defaultSrc: ["'none'"] } } });
  setHeaders(answer.req, answer, () => {});
  return { ...answer.getHeaders() };
}
