import {
  type BoundedAnswer,
  type BoundedRequest,
  FetchError,
  fetchBounded,
  firstOf,
} from '../../base/bounded-fetch.ts';
import type { GuardedAgent } from './guarded-agent.ts';
import { asOutboundError, OutboundError, parseTarget } from './target.ts';

export interface GuardedRequest extends Pick<BoundedRequest, 'method' | 'timeout' | 'maxBytes' | 'signal'> {
  readonly url: string;
  /** Sent only to the host of `url`, not to hosts that it redirects to. Lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** `ignored`: only the status matters; the body is cut off after `maxBytes`. */
  readonly answer: 'whole' | 'ignored';
  /** For a GET; 0: a redirect is returned like any other answer. */
  readonly maxRedirects: number;
}

export interface GuardedAnswer extends Pick<BoundedAnswer, 'status' | 'bytes'> {
  readonly contentType: string | undefined;
  /** The final URL, after redirects. */
  readonly url: string;
}

/**
 * Sends a request to an address from an untrusted source, within limits, and checks each redirect again.
 * @throws OutboundError; the signal's reason when aborted
 */
export async function fetchGuarded(agent: GuardedAgent, request: GuardedRequest): Promise<GuardedAnswer> {
  const { policy } = agent;
  const { maxRedirects: max, answer } = request;
  const first = parseTarget(request.url, policy);
  try {
    const { status, headers, bytes, url } = await fetchBounded(await agent.sender(), {
      ...request,
      url: first,
      headers: ({ origin }) => (origin === first.origin && request.headers) || {},
      reads: () => (answer === 'whole' ? 'whole' : 'start'),
      ...(max > 0 && { redirects: { max, target: (to, from) => parseTarget(to, policy, from) } }),
    });
    return { status, contentType: firstOf(headers['content-type']), bytes, url: url.href };
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    const { code, host, message, cause } = error;
    if (code === 'broken') throw asOutboundError(cause, host);
    throw new OutboundError(code, `${host} ${message}.`, cause);
  }
}
