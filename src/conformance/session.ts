import { parseRetryAfter } from '../base/bounded-fetch.ts';
import type { Clock } from '../base/clock.ts';
import { parsedJson } from '../base/text.ts';
import { VERSION } from '../base/version.ts';
import { NetworkError, SkinsmithError } from '../client/errors.ts';
import {
  type ClientRequest,
  download,
  exchangeText,
  fetchTexture,
  type HttpOptions,
} from '../client/http.ts';
import { guardFor, parseBaseUrl } from '../client/requester.ts';
import {
  type Fetch,
  NetworkTransport,
  type RequestContent,
  type RequestDispatcher,
  transportTo,
} from '../client/transport.ts';
import { receivedEnvelopeSchema } from '../protocol/envelope.ts';
import type { SkinData } from '../textures/property.ts';
import { type Answer, codeOf, differs, type SentRequest } from './finding.ts';

export interface SessionOptions {
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** The key may cross public networks unencrypted. */
  readonly insecureHttp?: boolean | undefined;
  readonly dispatcher?: RequestDispatcher | undefined;
  /** Fetches textures, whose addresses the server chooses; default: as all else. */
  readonly textures?: RequestDispatcher | undefined;
  /** Whether the game has signed skin data; undefined: its keys are not known. */
  readonly isGames?: ((data: SkinData) => Promise<boolean | undefined>) | undefined;
  /** Answers in place of the network. */
  readonly fetch?: Fetch | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds from one request to the next. */
  readonly pause: number;
  /** Called after each answer. */
  readonly onAnswer?: ((answer: Answer, milliseconds: number) => void) | undefined;
}

interface Sent {
  readonly content?: RequestContent;
  /** `own`: the caller's, if there is one. */
  readonly key?: 'own' | 'none' | { readonly text: string };
  /** Milliseconds for the whole answer. */
  readonly timeout?: number;
  /** Sent at once, beside others: several submissions may come together. */
  readonly isUnpaced?: boolean | undefined;
  /** Follows this signal in place of the run's, for cleaning up after it. */
  readonly signal?: AbortSignal;
}

const USER_AGENT = `skinsmith-conformance/${VERSION}`;
const TIMEOUT = 20_000;
/** Longest wait, in milliseconds, that a server can ask for with a 429, and how often. */
const LONGEST_WAIT = 90_000;
const MAX_WAITS = 2;
const USUAL_WAIT = 5_000;

/** Sends requests to one server, one at a time and not too fast, and keeps what it answered. */
export class Session {
  readonly baseUrl: string;
  readonly hasKey: boolean;
  /** All answers so far, in their order. */
  readonly answers: Answer[] = [];
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly #options: SessionOptions;
  readonly #origin: string;
  readonly #root: string;
  readonly #network: NetworkTransport;
  readonly #textures: NetworkTransport;
  readonly #once = new Map<string, Promise<Answer>>();
  #next = Number.NEGATIVE_INFINITY;
  #turn: Promise<unknown> = Promise.resolve();
  readonly #verify: () => Promise<void>;

  /** @throws TypeError for an unusable address; InsecureHttpError */
  constructor(options: SessionOptions) {
    const { baseUrl, origin, path } = parseBaseUrl(options.baseUrl);
    const { apiKey, dispatcher } = options;
    const guard = guardFor(options, origin);
    this.baseUrl = baseUrl;
    this.hasKey = apiKey !== undefined;
    this.clock = options.clock;
    this.signal = options.signal;
    this.#options = options;
    this.#origin = origin;
    this.#root = path;
    this.#network = new NetworkTransport({ dispatcher, lookup: guard?.lookup });
    this.#textures = new NetworkTransport({ dispatcher: options.textures ?? dispatcher });
    this.#verify = async () => await (dispatcher ? guard?.verify() : undefined);
  }

  async get(path: string, sent: Sent = {}): Promise<Answer> {
    return await this.send('GET', path, sent);
  }

  /** What the server says to everyone, requested once. */
  async once(path: string): Promise<Answer> {
    const answer = this.#once.get(path) ?? this.get(path, { key: 'none' });
    this.#once.set(path, answer);
    return await answer;
  }

  get isGames(): SessionOptions['isGames'] {
    return this.#options.isGames;
  }

