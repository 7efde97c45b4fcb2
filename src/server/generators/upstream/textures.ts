import type { Clock } from '../../../base/clock.ts';
import { SkinsmithError, UnreadableAnswerError } from '../../../client/errors.ts';
import type { SkinClient } from '../../../client/skin-client.ts';
import { fetchGuarded } from '../../outbound/fetch-guarded.ts';
import type { GuardedAgent } from '../../outbound/guarded-agent.ts';
import { OutboundError, type OutboundFault } from '../../outbound/outbound-error.ts';
import { GenerationError, GenerationPostponed } from '../port.ts';

export interface TexturesOptions {
  readonly client: SkinClient;
  readonly pictures: GuardedAgent;
  readonly clock: Clock;
}

/** Time limit of one fetch, and the pause before the retry of a failed one, in milliseconds. */
const TIMEOUT = 10_000;
const AGAIN = 5_000;
const RETRY = { budget: 3_000, patience: 3_000 };
const MAX_BYTES = 256 * 1024;
const MAX_REDIRECTS = 3;

/** Faults that are, or may be, temporary. */
const PASSING: ReadonlySet<OutboundFault> = new Set(['unresolved', 'unreachable', 'broken_off', 'timeout']);

/**
 * The PNG of a texture named by the upstream service. The service's own address is always allowed; other addresses go
 * through the outbound guard, so that the service cannot make us send requests to machines in our own network.
 * @throws GenerationPostponed; GenerationError `invalid_skin_data` if it is permanently unavailable
 */
export async function fetchTexture(
  { client, pictures, clock }: TexturesOptions,
  url: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const isItsOwn = new URL(url).host === new URL(client.baseUrl).host;
  try {
    if (isItsOwn) return await client.texture(url, { signal, retry: RETRY });
    return await fetchElsewhere(pictures, url, signal);
  } catch (error) {
    if (signal.aborted || !isExpected(error)) throw error;
    if (isPassing(error)) throw new GenerationPostponed(clock.now() + AGAIN, { cause: error });
    throw new GenerationError('invalid_skin_data', `Its texture cannot be fetched: ${error.message}`, {
      cause: error,
    });
  }
}

async function fetchElsewhere(pictures: GuardedAgent, url: string, signal: AbortSignal): Promise<Uint8Array> {
  const { status, bytes } = await fetchGuarded(pictures, {
    url,
    method: 'GET',
    timeout: TIMEOUT,
    answer: 'whole',
    maxBytes: MAX_BYTES,
    maxRedirects: MAX_REDIRECTS,
    signal,
  });
  if (status === 200) return bytes;
  throw new UnreadableAnswerError(`${new URL(url).host} answered ${status}.`, { status });
}

function isExpected(error: unknown): error is SkinsmithError | OutboundError {
  return error instanceof SkinsmithError || error instanceof OutboundError;
}

function isPassing(error: SkinsmithError | OutboundError): boolean {
  if (error instanceof OutboundError) return PASSING.has(error.code);
  return error.isPassing || (error instanceof UnreadableAnswerError && error.status < 300);
}
