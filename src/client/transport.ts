import { Agent, type Dispatcher } from 'undici';
import type { z } from 'zod';
import { type Clock, systemClock } from '../clock.ts';
import { VERSION } from '../version.ts';
import { parseBaseUrl } from './base-url.ts';
import { SkinsmithError } from './errors.ts';
import { exchange, type HttpRequest } from './http.ts';
import { DEFAULT_RETRY, pauseBefore } from './retry-timing.ts';
import type { CallOptions, RequestReport, SkinClientOptions } from './types.ts';

/** A request below the service's root. `timeout`: milliseconds one attempt may take. */
export type Outgoing = Pick<HttpRequest, 'method' | 'path' | 'headers' | 'body'> & {
  readonly timeout?: number;
};

export const DEFAULT_TIMEOUT = 20_000;

/** Sends requests to one service as one caller, repeating what may be repeated. */
export class Transport {
  /** The service's root, no slash and no `/v2` at its end. */
  readonly baseUrl: string;
  readonly #options: SkinClientOptions;
  readonly #origin: string;
  readonly #root: string;
  readonly #dispatcher: Dispatcher;
  readonly #clock: Clock;

  /** @throws TypeError when `baseUrl` is not an http(s) address */
  constructor(options: SkinClientOptions) {
    this.#options = options;
    const { baseUrl, origin, path } = parseBaseUrl(options.baseUrl);
    this.baseUrl = baseUrl;
    this.#origin = origin;
    this.#root = path;
    this.#dispatcher = options.dispatcher ?? new Agent();
    this.#clock = options.clock ?? systemClock;
  }

  get timeout(): number {
    return this.#options.timeout ?? DEFAULT_TIMEOUT;
  }

  async close(): Promise<void> {
    if (!this.#options.dispatcher) await this.#dispatcher.close();
  }

  /** Sends until it is answered, refused for good, or what may be spent on waiting is spent. */
  async request<S extends z.ZodType>(
    request: Outgoing,
    schema: S,
    { signal }: CallOptions,
  ): Promise<z.output<S>> {
    const policy = { ...DEFAULT_RETRY, ...this.#options.retry };
    const left = { trouble: policy.budget, busy: policy.patience };
    for (let number = 1; ; number++) {
      try {
        return await this.#attempt(request, schema, signal);
      } catch (error) {
        const random = (this.#options.random ?? Math.random)();
        const isRepeatable = request.method !== 'POST';
        const attempt = { number, error, isRepeatable, now: this.#clock.now(), random };
        const pause = pauseBefore(attempt, policy);
        const kind = (error as { status?: unknown }).status === 429 ? 'busy' : 'trouble';
        if (pause === undefined || pause > left[kind]) throw error;
        left[kind] -= pause;
        this.#options.onRetry?.({ message: (error as Error).message, pause });
        await this.#clock.sleep(pause, signal);
      }
    }
  }

  async #attempt<S extends z.ZodType>(
    request: Outgoing,
    schema: S,
    signal: AbortSignal | undefined,
  ): Promise<z.output<S>> {
    const { apiKey, userAgent = `skinsmith/${VERSION}` } = this.#options;
    const headers = {
      accept: 'application/json',
      'user-agent': userAgent,
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      ...request.headers,
    };
    const path = this.#root + request.path;
    const start = performance.now();
    const report = (outcome: Pick<RequestReport, 'status' | 'error'>) =>
      this.#options.onRequest?.({
        method: request.method,
        path: path.split('?', 1)[0] ?? path,
        milliseconds: performance.now() - start,
        ...outcome,
      });
    try {
      const whole = { ...request, path, headers, signal, timeout: request.timeout ?? this.timeout };
      const http = {
        origin: this.#origin,
        dispatcher: this.#dispatcher,
        now: () => this.#clock.now(),
        secret: apiKey,
      };
      const { status, data } = await exchange(whole, schema, http);
      report({ status });
      return data;
    } catch (error) {
      if (error instanceof SkinsmithError) {
        const { status } = error as { status?: number };
        report({ status, error: error.code });
      } else report({ error: signal?.aborted ? 'aborted' : 'unknown' });
      throw error;
    }
  }
}
