import {
  type BoundedAnswer,
  FetchError,
  fetchBounded,
  parseRetryAfter,
  pictureLink,
} from '../../base/bounded-fetch.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { networkCode, networkReason } from '../../base/error-reasons.ts';
import { openSender, type Proxies, type Sender } from '../../base/proxies.ts';
import { mapAhead } from '../../base/streams.ts';
import { NetworkError, SkinsmithError, UnreadableAnswerError } from '../../client/errors.ts';
import { DEFAULT_RETRY, pauseBefore } from '../../client/rate-limits.ts';
import { sniffKind } from '../../skin/png/header.ts';
import { type BatchSource, type SourceContent, unusable } from '../model.ts';

/** Concurrent downloads; later URLs wait in order. */
const AT_ONCE = 6;
/** Milliseconds per attempt, including redirects. */
const TIMEOUT = 10_000;
/** Attempts that may time out: a host that is silent for longer is down. */
const MAX_TIMEOUTS = 3;
/** Far more than a skin's 20,000 bytes, so that the check can still say what it is. */
const MAX_BYTES = 256 * 1024;
const MAX_REDIRECTS = 5;

/** The picture, or why it could not be fetched. */
type FetchedContent = Extract<SourceContent, { kind: 'bytes' | 'problem' }>;

export interface FetchOptions {
  readonly signal: AbortSignal;
  readonly proxies: Proxies | undefined;
  readonly clock?: Clock;
  /** Called before a download waits: why, and for how many milliseconds. */
  readonly onWait?: (wait: { readonly message: string; readonly pause: number }) => void;
}

/**
 * The same sources in the same order, with URLs fetched from this machine: each becomes a picture or a
 * problem. Private networks belong to the user and are allowed.
 */
export async function* fetchedSources(
  sources: AsyncIterable<BatchSource>,
  options: FetchOptions,
): AsyncGenerator<BatchSource> {
  const downloads = new Downloads(await openSender(options.proxies), options);
  try {
    yield* mapAhead(sources, AT_ONCE, async (source) => await fetched(source, downloads));
  } finally {
    downloads.close();
  }
}

async function fetched(source: BatchSource, downloads: Downloads): Promise<BatchSource> {
  const { content } = source;
  if (content.kind !== 'url') return source;
  const picture = await downloads.fetch(content.url);
  const isFitted = content.fit && picture.kind === 'bytes';
  return { ...source, content: isFitted ? { ...picture, fit: true } : picture };
}

/** A picture fetched from here; failures become a content of kind `problem`. */
export async function fetchPicture(url: string, options: FetchOptions): Promise<FetchedContent> {
  const downloads = new Downloads(await openSender(options.proxies), options);
  try {
    return await downloads.fetch(url);
  } finally {
    downloads.close();
  }
}

/** A host, for all downloads from it. */
interface Host {
  /** On the monotonic clock: no request before this, because the host refused or failed. */
  until: number;
  /** It has failed for as long as one download may wait; the others try once. */
  isGivenUp: boolean;
}

/** Network errors that may pass; a name that does not exist, or a port where nothing listens, does not. */
const PASSING =
  /^(?:ECONNRESET|EPIPE|ETIMEDOUT|EAI_AGAIN|ERR_STREAM_PREMATURE_CLOSE|TimeoutError|UND_ERR_(?:SOCKET|\w+_TIMEOUT|RES_CONTENT_LENGTH_MISMATCH))$/;

/** Downloads that try again what may pass, as requests to a service do, and that spare a host together. */
class Downloads {
  readonly #sender: Sender;
  readonly #signal: AbortSignal;
  readonly #clock: Clock;
  readonly #onWait: FetchOptions['onWait'];
  readonly #hosts = new Map<string, Host>();

  constructor(sender: Sender, { signal, clock = systemClock, onWait }: FetchOptions) {
    this.#onWait = onWait;
    this.#sender = sender;
    this.#signal = signal;
    this.#clock = clock;
  }

  /** Closes the connections once abandoned downloads have ended. */
  close(): void {
    void this.#sender.close();
  }

