import type { FormData } from 'undici';
import type { z } from 'zod';
import { type BoundedRequest, FetchError, fetchBounded, firstOf } from '../base/bounded-fetch.ts';
import type { Clock } from '../base/clock.ts';
import { networkReason } from '../base/error-reasons.ts';
import type { Sender } from '../base/proxies.ts';
import { parsedJson } from '../base/text.ts';
import type { GameAddresses } from './addresses.ts';
import { type GameAnswer, GameError, type GameErrorKind, refusalOf } from './errors.ts';

/** A token bucket: each request takes one token. */
interface PaceRule {
  /** Capacity in tokens. */
  readonly burst: number;
  /** Milliseconds per new token. */
  readonly interval: number;
}

/**
 * The services that are paced separately, since the game's limits differ by host and path: where each is, and the known limits
 * per caller address. Session and names: 200 in two minutes by the newer documentation, 600 in ten by the older; 60 and then
 * 54 a minute keep both. Account: the hosted service limits itself to 8 in 30 seconds. For joins, textures (a content
 * network), keys, sign-in and Geyser's service no limit is known.
 */
export const GAME_PACE = {
  session: { at: 'sessionServer', burst: 60, interval: 1_111 },
  joins: { at: 'sessionServer', burst: 100, interval: 50 },
  names: { at: 'services', burst: 60, interval: 1_111 },
  account: { at: 'services', burst: 8, interval: 3_750 },
  textures: { at: 'textures', burst: 100, interval: 50 },
  keys: { at: 'publicKeys', burst: 4, interval: 15_000 },
  microsoft: { at: 'microsoft', burst: 20, interval: 1_000 },
  xbox: { at: 'xbox', burst: 10, interval: 2_000 },
  xsts: { at: 'xsts', burst: 10, interval: 2_000 },
  login: { at: 'services', burst: 5, interval: 5_000 },
  geyser: { at: 'geyser', burst: 20, interval: 500 },
} as const satisfies Record<string, PaceRule & { readonly at: keyof GameAddresses }>;

export type GameService = keyof typeof GAME_PACE;

export interface PacingOptions {
  readonly clock: Clock;
  /** Replaces `GAME_PACE`. Servers behind one address share its limits: give each server its part. */
  readonly rules?: Partial<Readonly<Record<GameService, PaceRule>>>;
  /** Maximum milliseconds a request waits for its turn; default 30,000. */
  readonly maxWait?: number;
  /** Maximum requests waiting for one service; default 100. */
  readonly maxWaiting?: number;
}

/** One service's bucket. Times are of the monotonic clock. */
interface Lane {
  readonly rule: PaceRule;
  /** When the bucket is full again if no one takes a token. */
  fullAt: number;
  /** No request is sent before this. */
  heldUntil: number;
  waiting: number;
}

/**
 * Paces requests to the game's limits, first come first served. Own code, because rate-limiter-flexible reads
 * the system's clock, cannot leave its queue when a signal aborts, and does not support a pause requested by the
 * other side.
 */
export class Pacing {
  readonly #clock: Clock;
  readonly #maxWait: number;
  readonly #maxWaiting: number;
  readonly #lanes: ReadonlyMap<GameService, Lane>;

  constructor({ clock, rules = {}, maxWait = 30_000, maxWaiting = 100 }: PacingOptions) {
    this.#clock = clock;
    this.#maxWait = maxWait;
    this.#maxWaiting = maxWaiting;
    const services = Object.keys(GAME_PACE) as GameService[];
    this.#lanes = new Map(services.map((name) => [name, openLane(rules[name] ?? GAME_PACE[name])]));
  }

