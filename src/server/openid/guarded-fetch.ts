import type { CustomFetch } from 'openid-client';
import { fetchGuarded } from '../outbound/fetch-guarded.ts';
import type { GuardedAgent } from '../outbound/guarded-agent.ts';

/** Milliseconds for one request to the provider. */
const TIMEOUT = 8_000;
/** Bytes of an answer: key sets and tokens are far smaller. */
const MAX_BYTES = 256 * 1024;

/** Sends openid-client's requests by the way that the operator's rules guard. Redirects are not followed. */
export function guardedFetch(agent: GuardedAgent): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const { status, contentType, bytes } = await fetchGuarded(agent, {
      url,
      method: method === 'POST' ? 'POST' : 'GET',
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      ),
      ...(body !== undefined && body !== null && { body: String(body) }),
      timeout: TIMEOUT,
      answer: 'whole',
      maxBytes: MAX_BYTES,
      maxRedirects: 0,
      ...(signal && { signal }),
    });
    const content = bytes.length > 0 ? new Uint8Array(bytes) : null;
    return new Response(content, { status, headers: { 'content-type': contentType ?? '' } });
  };
}
