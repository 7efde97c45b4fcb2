import type { FormData } from 'undici';
import type { z } from 'zod';
import { type BoundedRequest, FetchError, fetchBounded, firstOf } from '../base/bounded-fetch.ts';
import type { Clock } from '../base/clock.ts';
import { parsedJson } from '../base/json.ts';
import { networkReason } from '../base/network-reason.ts';
import type { Sender } from '../base/proxies.ts';
import type { GameAddresses } from './addresses.ts';
import { type GameAnswer, GameError, type GameErrorKind, refusalOf } from './errors.ts';
import type { GameService, Pacing } from './pacing.ts';

export interface GameHttpOptions {
  readonly addresses: GameAddresses;
  readonly sender: () => Promise<Pick<Sender, 'request'>>;
  readonly clock: Clock;
  readonly pacing: Pacing;
  /** Milliseconds from sending a request to the last byte of its answer, without the wait for its turn. */
  readonly timeout: number;
}

/** At most one of the three bodies. */
interface GameRequestBody {
  readonly json?: unknown;
  readonly form?: FormData;
  /** Sent as an URL-encoded form. */
  readonly fields?: Readonly<Record<string, string>>;
  /** A secret in the body that must not appear in errors, in case the service echoes it. */
  readonly secret?: string;
}

export interface GameRequest extends GameRequestBody {
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

const ADDRESS_OF = {
  session: 'sessionServer',
  names: 'services',
  account: 'services',
  textures: 'textures',
  keys: 'publicKeys',
  microsoft: 'microsoft',
  xbox: 'xbox',
  xsts: 'xsts',
  login: 'services',
} satisfies Record<GameService, keyof GameAddresses>;

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
    return new URL(this.addresses[ADDRESS_OF[service]] + path);
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
      return { status, bytes, retryAfter: firstOf(headers['retry-after']) };
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      const { code, message, cause } = error;
      if (code === 'timeout') throw new GameError('unreachable', `${what} did not answer in ${timeout} ms.`);
      if (code !== 'broken') throw new GameError('unexpected', `${what} ${message}.`);
      throw new GameError('unreachable', `${what} cannot be reached: ${networkReason(cause)}.`, { cause });
    }
  }
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