  /**
   * Resolves when a request may be sent.
   * @throws GameError `rate_limited` without a status, at once, if the wait would be too long; the signal's reason
   */
  async turn(service: GameService, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const deadline = this.#clock.monotonic() + this.#maxWait;
    // A pause that began while we waited invalidates our turn.
    while (!(await this.#waitForPlace(service, { deadline, signal })));
  }

  /** Sends no requests to the service for this many milliseconds, and then one after the other. */
  hold(service: GameService, milliseconds: number): void {
    const lane = this.#lanes.get(service)!;
    lane.heldUntil = Math.max(lane.heldUntil, this.#clock.monotonic() + milliseconds);
    lane.fullAt = Math.max(lane.fullAt, lane.heldUntil + slack(lane.rule));
  }

  /** Whether the turn, once reached, was valid. */
  async #waitForPlace(
    service: GameService,
    { deadline, signal }: { deadline: number; signal: AbortSignal | undefined },
  ): Promise<boolean> {
    const lane = this.#lanes.get(service)!;
    const now = this.#clock.monotonic();
    const place = Math.max(now, lane.fullAt - slack(lane.rule));
    const isFull = place > now && lane.waiting >= this.#maxWaiting;
    if (place > deadline || isFull) throw tooBusy(service, place - now);
    lane.fullAt = Math.max(lane.fullAt, now) + lane.rule.interval;
    if (place === now) return true;
    lane.waiting++;
    try {
      await this.#clock.sleep(place - now, signal);
    } catch (error) {
      lane.fullAt -= lane.rule.interval;
      throw error;
    } finally {
      lane.waiting--;
    }
    return lane.heldUntil <= place;
  }
}

function openLane(rule: PaceRule): Lane {
  return { rule, fullAt: 0, heldUntil: 0, waiting: 0 };
}

/** How long before it is full a bucket has its first token. */
function slack({ burst, interval }: PaceRule): number {
  return (burst - 1) * interval;
}

function tooBusy(service: GameService, wait: number): GameError {
  const retryAfter = Math.max(0, Math.ceil(wait));
  const message = `Too many requests to Mojang's services (${service}) are waiting for their turn.`;
  return new GameError('rate_limited', message, { retryAfter });
}

interface GameHttpOptions {
  readonly addresses: GameAddresses;
  readonly sender: () => Promise<Pick<Sender, 'request'>>;
  readonly clock: Clock;
  readonly pacing: Pacing;
  /** Milliseconds from sending a request to the last byte of its answer, without the wait for its turn. */
  readonly timeout: number;
}

/** At most one of the three bodies: `json`, `form`, `fields`. */
export interface GameRequest {
  readonly json?: unknown;
  readonly form?: FormData;
  /** Sent as a URL-encoded form. */
  readonly fields?: Readonly<Record<string, string>>;
  /** A secret in the body that must not appear in errors, in case the service echoes it. */
  readonly secret?: string;
  readonly service: GameService;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** Path below the service's base URL, with its query; empty for the base URL itself. */
  readonly path?: string;
  /** Bearer token of a game account. */
  readonly token?: string;
  /** Statuses other than 2xx that count as regular answers. */
  readonly answers?: readonly number[];
  /** Error kinds of statuses that mean something special for this request. */
  readonly meanings?: Readonly<Record<number, GameErrorKind>>;
  readonly signal?: AbortSignal | undefined;
}

/** Maximum bytes of a body. A full profile has a tenth of it. */
const MAX_BODY_BYTES = 128 * 1024;
/** Milliseconds to hold all requests after a 429 without a time. */
const UNSAID_WAIT = 10_000;

/** Sends requests to the game's services, each once and in its turn. */
export class GameHttp {
  readonly addresses: GameAddresses;
  readonly clock: Clock;
  readonly #options: GameHttpOptions;

  constructor(options: GameHttpOptions) {
    this.#options = options;
    this.addresses = options.addresses;
    this.clock = options.clock;
  }

  /**
   * Any 2xx answer, or one of `answers`. Does not follow redirects: a token belongs to the named service only.
   * @throws GameError; the signal's reason when aborted
   */
  async send(request: GameRequest): Promise<GameAnswer> {
    const { pacing, clock } = this.#options;
    await pacing.turn(request.service, request.signal);
    const url = this.#urlOf(request);
    const what = `${request.method ?? 'GET'} ${url.host}${url.pathname}`;
    const answer = await this.#exchange(request, url, what);
    const { token, secret = token, meanings = {}, answers = [] } = request;
    if ((answer.status >= 200 && answer.status < 300) || answers.includes(answer.status)) return answer;
    const error = refusalOf(answer, { what, secret, meanings, now: clock.now() });
    // A limit met with a token may be that account's own: only its requests wait.
    const isForAll = error.kind === 'rate_limited' && token === undefined;
    if (isForAll) pacing.hold(request.service, error.retryAfter ?? UNSAID_WAIT);
    throw error;
  }

  /** Like `send`, for a JSON answer of the given shape. */
  async json<S extends z.ZodType>(request: GameRequest, schema: S): Promise<z.output<S>> {
    const { status, bytes } = await this.send(request);
    const parsed = schema.safeParse(parsedJson(bytes));
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    const where = issue?.path.join('.') || 'the body';
    const { host, pathname } = this.#urlOf(request);
    const message = `${host}${pathname} answered ${status} with an unexpected body (${where}).`;
    throw new GameError('unexpected', message, { status });
  }

  #urlOf({ service, path = '' }: GameRequest): URL {
    return new URL(this.addresses[GAME_PACE[service].at] + path);
  }

  async #exchange(request: GameRequest, url: URL, what: string): Promise<GameAnswer> {
    const { sender, timeout } = this.#options;
    try {
      const { status, headers, bytes } = await fetchBounded(await sender(), {
        ...outgoing(request, url),
        timeout,
        maxBytes: MAX_BODY_BYTES,
        reads: (code) => (code < 300 ? 'whole' : 'start'),
        signal: request.signal,
      });
      return { status, bytes, retryAfter: firstOf(headers['retry-after']) ?? ageOf(headers, status) };
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      const { code, message, cause } = error;
      if (code === 'timeout') throw new GameError('unreachable', `${what} did not answer in ${timeout} ms.`);
      if (code !== 'broken') throw new GameError('unexpected', `${what} ${message}.`);
      throw new GameError('unreachable', `${what} cannot be reached: ${networkReason(cause)}.`, { cause });
    }
  }
}

/** Geyser's service says only in `Cache-Control` how long it refuses requests: until then, caches answer. */
function ageOf(headers: Readonly<Record<string, string | string[] | undefined>>, status: number) {
  if (status !== 503) return undefined;
  return /(?:^|[\s,])max-age=(\d{1,9})(?:$|[\s,])/i.exec(firstOf(headers['cache-control']) ?? '')?.[1];
}

function outgoing(
  request: GameRequest,
  url: URL,
): Pick<BoundedRequest, 'url' | 'method' | 'headers' | 'body'> {
  const { method = 'GET', token, json, form, fields } = request;
  const headers = {
    accept: json === undefined && !fields ? '*/*' : 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(json !== undefined && { 'content-type': 'application/json' }),
    ...(fields && { 'content-type': 'application/x-www-form-urlencoded' }),
  };
  const encoded = fields ? String(new URLSearchParams(fields)) : (form ?? null);
  const body = json === undefined ? encoded : JSON.stringify(json);
  return { url, method, headers: () => headers, body };
}
