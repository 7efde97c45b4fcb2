import type { Clock } from '../../../base/clock.ts';
import { NetworkError, type SkinsmithError, UnreadableAnswerError } from '../../../client/errors.ts';
import { classifyFailure } from '../../../client/failure.ts';
import type { SkinClient } from '../../../client/skin-client.ts';
import { ONE_ATTEMPT } from '../../../dispatch/one-attempt.ts';
import { TextureReader } from '../../../dispatch/texture-reader.ts';
import { fetchGuarded } from '../../outbound/fetch-guarded.ts';
import type { GuardedAgent } from '../../outbound/guarded-agent.ts';
import { OutboundError, type OutboundFault } from '../../outbound/outbound-error.ts';
import { GenerationError, GenerationPostponed } from '../port.ts';

export interface TexturesOptions {
  readonly client: SkinClient;
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

/** Faults that are, or may be, temporary. */
const PASSING: ReadonlySet<OutboundFault> = new Set(['unresolved', 'unreachable', 'broken_off', 'timeout']);

/**
 * Reads textures named by the upstream service. The service's own address is always allowed; other addresses go
 * through the outbound guard, so that the service cannot make us send requests to machines in our own network.
 */
export class UpstreamTextures {
  readonly #clock: Clock;
  readonly #reader: TextureReader;

  constructor({ client, pictures, clock, random }: TexturesOptions) {
    this.#clock = clock;
    const own = new URL(client.baseUrl).host;
    const fetch = async (url: string, signal: AbortSignal) =>
      new URL(url).host === own
        ? await client.texture(url, { ...ONE_ATTEMPT, signal })
        : await fetchElsewhere(pictures, url, signal);
    this.#reader = new TextureReader({ fetch, clock, random, patience: PATIENCE });
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
      if (failure?.isTemporary) throw new GenerationPostponed(this.#clock.now() + AGAIN, { cause });
      const message = `Its texture cannot be fetched: ${(cause as SkinsmithError | OutboundError).message}`;
      throw new GenerationError('invalid_skin_data', message, { cause });
    }
  }
}

/** @throws NetworkError, UnreadableAnswerError; OutboundError when it is refused for good */
async function fetchElsewhere(pictures: GuardedAgent, url: string, signal: AbortSignal): Promise<Uint8Array> {
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
