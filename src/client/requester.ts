import type { z } from 'zod';
import { type Clock, systemClock } from '../base/clock.ts';
import { callerFingerprint } from '../base/fingerprint.ts';
import { VERSION } from '../base/version.ts';
import { parseBaseUrl } from './base-url.ts';
import { checkedOptions } from './checked-options.ts';
import { NetworkError, SkinsmithError } from './errors.ts';
import { classifyFailure } from './failure.ts';
import {
  type ClientRequest,
  type Download,
  download,
  exchange,
  type HttpOptions,
  openStream,
} from './http.ts';
import { KeyGuard, systemResolve } from './key-guard.ts';
import { NetworkTransport } from './network-transport.ts';
import { pauseBefore, retryPolicy } from './retry-timing.ts';
import { ServiceClock } from './service-clock.ts';
import { fetchTexture } from './texture.ts';
import { type Transport, transportTo } from './transport.ts';
import type { CallOptions, RequestReport, SkinClientOptions } from './types.ts';

/** A request below the service's root. `timeout`: milliseconds per attempt. */
export type Outgoing = Pick<ClientRequest, 'method' | 'path' | 'headers' | 'content'> & {
  readonly timeout?: number;
};

export const DEFAULT_TIMEOUT = 20_000;
/** Milliseconds of silence before a stream counts as dead: three missed heartbeats of events. */
const STREAM_IDLE = 45_000;
const CLOSED = 'the client is closed';
const EVENT_STREAM = 'text/event-stream';

/** The address of a service that is reached by a function, and not over the network: nobody's. */
const NOWHERE = 'http://embedded.invalid';

/** @throws TypeError without an address, where one is needed */
function addressOf({ baseUrl, fetch }: SkinClientOptions): string {
  const address = baseUrl ?? (fetch && NOWHERE);
  if (address === undefined) throw new TypeError('baseUrl: the address of the service is needed');
  return address;
}

/** Guards a key that would go over plain http. @throws InsecureHttpError */
function guardFor(
  { apiKey, insecureHttp, fetch, resolve = systemResolve }: SkinClientOptions,
  origin: string,
): KeyGuard | undefined {
  if (apiKey === undefined || insecureHttp || fetch || !origin.startsWith('http:')) return undefined;
  return new KeyGuard(origin, resolve);
}

/** Sends requests to one service as one caller, with retries where they are safe. */
export class Requester {
  /** The service's root, no slash and no `/v2` at its end. */
  readonly baseUrl: string;
  /** The service's clock, as its answers show it. */
  readonly serviceClock: ServiceClock;
  readonly #options: SkinClientOptions;
  readonly #origin: string;
  readonly #root: string;
  /** Carries requests to the service. */
  readonly #transport: Transport;
  readonly #network: NetworkTransport;
  /** Carries requests to all other hosts with textures. */
  readonly #elsewhere: Transport;
  /** Present when the key would go over plain http. */
  readonly #guard: KeyGuard | undefined;
  readonly #clock: Clock;
  #closed: Promise<void> | undefined;
  readonly #closing = new AbortController();

