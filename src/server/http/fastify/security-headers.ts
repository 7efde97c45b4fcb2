import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

/**
 * Headers that tell browsers to treat an answer as nothing but data: the same for all answers, so they are made once. Names
 * in lower case.
 */
export function securityHeaders(): Readonly<Record<string, string>> {
  const answer = new ServerResponse(new IncomingMessage(new Socket()));
  const setHeaders = helmet({
    contentSecurityPolicy: { directives: { defaultSrc: ["'none'"] } },
    // Small pictures are sent with heads larger than themselves: one is for Internet Explorer 8, the other for hints of pages.
    xDownloadOptions: false,
    xDnsPrefetchControl: false,
  });
  setHeaders(answer.req, answer, () => {});
  return Object.fromEntries(
    Object.entries(answer.getHeaders()).map(([name, value]) => [name, String(value)]),
  );
}
