import { Refusal } from '../../service/refusals/refusal.ts';
import type { HttpRequest } from '../request.ts';

/**
 * Refuses a form that a page of another site sent. Browsers state where a request comes from; those that do not, because
 * the connection is neither encrypted nor local, send the origin of the page.
 * @throws Refusal `insufficient_grants`
 */
export function verifyOwnForm({ headers }: Pick<HttpRequest, 'headers'>): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined ? isOfOwnOrigin(headers) : site === 'same-origin') return;
  throw new Refusal('insufficient_grants', 'This form was not sent by a page of this server.');
}

function isOfOwnOrigin({ origin, host }: HttpRequest['headers']): boolean {
  return typeof origin === 'string' && host !== undefined && URL.parse(origin)?.host === host;
}