  /** @throws TypeError, RangeError for unusable options; InsecureHttpError */
  constructor(options: SkinClientOptions) {
    this.#options = checkedOptions(options);
    const { baseUrl, origin, path } = parseBaseUrl(addressOf(options));
    this.baseUrl = baseUrl;
    this.#origin = origin;
    this.#root = path;
    this.#guard = guardFor(this.#options, origin);
    const { dispatcher, textureDispatcher, fetch } = options;
    this.#network = new NetworkTransport({ dispatcher, lookup: this.#guard?.lookup });
    this.#transport = fetch ? transportTo(fetch) : this.#network;
    this.#elsewhere = textureDispatcher
      ? new NetworkTransport({ dispatcher: textureDispatcher })
      : this.#network;
    this.#clock = options.clock ?? systemClock;
    this.serviceClock = new ServiceClock(this.#clock);
  }

  /** A fingerprint of the API key, or `anonymous`. */
  get caller(): string {
    return callerFingerprint(this.#options.apiKey);
  }

  get timeout(): number {
    return this.#options.timeout ?? DEFAULT_TIMEOUT;
  }

  /** Ends event streams, pauses and idle connections. */
  async close(): Promise<void> {
    this.#closing.abort(CLOSED);
    this.#closed ??= this.#network.close();
    await this.#closed;
  }

  /** A pause before another request. @throws NetworkError when the client is closed; the signal's reason when aborted */
  async pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    const { signal: closing } = this.#closing;
    try {
      await this.#clock.sleep(ms, signal ? AbortSignal.any([signal, closing]) : closing);
    } catch (reason) {
      if (reason !== CLOSED) throw reason;
      const cause = Object.assign(new Error(CLOSED), { code: 'UND_ERR_CLOSED' });
      throw new NetworkError(`${this.baseUrl}: ${CLOSED}.`, { cause, mayHaveArrived: false });
    }
  }

  /** Sends until the request is answered, permanently refused, or the retry budget is used up. */
  async request<S extends z.ZodType>(request: Outgoing, schema: S, call: CallOptions): Promise<z.output<S>> {
    const isRepeatable = request.method !== 'POST';
    return await this.#repeat(call, isRepeatable, async () => {
      const outgoing = this.#below(request, call.signal);
      return (await this.#reported(outgoing, () => exchange(outgoing, schema, this.#http()))).data;
    });
  }

  /** The chunks of an event stream below the service's root. Opened once; `close` ends it. */
  async *stream(path: string, { signal }: CallOptions): AsyncGenerator<Uint8Array, void, void> {
    const { signal: closing } = this.#closing;
    const either = signal ? AbortSignal.any([signal, closing]) : closing;
    const headers = { accept: EVENT_STREAM, 'cache-control': 'no-store' };
    const below = this.#below({ method: 'GET', path, headers }, either);
    const outgoing = { ...below, idle: STREAM_IDLE, type: EVENT_STREAM };
    try {
      const { chunks } = await this.#reported(outgoing, () => openStream(outgoing, this.#http()));
      yield* chunks;
    } catch (error) {
      if (signal?.aborted || !closing.aborted) throw error;
    }
  }

  /** The chunks of a file of any size below the service's root. Opening it is retried like other reads. */
  async *file(path: string, type: string, call: CallOptions): AsyncGenerator<Uint8Array, void, void> {
    const headers = { accept: `${type}, application/json` };
    const below = this.#below({ method: 'GET', path, headers }, call.signal);
    const outgoing = { ...below, idle: STREAM_IDLE, type };
    const open = async () => await this.#reported(outgoing, () => openStream(outgoing, this.#http()));
    const { chunks } = await this.#repeat(call, true, open);
    yield* chunks;
  }

  /** A texture from any host. Sends no key: textures are public. */
  async texture(url: string, call: CallOptions): Promise<Uint8Array> {
    return await this.#repeat(call, true, () =>
      fetchTexture(url, (address, limit) => this.#download(address, limit, call)),
    );
  }

  /** The texture behind a path below the service's root; the key goes to that first address only. */
  async textureBelow(path: string, call: CallOptions): Promise<Uint8Array> {
    const { href } = new URL(this.#root + path, this.#origin);
    return await this.#repeat(call, true, () =>
      fetchTexture(href, (address, limit) =>
        this.#download(address, limit, call, address.href === href ? this.#who().apiKey : undefined),
      ),
    );
  }

