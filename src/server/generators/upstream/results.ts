import type { Clock } from '../../../base/clock.ts';
import type { Proxies } from '../../../base/proxies.ts';
import { VERSION } from '../../../base/version.ts';
import {
  classifyFailure,
  type Failure,
  NetworkError,
  type ServiceError,
  type SkinsmithError,
  UnreadableAnswerError,
} from '../../../client/errors.ts';
import { type Download, download, fetchTexture } from '../../../client/http.ts';
import type { SkinClient } from '../../../client/skin-client.ts';
import { NetworkTransport, type RequestDispatcher } from '../../../client/transport.ts';
import type { JobAnswer } from '../../../client/types.ts';
import {
  ProofError,
  type ProofMeans,
  pixelsOf,
  proveSkin,
  readTextures,
  TextureReader,
} from '../../../dispatch/proof.ts';
import type { Session } from '../../../dispatch/session.ts';
import type { Note } from '../../../protocol/envelope.ts';
import { type ErrorCode, isErrorCode, TEMPORARY_ERRORS } from '../../../protocol/errors.ts';
import type { ReceivedSkin } from '../../../protocol/skin.ts';
import type { SkinData } from '../../../textures/property.ts';
import { fetchGuarded, type GuardedAgent } from '../../outbound/guarded-agent.ts';
import { OutboundError, type OutboundFault } from '../../outbound/target.ts';
import type { Db } from '../../store/db.ts';
import { deleteUpstreamJob } from '../../store/upstream-jobs.ts';
import { GenerationError, GenerationPostponed, type SignedSkin, type Texture } from '../port.ts';
import type { Contact, UpstreamFacts } from './contact.ts';
import type { UpstreamWork } from './jobs.ts';

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

export interface ResultsOptions {
  readonly session: Pick<Session<UpstreamWork>, 'client'>;
  readonly db: Db;
  readonly contact: Contact;
  readonly textures: UpstreamTextures;
}

/** Turns ended jobs into proved skin data. */
export class Results {
  readonly #options: ResultsOptions;

  constructor(options: ResultsOptions) {
    this.#options = options;
  }

  /** @throws GenerationError if the job failed, or its result does not match the request */
  async dataOf(
    state: JobAnswer,
    texture: Texture,
    facts: UpstreamFacts,
    signal: AbortSignal,
  ): Promise<SignedSkin> {
    try {
      const skin = await this.#skinOf(state, signal);
      const { value, signature } = skin.texture.data;
      const url = await this.#prove({ value, signature }, texture, facts, signal);
      return { value, signature, url, cape_url: null, ...this.#makerOf(skin) };
    } catch (error) {
      // The next attempt must get a job of its own.
      if (error instanceof GenerationError) await deleteUpstreamJob(this.#options.db, texture.identity);
      throw error;
    }
  }

  async #skinOf({ job, skin, errors }: JobAnswer, signal: AbortSignal): Promise<ReceivedSkin> {
    if (skin) return skin;
    if (job.status === 'completed' && job.result !== undefined)
      return await this.#options.session.client.skin(job.result, { signal });
    throw failedJob(errors);
  }

  async #prove(
    data: SkinData,
    texture: Texture,
    { publicKey }: UpstreamFacts,
    signal: AbortSignal,
  ): Promise<string> {
    const { contact, textures } = this.#options;
    return await proveData(data, texture, {
      publicKey,
      freshKey: async () => await contact.freshKey(signal),
      texture: async (url) => await textures.read(url, signal),
    });
  }

  /** Services may omit any detail about who made a skin. */
  #makerOf({ generator = {} }: ReceivedSkin): Pick<SignedSkin, 'account' | 'maker'> {
    const { account = 'unknown', version: generator_version = 'unknown', worker = '' } = generator;
    const { server = new URL(this.#options.session.client.baseUrl).hostname, duration = 0 } = generator;
    const made = { generator_version, server, worker, duration: Math.max(0, Math.round(duration)) };
    return { account, maker: made };
  }
}

/**
 * Whether the failure is about the request itself, so that the same picture would always be refused. Any other failure
 * is about the service, its address or a proxy in front of it, and does not fail a job.
 */
export function isAboutRequest({ kind }: Failure): boolean {
  return kind === 'invalid' || kind === 'not_allowed';
}

/** Failures caused by the picture, which its owner should see unchanged. */
const OF_THE_PICTURE = new Set<ErrorCode>(['invalid_image', 'invalid_file']);
const MAX_MESSAGE_LENGTH = 300;

/** Turns a job that failed or was refused upstream into a failure of this service. */
export function failedJob([first]: readonly Note[], cause?: SkinsmithError): GenerationError {
  const { code = '', message = '' } = first ?? {};
  const isTold = isErrorCode(code) && (OF_THE_PICTURE.has(code) || TEMPORARY_ERRORS.has(code));
  const said = message.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ').slice(0, MAX_MESSAGE_LENGTH);
  return new GenerationError(isTold ? code : 'job_failed', said || 'The job failed.', { cause });
}

/** A submission that was refused because of its content: no other error is about the request. */
export function refusedJob(error: unknown): GenerationError {
  const refusal = error as ServiceError;
  return failedJob(refusal.answer.errors, refusal);
}

/**
 * The address of the texture in skin data, after proving that the data is what was requested.
 * @throws GenerationError `invalid_skin_data`; what reading the texture or the key throws
 */
export async function proveData(
  data: SkinData,
  { hash, variant }: Texture,
  means: Pick<ProofMeans, 'publicKey' | 'freshKey' | 'texture'>,
): Promise<string> {
  try {
    await proveSkin(data, { pixels: hash, variant }, means);
    return readTextures(data.value).skin.url;
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    if (error.code === 'unverified') throw error.cause; // why the texture could not be read
    const message = `The service that makes the skins returned invalid skin data: ${error.message}`;
    throw new GenerationError('invalid_skin_data', message, { cause: error });
  }
}

/** The pixel hash of a picture; undefined if it is not one of a skin. */
export function pixelsIn(png: Uint8Array): string | undefined {
  try {
    return pixelsOf(png);
  } catch (error) {
    if (error instanceof ProofError) return undefined;
    throw error;
  }
}