  async fetch(url: string): Promise<FetchedContent> {
    const address = new URL(pictureLink(new URL(url)));
    const host = this.#hostOf(address);
    const waited = { asked: 0, failed: 0, timeouts: 0 };
    try {
      for (let number = 1; ; number++) {
        await this.#turn(host);
        try {
          return { kind: 'bytes', bytes: await this.#attempt(address) };
        } catch (error) {
          const pause = this.#pauseAfter(error, number, waited);
          if (pause === undefined || host.isGivenUp) throw error;
          this.#onWait?.({ message: waitText(error, address), pause });
          host.until = Math.max(host.until, this.#clock.monotonic() + pause);
        }
      }
    } catch (error) {
      if (this.#signal.aborted) return notFetched(url, 'it was interrupted');
      if (!(error instanceof SkinsmithError)) throw error;
      host.isGivenUp ||= error.isPassing;
      return notFetched(url, error.message);
    }
  }

  #hostOf({ host }: URL): Host {
    const known = this.#hosts.get(host) ?? { until: 0, isGivenUp: false };
    this.#hosts.set(host, known);
    return known;
  }

  async #turn(host: Host): Promise<void> {
    for (let wait = 1; wait > 0; ) {
      wait = host.until - this.#clock.monotonic();
      if (wait > 0) await this.#clock.sleep(wait, this.#signal);
    }
  }

  /** Milliseconds before the next attempt; undefined: there is none. */
  #pauseAfter(
    error: unknown,
    number: number,
    waited: { asked: number; failed: number; timeouts: number },
  ): number | undefined {
    if (this.#signal.aborted || (error instanceof NetworkError && !PASSING.test(networkCode(error.cause))))
      return undefined;
    const isTimeout = error instanceof NetworkError && networkCode(error.cause) === 'TimeoutError';
    if (isTimeout && ++waited.timeouts >= MAX_TIMEOUTS) return undefined;
    const now = this.#clock.now();
    const attempt = { number, error, isRepeatable: true, now, random: Math.random() };
    const pause = pauseBefore(attempt, DEFAULT_RETRY);
    if (pause === undefined) return undefined;
    const isAsked = error instanceof UnreadableAnswerError && error.retryAfter !== undefined;
    const kind = isAsked ? 'asked' : 'failed';
    waited[kind] += pause;
    return waited[kind] <= (isAsked ? DEFAULT_RETRY.patience : DEFAULT_RETRY.budget) ? pause : undefined;
  }

  /** @throws SkinsmithError; the signal's reason */
  async #attempt(url: URL): Promise<Uint8Array> {
    try {
      const answer = await fetchBounded(this.#sender, { ...REQUEST, url, signal: this.#signal });
      return pictureIn(answer, this.#clock.now());
    } catch (error) {
      throw error instanceof FetchError ? asClientError(error) : error;
    }
  }
}

const REQUEST = {
  method: 'GET',
  headers: () => ({ accept: 'image/png,*/*;q=0.1' }),
  timeout: TIMEOUT,
  maxBytes: MAX_BYTES,
  reads: (status: number) => (status > 299 ? 'nothing' : 'whole'),
  redirects: { max: MAX_REDIRECTS, target: redirectTarget },
} as const;

function pictureIn({ status, headers, bytes, url: { host } }: BoundedAnswer, now: number): Uint8Array {
  if (status > 299 && status < 400) throw badAnswer(`${host} ${NO_REDIRECT}`);
  if (status > 299) {
    const retryAfter = parseRetryAfter(headers['retry-after'], now);
    throw new UnreadableAnswerError(`${host} answered ${status}`, { status, retryAfter });
  }
  if (sniffKind(bytes)?.includes('HTML')) throw badAnswer(`${host} answered with a page; ${NO_PAGE}`);
  return bytes;
}

function asClientError({ code, host, message, cause }: FetchError): SkinsmithError {
  if (cause instanceof SkinsmithError) return cause;
  if (code === 'too_large' || code === 'encoded') return badAnswer(`${host} ${message}`);
  if (code === 'too_many_redirects') return badAnswer(`more than ${MAX_REDIRECTS} redirects`);
  const isTimeout = code === 'timeout';
  const why = isTimeout ? `it took longer than ${TIMEOUT / 1_000} seconds` : networkReason(cause);
  return new NetworkError(why, { cause, mayHaveArrived: true });
}

const NO_REDIRECT = 'redirects to a non-http address';
const NO_PAGE = 'give the address of the picture itself, not of the page it is on';

/** An answer's error names the host itself. */
function waitText(error: unknown, { host }: URL): string {
  const why = error instanceof Error ? error.message : String(error);
  return error instanceof NetworkError ? `${host}: ${why}.` : `${why}.`;
}

/** An answer that will not be another one the next time. */
function badAnswer(why: string): UnreadableAnswerError {
  return new UnreadableAnswerError(why, { status: 200 });
}

function redirectTarget(location: string, from: URL): URL {
  const url = URL.parse(location, from.href);
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw badAnswer(`${from.host} ${NO_REDIRECT}`);
}

function notFetched(url: string, why: string): FetchedContent {
  return unusable('invalid_image_url', `${url} could not be fetched: ${why}.`);
}