  async #download(address: URL, limit: number, { signal }: CallOptions, key?: string): Promise<Download> {
    const { origin, pathname, search } = address;
    const headers = {
      accept: 'image/png',
      'user-agent': this.#who().userAgent,
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    };
    const path = pathname + search;
    const outgoing = { method: 'GET', path, headers, signal, timeout: this.timeout } as const;
    const { onHeaders: _, ...http } = this.#http(); // another host has another clock
    const isOwn = origin === this.#origin;
    const transport = isOwn ? this.#transport : this.#elsewhere;
    const options = { ...http, transport, origin, secret: key };
    const place = isOwn ? '' : origin;
    return await this.#reported(outgoing, () => download(outgoing, limit, options), place);
  }

  /** Repeats attempts until one succeeds or the policy gives up and the last error is thrown. */
  async #repeat<T>(
    { signal, retry }: CallOptions,
    isRepeatable: boolean,
    attempt: () => Promise<T>,
  ): Promise<T> {
    const policy = retryPolicy(this.#options.retry, retry);
    const left = { trouble: policy.budget, busy: policy.patience };
    for (let number = 1; ; number++) {
      const begun = this.#clock.monotonic();
      try {
        return await attempt();
      } catch (error) {
        const random = (this.#options.random ?? Math.random)();
        if (this.#closing.signal.aborted) throw error; // nor would another attempt get through
        const pause = pauseBefore(
          { number, error, isRepeatable, now: this.serviceClock.now(), random },
          policy,
        );
        const kind = (error as { status?: unknown }).status === 429 ? 'busy' : 'trouble';
        if (classifyFailure(error)?.isLate) left.trouble -= this.#clock.monotonic() - begun;
        if (pause === undefined || pause > left[kind] || left[kind] <= 0) throw error;
        left[kind] -= pause;
        this.#options.onRetry?.({ message: (error as Error).message, pause });
        await this.pause(pause, signal);
      }
    }
  }

  /** A request to the service itself, with the caller's credentials. */
  #below(request: Outgoing, signal: AbortSignal | undefined): ClientRequest {
    const { apiKey, userAgent } = this.#who();
    const headers = {
      accept: 'application/json',
      'user-agent': userAgent,
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      ...request.headers,
    };
    const timeout = request.timeout ?? this.timeout;
    return { ...request, path: this.#root + request.path, headers, signal, timeout };
  }

  #who(): { apiKey: string | undefined; userAgent: string } {
    const { apiKey, userAgent = `skinsmith/${VERSION}` } = this.#options;
    return { apiKey, userAgent };
  }

  #http(): HttpOptions {
    const { apiKey: secret } = this.#options;
    const sentAt = this.#clock.now();
    return {
      origin: this.#origin,
      transport: this.#transport,
      now: () => this.serviceClock.now(),
      onHeaders: ({ date }) => this.serviceClock.sawDate(date, sentAt),
      secret,
      reportsIgnoredFields: this.#options.onRequest !== undefined,
    };
  }

  /** One exchange, reported to the log callback. `place`: the base of the path, if not the service. */
  async #reported<T extends { readonly status: number; readonly odd?: readonly string[] }>(
    { method, path, headers, signal, timeout }: ClientRequest,
    send: () => Promise<T>,
    place = '',
  ): Promise<T> {
    if (this.#guard && this.#options.dispatcher && headers?.['authorization']) await this.#guard.verify();
    this.#options.onSend?.({ place: place || this.baseUrl, timeout });
    const start = performance.now();
    const report = (outcome: Pick<RequestReport, 'status' | 'error' | 'odd'>) =>
      this.#options.onRequest?.({
        method,
        path: place + (path.split('?', 1)[0] ?? path),
        milliseconds: performance.now() - start,
        ...outcome,
      });
    try {
      const answer = await send();
      const { status, odd = [] } = answer;
      report({ status, ...(odd.length > 0 && { odd }) });
      return answer;
    } catch (error) {
      if (error instanceof SkinsmithError) {
        const { status } = error as { status?: number };
        report({ status, error: error.code });
      } else report({ error: signal?.aborted ? 'aborted' : 'unknown' });
      throw error;
    } finally {
      this.#options.onEnd?.();
    }
  }
}
