import type { Caller } from '../../service/callers/caller.ts';
import type { WebPages } from '../../service/callers/web-pages.ts';
import { Refusal } from '../../service/refusal.ts';
import type { HttpRequest } from '../request.ts';

type Sent = Pick<HttpRequest, 'headers' | 'host'>;

/**
 * Refuses a form that a page of another site sent. Browsers state where a request comes from; those that do not, because
 * the connection is neither encrypted nor local, send the origin of the page.
 * @throws Refusal `insufficient_grants`
 */
export function verifyOwnForm(sent: Sent, webPages: WebPages): void {
  const site = sent.headers['sec-fetch-site'];
  const isOwn = site === undefined ? originOf(sent)?.host === sent.host : site === 'same-origin';
  if (!isOwn) throw new Refusal('insufficient_grants', 'This form was not sent by a page of this server.');
  verifyName(sent, webPages);
}

/** To a browser, a page of another site is of this server once the name of that site leads here. */
function verifyName(sent: Sent, webPages: WebPages): void {
  const page = originOf(sent) ?? URL.parse(`http://${sent.host}`);
  if (page && webPages.isProvedName(page)) return;
  throw strangeName(page, 'no forms are taken');
}

/** @throws Refusal `insufficient_grants` for the jobs of visitors under a name that is not proved */
export function verifyMaySee(caller: Caller, { host }: Sent, webPages: WebPages): void {
  if (!webPages.isTrusted(caller)) throw strangeName(URL.parse(`http://${host}`), 'no jobs are shown');
}

/** `what`: the consequence. */
function strangeName(page: URL | null, what: string): Refusal {
  const { host = 'this address', origin = 'http://…' } = page ?? {};
  return new Refusal(
    'insufficient_grants',
    `Any site could have its name lead here, so ${what} at ${host}: open the page by the IP address of the server, or start the server with --public-url ${origin}`,
  );
}

/** Undefined if the browser does not tell it. */
function originOf({ headers: { origin } }: Sent): URL | undefined {
  return (typeof origin === 'string' && URL.parse(origin)) || undefined;
}
