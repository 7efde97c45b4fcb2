import { Agent as HttpAgent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { Agent as HttpsAgent, request as requestTls } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Clock } from '../../base/clock.ts';
import { networkCode } from '../../base/error-reasons.ts';
import { type NamedProxy, nameOf, openSender, type Proxies, proxyFor } from '../../base/proxies.ts';
import type { Fetch } from '../../index.ts';

/** The stages of a request. Through a proxy they cannot be told apart. */
export type Stage = 'name' | 'connection' | 'tls' | 'answer' | 'proxy';

/** Any response, with any status. Redirects are not followed. */
export interface ProbeAnswer {
  readonly url: URL;
  readonly status: number;
  /** Headers; undefined if missing. */
  readonly date: string | undefined;
  readonly location: string | undefined;
  /** The proxy that it came through, for messages. */
  readonly proxy?: string;
  /** The start of the body. */
  readonly text: string;
  /** When the request was sent and when the response headers arrived: milliseconds since the epoch. */
  readonly askedAt: number;
  readonly answeredAt: number;
  /** Milliseconds that each stage took, in order; only the stages that occurred. */
  readonly times: ReadonlyMap<Stage, number>;
}

/** The request got no response. `code` is Node's own, or `not in time`. */
export class ProbeError extends Error {
  override readonly name = 'ProbeError';
  readonly stage: Stage;
  readonly code: string;
  readonly url: URL;

  constructor(url: URL, { stage, code, cause }: { stage: Stage; code: string; cause: unknown }) {
    super(`${url.origin}: ${stage}: ${code}`, { cause });
    this.url = url;
    this.stage = stage;
    this.code = code;
  }
}

export interface ProbeOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly userAgent: string;
  /** Time limit for the whole request, in milliseconds. */
  readonly limit: number;
  readonly proxies?: Proxies | undefined;
}

const MAX_TEXT = 64 * 1024;

/**
 * Sends one GET without a key on a new connection and times each stage, which the client does not expose.
 * @throws ProbeError; the signal's reason when aborted
 */
export async function probe(address: string, options: ProbeOptions): Promise<ProbeAnswer> {
  const url = new URL(address);
  const proxy = options.proxies && proxyFor(url, options.proxies);
  if (proxy) return await probeThrough(proxy, url, options);
  const late = AbortSignal.timeout(options.limit);
  const stages = new Stages(url, options.clock);
  const askedAt = options.clock.now();
  try {
    const response = await ask(url, stages, { ...options, signal: AbortSignal.any([options.signal, late]) });
    const answeredAt = options.clock.now();
    stages.end();
    const { statusCode: status = 0, headers } = response;
    const { date, location } = headers;
    const text = await readStart(response);
    return { url, status, date, location, text, askedAt, answeredAt, times: stages.times };
  } catch (cause) {
    if (options.signal.aborted) throw options.signal.reason;
    const code = late.aborted ? 'not in time' : String((cause as NodeJS.ErrnoException).code);
    throw new ProbeError(url, { stage: stages.now, code, cause });
  }
}

async function probeThrough(
  proxy: NamedProxy,
  url: URL,
  { proxies, clock, signal, userAgent, limit }: ProbeOptions,
): Promise<ProbeAnswer> {
  const sender = await openSender(proxies);
  const [start, askedAt] = [clock.monotonic(), clock.now()];
  try {
    const { statusCode, headers, body } = await sender.request({
      ...{ origin: url.origin, path: url.pathname + url.search, method: 'GET' },
      headers: { accept: 'application/json', 'user-agent': userAgent },
      signal: AbortSignal.any([signal, AbortSignal.timeout(limit)]),
    });
    const answeredAt = clock.now();
    const times = new Map([['proxy', clock.monotonic() - start] as const]);
    const [date, location] = [headers['date'], headers['location']].map((header) => [header].flat()[0]);
    const text = await readStart(body);
    return {
      url,
      status: statusCode,
      date,
      location,
      proxy: nameOf(proxy),
      text,
      askedAt,
      answeredAt,
      times,
    };
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw new ProbeError(url, { stage: 'proxy', code: networkCode(cause), cause });
  } finally {
    await sender.destroy();
  }
}

/** Tracks the current stage of a request and the duration of each. */
class Stages {
  now: Stage;
  readonly times = new Map<Stage, number>();
  readonly #isTls: boolean;
  readonly #clock: Clock;
  #since: number;

  constructor({ hostname, protocol }: URL, clock: Clock) {
    this.now = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? 'name' : 'connection';
    this.#isTls = protocol === 'https:';
    this.#clock = clock;
    this.#since = clock.monotonic();
  }

  watch(socket: Socket): void {
    socket.once('lookup', (error) => {
      if (!error) this.#enter('connection');
    });
    socket.once('connect', () => this.#enter(this.#isTls ? 'tls' : 'answer'));
    socket.once('secureConnect', () => this.#enter('answer'));
  }

  end(): void {
    this.#enter(this.now);
  }

  #enter(next: Stage): void {
    const now = this.#clock.monotonic();
    this.times.set(this.now, now - this.#since);
    this.now = next;
    this.#since = now;
  }
}

async function ask(url: URL, stages: Stages, { signal, userAgent }: ProbeOptions): Promise<IncomingMessage> {
  const isTls = url.protocol === 'https:';
  const headers = { accept: 'application/json', 'user-agent': userAgent };
  // A separate agent: no reused connection.
  const agent = isTls ? new HttpsAgent() : new HttpAgent();
  const options: RequestOptions = { signal, headers, agent };
  return await new Promise((resolve, reject) => {
    const sent = isTls ? requestTls(url, options, resolve) : request(url, options, resolve);
    sent.on('socket', (socket) => stages.watch(socket));
    sent.on('error', reject);
    sent.end();
  });
}

async function readStart(response: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_TEXT) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Sends one GET for JSON to the embedded service. @throws ProbeError; the signal's reason when aborted */
export async function probeEmbedded(
  address: string,
  fetch: Fetch,
  { clock, signal, userAgent, limit }: ProbeOptions,
): Promise<ProbeAnswer> {
  const url = new URL(address);
  const late = AbortSignal.timeout(limit);
  const askedAt = clock.now();
  const start = clock.monotonic();
  try {
    const headers = { accept: 'application/json', 'user-agent': userAgent };
    const response = await fetch(new Request(url, { headers, signal: AbortSignal.any([signal, late]) }));
    const { status } = response;
    const text = await response.text();
    const times = new Map([['answer', clock.monotonic() - start]] as const);
    return {
      url,
      status,
      date: undefined,
      location: undefined,
      text,
      askedAt,
      answeredAt: clock.now(),
      times,
    };
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    const code = late.aborted ? 'not in time' : String((cause as NodeJS.ErrnoException).code);
    throw new ProbeError(url, { stage: 'answer', code, cause });
  }
}