  /** A texture from any address, without the key. @throws SkinsmithError */
  async texture(url: string): Promise<Uint8Array> {
    const headers = { accept: 'image/png', 'user-agent': USER_AGENT };
    return await fetchTexture(url, async ({ origin, pathname, search }, limit) => {
      await this.#ownTurn(this.signal);
      const request = { method: 'GET', path: pathname + search, headers, timeout: TIMEOUT } as const;
      const http = this.#http(origin, this.#textures);
      return await download({ ...request, signal: this.signal }, limit, http);
    });
  }

  /** Sends when its turn has come. Waits and repeats where the server asks for it with a rate limit. @throws Finding */
  async send(method: ClientRequest['method'], path: string, sent: Sent = {}): Promise<Answer> {
    for (let waits = 0; ; waits++) {
      if (!sent.isUnpaced) await this.#ownTurn(sent.signal ?? this.signal);
      const answer = await this.#exchange(method, path, sent);
      const wait =
        answer.status === 429 && codeOf(answer) === 'rate_limit' ? this.#waitIn(answer) : undefined;
      if (wait === undefined || wait > LONGEST_WAIT || waits === MAX_WAITS) return answer;
      await this.clock.sleep(wait, sent.signal ?? this.signal);
    }
  }

  async close(): Promise<void> {
    await this.#network.close();
    await this.#textures.close();
  }

  async #ownTurn(signal: AbortSignal): Promise<void> {
    const before = this.#turn;
    this.#turn = (async () => {
      await before.catch(() => {}); // its own request reports it
      const wait = this.#next - this.clock.monotonic();
      if (wait > 0) await this.clock.sleep(wait, signal);
      this.#next = this.clock.monotonic() + this.#options.pause;
    })();
    await this.#turn;
    signal.throwIfAborted();
  }

  async #exchange(method: ClientRequest['method'], path: string, sent: Sent): Promise<Answer> {
    const { content, key = 'own', timeout = TIMEOUT, signal = this.signal } = sent;
    const begun = this.clock.monotonic();
    const asked = {
      request: `${method} ${path.split('?', 1)[0]}`,
      sent: { method, url: this.baseUrl + path, key: this.hasKey || key !== 'own' ? key : 'none', content },
    } as const satisfies { readonly request: string; readonly sent: SentRequest };
    try {
      await this.#verify();
      const { status, headers, text } = await exchangeText(
        { method, path: this.#root + path, headers: this.#headers(sent), content, signal, timeout },
        this.#http(this.#origin, this.#network),
      );
      const answer = { ...asked, status, headers, text, json: parsedJson(text) };
      this.answers.push(answer);
      this.#options.onAnswer?.(answer, this.clock.monotonic() - begun);
      return answer;
    } catch (error) {
      // Without a server there is nothing to judge, which is no fault of the interface.
      const isGone = this.answers.length === 0 || (error instanceof NetworkError && !error.mayHaveArrived);
      if (signal.aborted || isGone || !(error instanceof SkinsmithError)) throw error;
      const what = error instanceof NetworkError ? 'no answer' : 'an answer that cannot be read';
      throw differs(asked, 'an answer', `${what}: ${error.message}`);
    }
  }

  #headers({ key = 'own' }: Sent): Record<string, string> {
    const { apiKey } = this.#options;
    const used = typeof key === 'string' ? (key === 'own' ? apiKey : undefined) : key.text;
    return {
      accept: 'application/json',
      'user-agent': USER_AGENT,
      ...(used !== undefined && { authorization: `Bearer ${used}` }),
    };
  }

  #http(origin: string, network: NetworkTransport): HttpOptions {
    const { apiKey, clock, fetch } = this.#options;
    return {
      origin,
      transport: fetch ? transportTo(fetch) : network,
      now: () => clock.now(),
      secret: apiKey,
      reportsIgnoredFields: false,
    };
  }

  #waitIn({ headers, json }: Answer): number {
    const told = parseRetryAfter(headers['retry-after'], this.clock.now());
    const { rateLimit } = receivedEnvelopeSchema.safeParse(json).data ?? {};
    return Math.max(told ?? rateLimit?.next?.relative ?? USUAL_WAIT, 100);
  }
}
