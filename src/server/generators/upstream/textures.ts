import type { Clock } from '../../../base/clock.ts';
import type { Proxies } from '../../../base/proxies.ts';
import { VERSION } from '../../../base/version.ts';
import {
  classifyFailure,
  NetworkError,
  type SkinsmithError,
  UnreadableAnswerError,
} from '../../../client/errors.ts';
import { type Download, download, fetchTexture } from '../../../client/http.ts';
import { NetworkTransport } from '../../../client/network-transport.ts';
import type { SkinClient } from '../../../client/skin-client.ts';
import type { RequestDispatcher } from '../../../client/transport.ts';
import { TextureReader } from '../../../dispatch/retrying-reader.ts';
import { fetchGuarded, type GuardedAgent } from '../../outbound/guarded-agent.ts';
import { OutboundError, type OutboundFault } from '../../outbound/target.ts';
import { GenerationError, GenerationPostponed } from '../port.ts';

export interface TexturesOptions {
  readonly client: Pick<SkinClient, 'baseUrl'>;
  /** Connects to the service; default: through the proxies. */
  readonly dispatcher?: RequestDispatcher | undefined;
  readonly proxies?: Proxies | undefined;
  readonly pictures: GuardedAgent;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Time limit of one fetch, and the pause before the next attempt at the job, in milliseconds. */
const TIMEOUT = 10_000;
const AGAIN = 5_000;
/** Milliseconds for which a worker repeats the request before its job returns to the queue. */
const PATIENCE = 3_000;
const MAX_BYTES = 256 * 1024;
const MAX_REDIRECTS = 3;
const HEADERS = { accept: 'image/png', 'user-agent': `skinsmith/${VERSION}` };

/** Faults that are, or may be, temporary. */
const PASSING: ReadonlySet<OutboundFault> = new Set(['unresolved', 'unreachable', 'broken_off', 'timeout']);

/**
 * Reads textures named by the upstream service. The service's own address is always allowed; other addresses, also
 * those that it redirects to, go through the outbound guard, so that the service cannot make us send requests to
 * machines in our own network.
 */
export class UpstreamTextures {
  readonly #options: TexturesOptions;
  readonly #network: NetworkTransport;
  readonly #reader: TextureReader;

  constructor(options: TexturesOptions) {
    this.#options = options;
    const { clock, random, proxies, dispatcher } = options;
    this.#network = new NetworkTransport({ proxies, dispatcher });
    const fetch = async (url: string, signal: AbortSignal) => await this.#fetch(url, signal);
    this.#reader = new TextureReader({ fetch, clock, random, patience: PATIENCE });
  }

  /** Ends idle connections. */
  async close(): Promise<void> {
    await this.#network.close();
  }

  /**
   * The PNG of a texture.
   * @throws GenerationPostponed; GenerationError `invalid_skin_data` if it is permanently unavailable
   */
  async read(url: string, signal: AbortSignal): Promise<Uint8Array> {
    try {
      return await this.#reader.read(url, signal);
    } catch (cause) {
      const failure = classifyFailure(cause);
      if (signal.aborted || !(failure || cause instanceof OutboundError)) throw cause;
      if (failure?.isTemporary) throw new GenerationPostponed(this.#options.clock.now() + AGAIN, { cause });
      const message = `The texture cannot be fetched: ${(cause as SkinsmithError | OutboundError).message}`;
      throw new GenerationError('invalid_skin_data', message, { cause });
    }
  }

  async #fetch(url: string, signal: AbortSignal): Promise<Uint8Array> {
    const { client, pictures } = this.#options;
    const isOwn = ({ host }: URL) => host === new URL(client.baseUrl).host;
    const elsewhere = async (place: string) => await fetchElsewhere(pictures, place, signal);
    if (!isOwn(new URL(url))) return await elsewhere(url);
    return await fetchTexture(url, async (address, limit) =>
      isOwn(address)
        ? await this.#download(address, limit, signal)
        : { status: 200, bytes: await elsewhere(address.href), location: undefined },
    );
  }

  /** One step to the service itself. Sends no key: textures are public. */
  async #download({ origin, pathname, search }: URL, limit: number, signal: AbortSignal): Promise<Download> {
    const { clock } = this.#options;
    const transport = this.#network;
    const request = { method: 'GET', path: pathname + search, headers: HEADERS, signal } as const;
    const options = {
      origin,
      transport,
      now: () => clock.now(),
      secret: undefined,
      reportsIgnoredFields: false,
    };
    return await download({ ...request, timeout: TIMEOUT }, limit, options);
  }
}

/** @throws NetworkError, UnreadableAnswerError; OutboundError if it is permanently refused */
async function fetchElsewhere(pictures: GuardedAgent, url: string, signal: AbortSignal): Promise<Buffer> {
  const { status, bytes } = await fetchGuarded(pictures, {
    url,
    method: 'GET',
    timeout: TIMEOUT,
    answer: 'whole',
    maxBytes: MAX_BYTES,
    maxRedirects: MAX_REDIRECTS,
    signal,
  }).catch((cause: unknown) => {
    if (!(cause instanceof OutboundError) || !PASSING.has(cause.code)) throw cause;
    throw new NetworkError(cause.message, { cause, mayHaveArrived: true });
  });
  if (status === 200) return bytes;
  throw new UnreadableAnswerError(`${new URL(url).host} answered ${status}.`, { status });
}
