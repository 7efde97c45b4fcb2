import type { Failure, ServiceError, SkinsmithError } from '../../../client/errors.ts';
import type { JobAnswer } from '../../../client/types.ts';
import { ProofError, type ProofMeans, pixelsOf, proveSkin, readTextures } from '../../../dispatch/proof.ts';
import type { Session } from '../../../dispatch/session.ts';
import type { Note } from '../../../protocol/envelope.ts';
import { type ErrorCode, isErrorCode, TEMPORARY_ERRORS } from '../../../protocol/errors.ts';
import type { ReceivedSkin } from '../../../protocol/received-skin.ts';
import type { Db } from '../../store/db.ts';
import { deleteUpstreamJob } from '../../store/upstream-jobs.ts';
import { GenerationError, type SignedSkin, type Texture } from '../port.ts';
import type { Contact, UpstreamFacts } from './contact.ts';
import type { UpstreamWork } from './jobs.ts';
import type { UpstreamTextures } from './textures.ts';

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
      return { value, signature, url, ...this.#makerOf(skin) };
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
    data: Pick<SignedSkin, 'value' | 'signature'>,
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
    const { account = 'unknown', version = 'unknown', worker = '' } = generator;
    const { server = new URL(this.#options.session.client.baseUrl).hostname, duration = 0 } = generator;
    return { account, maker: { version, server, worker, duration: Math.max(0, Math.round(duration)) } };
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
  data: Pick<SignedSkin, 'value' | 'signature'>,
  { hash, variant }: Texture,
  means: Pick<ProofMeans, 'publicKey' | 'freshKey' | 'texture'>,
): Promise<string> {
  return await asGenerationError(async () => {
    await proveSkin(data, { pixels: hash, variant }, means);
    return readTextures(data.value).skin.url;
  });
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

async function asGenerationError<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    if (error.code === 'unproven') throw error.cause; // why the texture could not be read
    const message = `The service that makes the skins returned invalid skin data: ${error.message}`;
    throw new GenerationError('invalid_skin_data', message, { cause: error });
  }
}
