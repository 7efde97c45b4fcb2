import type { Dispatcher } from 'undici';
import { VERSION } from '../../base/version.ts';
import type { GuardedAgent } from './guarded-agent.ts';
import { asOutboundError, OutboundError, parseTarget } from './target.ts';

export interface GuardedRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** Sent only to the host of `url`, not to hosts that it redirects to. Lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds for the whole request, redirects included. */
  readonly timeout: number;
  /** `ignored`: only the status matters; the body is discarded after `maxBytes`. */
  readonly answer: 'whole' | 'ignored';
  readonly maxBytes: number;
  /** For a GET; 0: a redirect is returned like any other answer. */
  readonly maxRedirects: number;
  readonly signal?: AbortSignal;
}

export interface GuardedAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  /** The whole body; empty if it is ignored. */
  readonly bytes: Buffer;
  /** The final URL, after redirects. */
  readonly url: string;
}

const USER_AGENT = `skinsmith/${VERSION}`;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Sends a request to an address from an untrusted source, within limits, and checks each redirect again. No cookies, no
 * compressed bodies: those are small on the wire and may be large here.
 * @throws OutboundError; the signal's reason when aborted
 */
export async function fetchGuarded(agent: GuardedAgent, request: GuardedRequest): Promise<GuardedAnswer> {
  const limit = AbortSignal.timeout(request.timeout);
  const signal = request.signal ? AbortSignal.any([limit, request.signal]) : limit;
  let url = parseTarget(request.url, agent.policy);
  for (let hops = 0; ; hops++) {
    try {
      const answer = await exchange(agent, request, url, signal);
      if (answer instanceof URL) url = answer;
      else return answer;
    } catch (error) {
      if (request.signal?.aborted) throw request.signal.reason;
      if (limit.aborted) throw tooSlow(url, request.timeout, error);
      throw asOutboundError(error, url.host);
    }
    if (hops >= request.maxRedirects) {
      throw new OutboundError('too_many_redirects', `${url.host} was reached by too many redirects.`);
    }
  }
}

/** Sends one request. Returns the answer or, if redirects are followed, the address it redirects to. */
async function exchange(
  agent: GuardedAgent,
  request: GuardedRequest,
  url: URL,
  signal: AbortSignal,
): Promise<GuardedAnswer | URL> {
  const isFirst = url.origin === new URL(request.url).origin;
  const sender = await agent.sender();
  const received = await sender.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: request.method,
    headers: {
      'user-agent': USER_AGENT,
      'accept-encoding': 'identity',
      ...(isFirst && request.headers),
    },
    body: request.body ?? null,
    signal,
  });
  const { statusCode: status, headers } = received;
  const location = firstOf(headers['location']);
  const follows = request.method === 'GET' && request.maxRedirects > 0 && REDIRECTS.has(status);
  if (follows && location !== undefined) {
    letGo(received.body);
    return parseTarget(location, agent.policy, url);
  }
  const bytes = await readBody(received, request, url.host);
  return { status, contentType: firstOf(headers['content-type']), bytes, url: url.href };
}

async function readBody(
  received: Dispatcher.ResponseData,
  { answer, maxBytes }: GuardedRequest,
  host: string,
): Promise<Buffer> {
  const { body, headers } = received;
  if (answer === 'ignored') {
    await drain(received, maxBytes);
    return Buffer.alloc(0);
  }
  const encoding = firstOf(headers['content-encoding'])?.trim().toLowerCase() ?? 'identity';
  const isEncoded = encoding !== 'identity' && encoding !== '';
  if (isEncoded || Number(headers['content-length']) > maxBytes) {
    letGo(body);
    throw isEncoded
      ? new OutboundError('encoded', `${host} answered with a compressed body, which was not asked for.`)
      : tooLarge(host, maxBytes);
  }
  return await collect(body, maxBytes, host);
}

async function collect(body: Dispatcher.ResponseData['body'], limit: number, host: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(host, limit); // this ends the body, too
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads a short body, so that its sender can finish, and cuts off a long one. */
async function drain({ body }: Dispatcher.ResponseData, limit: number): Promise<void> {
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) return;
    }
  } catch {
    // The status has arrived, and an error in the rest does not change it.
  }
}

function letGo(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => {}).destroy(); // the error only says that the body was discarded
}

function tooLarge(host: string, limit: number): OutboundError {
  return new OutboundError('too_large', `${host} answered with more than ${limit} bytes.`);
}

function tooSlow({ host }: URL, ms: number, cause: unknown): OutboundError {
  return new OutboundError('timeout', `${host} did not finish within ${ms / 1000} seconds.`, cause);
}

function firstOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
