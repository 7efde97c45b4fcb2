import type { z } from 'zod';
import { type Clock, systemClock } from '../base/clock.ts';
import { callerFingerprint } from '../base/text.ts';
import { VERSION } from '../base/version.ts';
import { receivedEnvelopeSchema } from '../protocol/envelope.ts';
import { classifyFailure, NetworkError, SkinsmithError } from './errors.ts';
import {
  type ClientRequest,
  type Download,
  download,
  exchange,
  fetchTexture,
  type HttpOptions,
  openStream,
} from './http.ts';
import { pauseBefore, retryPolicy } from './rate-limits.ts';
import { KeyGuard, NetworkTransport, systemResolve, type Transport, transportTo } from './transport.ts';
import type { CallOptions, RequestReport, SkinClientOptions } from './types.ts';

/**
 * The service's root as a user may write it: with or without a trailing slash, `/v2` or a path prefix. Returns
 * `baseUrl` and its parts `origin` and `path`, none of which ends with a slash or `/v2`. Refuses any @ and does not repeat the
 * text: a URL parser would read "user:pa/ss@host" as host and path.
 * @throws TypeError with a message for the user
 */
export function parseBaseUrl(text: string): { baseUrl: string; origin: string; path: string } {
  if (text.includes('@')) throw new TypeError('the URL must not contain a user name or password');
  if (!URL.canParse(text))
    throw new TypeError(`"${text}" is not a URL; use a form like https://api.example.org`);
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) throw new TypeError(`"${text}" must start with http:// or https://`);
  if (url.search || url.hash) throw new TypeError('the URL must not contain a query or a fragment');
  const path = url.pathname.replace(/\/+$/, '').replace(/\/v2$/, '');
  return { baseUrl: url.origin + path, origin: url.origin, path };
}

/** Every character that a header may contain; undici refuses others only when the request is sent. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * The options, with the key trimmed: keys come from files and variables that end in a line break. An empty one, as from
 * an unset variable, means no key.
 * @throws TypeError, RangeError for options with which every request would fail
 */
export function checkedOptions(options: SkinClientOptions): SkinClientOptions {
  const { apiKey, userAgent, timeout, dispatcher } = options;
  const key = apiKey?.trim() || undefined;
  mustBeHeader('apiKey', key); // the message does not show it
  mustBeHeader('userAgent', userAgent);
  if (dispatcher && typeof dispatcher.request !== 'function')
    throw new TypeError('dispatcher: has no method request, like the imitation of undici in Bun');
  if (timeout !== undefined && !(timeout > 0))
    throw new RangeError(`timeout: ${timeout} is not a number of milliseconds above 0`);
  return { ...options, apiKey: key };
}

function mustBeHeader(option: string, value: string | undefined): void {
  if (value !== undefined && !HEADER_VALUE.test(value))
    throw new TypeError(`${option}: contains a character that no HTTP header may contain`);
}

/** The resolution of a `Date` header, milliseconds. */
const HEADER_RESOLUTION = 1_000;
/** A time further off than this is not a current time, or not in milliseconds. */
const PLAUSIBLE = 24 * 60 * 60_000;

/** Bounds on how far the service's clock is ahead of ours, milliseconds. */
interface Bounds {
  readonly least: number;
  readonly most: number;
}

/**
 * The service's clock as its answers show it: from `Date` headers, accurate to a second, and from the times
 * of jobs created during a request, accurate to the duration of that request. Until an answer shows it,
 * the two clocks are assumed to agree.
 */
export class ServiceClock {
  readonly #clock: Pick<Clock, 'now'>;
  #ahead: Bounds | undefined;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** The service's current time, milliseconds since the epoch. */
  now(): number {
    const { least, most } = this.#ahead ?? { least: 0, most: 0 };
    return this.#clock.now() + (least + most) / 2;
  }

  /** The earliest time it may be there: a moment before this has certainly passed on the service's clock. */
  earliest(): number {
    return this.#clock.now() + (this.#ahead?.least ?? 0);
  }

  /** An answer's `Date` header. `sentAt`: when its request was sent, by our clock. */
  sawDate(header: string | string[] | undefined, sentAt: number): void {
    const time = typeof header === 'string' ? Date.parse(header) : Number.NaN;
    if (Number.isNaN(time)) return;
    const bounds = { least: time - this.#clock.now(), most: time + HEADER_RESOLUTION - sentAt };
    // Without an overlap one of the clocks was set, so only the new value counts.
    this.#ahead = overlap(this.#ahead, bounds) ?? bounds;
  }

  /** A time by the service's clock between the sending of a request and now. A `Date` header takes precedence. */
  sawMoment(time: number | undefined, sentAt: number): void {
    if (time === undefined || Math.abs(time - this.#clock.now()) > PLAUSIBLE) return;
    const bounds = { least: time - this.#clock.now(), most: time - sentAt };
    this.#ahead = overlap(this.#ahead, bounds) ?? this.#ahead;
  }
}

function overlap(known: Bounds | undefined, seen: Bounds): Bounds | undefined {
  if (!known) return seen;
  const least = Math.max(known.least, seen.least);
  const most = Math.min(known.most, seen.most);
  return least <= most ? { least, most } : undefined;
}

/** A request below the service's root. `timeout`: milliseconds per attempt. */
export type Outgoing = Pick<ClientRequest, 'method' | 'path' | 'headers' | 'content' | 'locates'> & {
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
  if (address === undefined) throw new TypeError('baseUrl is required: the address of the service');
  return address;
}

/** Guards a key that would go over plain http. @throws InsecureHttpError */
export function guardFor(
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

  async get<S extends z.ZodType>(path: string, schema: S, call: CallOptions): Promise<z.output<S>> {
    return await this.request({ method: 'GET', path }, schema, call);
  }

  /** Sends JSON. `address`: method and path. */
  async send<S extends z.ZodType>(
    address: string,
    json: object,
    schema: S,
    call: CallOptions,
  ): Promise<z.output<S>> {
    const [method, path] = address.split(' ') as ['POST' | 'PUT' | 'PATCH', string];
    return await this.request({ method, path, content: { json } }, schema, call);
  }

  async delete(path: string, call: CallOptions): Promise<void> {
    await this.request({ method: 'DELETE', path }, receivedEnvelopeSchema, call);
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
        this.#download(address, limit, call, address.href === href ? this.#options.apiKey : undefined),
      ),
    );
  }

  async #download(address: URL, limit: number, { signal }: CallOptions, key?: string): Promise<Download> {
    const { origin, pathname, search } = address;
    const headers = {
      accept: 'image/png',
      'user-agent': this.#userAgent,
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
        const attempted = { number, error, isRepeatable, now: this.serviceClock.now(), random };
        const pause = pauseBefore(attempted, policy);
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
    const { apiKey } = this.#options;
    const headers = {
      accept: 'application/json',
      'user-agent': this.#userAgent,
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      ...request.headers,
    };
    const timeout = request.timeout ?? this.timeout;
    return { ...request, path: this.#root + request.path, headers, signal, timeout };
  }

  get #userAgent(): string {
    return this.#options.userAgent ?? `skinsmith/${VERSION}`;
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
