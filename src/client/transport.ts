import { createHash } from 'node:crypto';
import { Agent, type Dispatcher } from 'undici';
import type { z } from 'zod';
import { type Clock, systemClock } from '../clock.ts';
import { VERSION } from '../version.ts';
import { parseBaseUrl } from './base-url.ts';
import { SkinsmithError } from './errors.ts';
import {
  type Download,
  download,
  exchange,
  type HttpOptions,
  type HttpRequest,
  openEventStream,
} from './http.ts';
import { DEFAULT_RETRY, pauseBefore } from './retry-timing.ts';
import { fetchTexture } from './texture.ts';
import type { CallOptions, RequestReport, SkinClientOptions } from './types.ts';

/** A request below the service's root. `timeout`: milliseconds one attempt may take. */
export type Outgoing = Pick<HttpRequest, 'method' | 'path' | 'headers' | 'body'> & {
  readonly timeout?: number;
};

export const DEFAULT_TIMEOUT = 20_000;
/** Milliseconds of silence after which a stream of events counts as dead: three missed signs of life. */
const EVENTS_IDLE = 45_000;

/** Sends requests to one service as one caller, repeating what may be repeated. */
export class Transport {
  /** The service's root, no slash and no `/v2` at its end. */
  readonly baseUrl: string;
  readonly #options: SkinClientOptions;
  readonly #origin: string;
  readonly #root: string;
  readonly #dispatcher: Dispatcher;
  readonly #clock: Clock;
  #closed: Promise<void> | undefined;
  readonly #closing = new AbortController();

  /** @throws TypeError when `baseUrl` is not an http(s) address */
  constructor(options: SkinClientOptions) {
    // An empty key, as an unset variable gives it, is none.
    this.#options = { ...options, apiKey: options.apiKey || undefined };
    const { baseUrl, origin, path } = parseBaseUrl(options.baseUrl);
    this.baseUrl = baseUrl;
    this.#origin = origin;
    this.#root = path;
    this.#dispatcher = options.dispatcher ?? new Agent();
    this.#clock = options.clock ?? systemClock;
  }

  /** A fingerprint of the API key, or `anonymous`. */
  get caller(): string {
    const { apiKey } = this.#options;
    return apiKey === undefined
      ? 'anonymous'
      : createHash('sha256').update(apiKey).digest('hex').slice(0, 16);
  }

  get timeout(): number {
    return this.#options.timeout ?? DEFAULT_TIMEOUT;
  }

  /** Ends streams of events and idle connections. */
  async close(): Promise<void> {
    this.#closing.abort();
    if (!this.#options.dispatcher) this.#closed ??= this.#dispatcher.close();
    await this.#closed;
  }

  /** Sends until it is answered, refused for good, or what may be spent on waiting is spent. */
  async request<S extends z.ZodType>(request: Outgoing, schema: S, call: CallOptions): Promise<z.output<S>> {
    const isRepeatable = request.method !== 'POST';
    return await this.#repeat(call, isRepeatable, async () => {
      const outgoing = this.#below(request, call.signal);
      return (await this.#reported(outgoing, () => exchange(outgoing, schema, this.#http()))).data;
    });
  }

  /** The chunks of a stream of events below the service's root. Opened once; `close` ends it. */
  async *stream(path: string, { signal }: CallOptions): AsyncGenerator<Buffer, void, void> {
    const { signal: closing } = this.#closing;
    const either = signal ? AbortSignal.any([signal, closing]) : closing;
    const headers = { accept: 'text/event-stream', 'cache-control': 'no-store' };
    const outgoing = { ...this.#below({ method: 'GET', path, headers }, either), idle: EVENTS_IDLE };
    try {
      const { chunks } = await this.#reported(outgoing, () => openEventStream(outgoing, this.#http()));
      yield* chunks;
    } catch (error) {
      if (signal?.aborted || !closing.aborted) throw error;
    }
  }

  /** A texture from wherever it is. No key goes along: textures are public. */
  async texture(url: string, call: CallOptions): Promise<Uint8Array> {
    return await this.#repeat(call, true, () =>
      fetchTexture(url, (address, limit) => this.#download(address, limit, call)),
    );
  }

  /** A texture that an address below the service's root leads to; the key goes to that address alone. */
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
    const options = { ...this.#http(), origin, secret: key };
    const place = origin === this.#origin ? '' : origin;
    return await this.#reported(outgoing, () => download(outgoing, limit, options), place);
  }

  /** Runs attempts until one succeeds or the last error is to be thrown. */
  async #repeat<T>(
    { signal, retry }: CallOptions,
    isRepeatable: boolean,
    attempt: () => Promise<T>,
  ): Promise<T> {
    const policy = { ...DEFAULT_RETRY, ...this.#options.retry, ...retry };
    const left = { trouble: policy.budget, busy: policy.patience };
    for (let number = 1; ; number++) {
      try {
        return await attempt();
      } catch (error) {
        const random = (this.#options.random ?? Math.random)();
        const pause = pauseBefore({ number, error, isRepeatable, now: this.#clock.now(), random }, policy);
        const kind = (error as { status?: unknown }).status === 429 ? 'busy' : 'trouble';
        if (pause === undefined || pause > left[kind] || left[kind] === 0) throw error;
        left[kind] -= pause;
        this.#options.onRetry?.({ message: (error as Error).message, pause });
        await this.#clock.sleep(pause, signal);
      }
    }
  }

  /** A request to the service itself, as this caller. */
  #below(request: Outgoing, signal: AbortSignal | undefined): HttpRequest {
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
    const now = () => this.#clock.now();
    const { apiKey: secret } = this.#options;
    return { origin: this.#origin, dispatcher: this.#dispatcher, now, secret };
  }

  /** One exchange, told to whoever keeps a log. `place`: what the path is below, when not the service. */
  async #reported<T extends { readonly status: number }>(
    { method, path, signal }: HttpRequest,
    send: () => Promise<T>,
    place = '',
  ): Promise<T> {
    const start = performance.now();
    const report = (outcome: Pick<RequestReport, 'status' | 'error'>) =>
      this.#options.onRequest?.({
        method,
        path: place + (path.split('?', 1)[0] ?? path),
        milliseconds: performance.now() - start,
        ...outcome,
      });
    try {
      const answer = await send();
      report({ status: answer.status });
      return answer;
    } catch (error) {
      if (error instanceof SkinsmithError) {
        const { status } = error as { status?: number };
        report({ status, error: error.code });
      } else report({ error: signal?.aborted ? 'aborted' : 'unknown' });
      throw error;
    }
  }
}

/** Body and header of a request that sends JSON. */
export function jsonBody(content: unknown): { body: string; headers: Record<string, string> } {
  return { body: JSON.stringify(content), headers: { 'content-type': 'application/json' } };
}
