import type { JobState } from '../../../client/types.ts';
import type { Session } from '../../../dispatch/session.ts';
import type { SeenSkin } from '../../../protocol/seen-skin.ts';
import type { Db } from '../../store/db.ts';
import { dropUpstreamJob } from '../../store/upstream-jobs.ts';
import { GenerationError, type SkinData, type Texture } from '../port.ts';
import type { Contact, UpstreamFacts } from './contact.ts';
import { failedJob } from './failed-jobs.ts';
import { proveData } from './proof.ts';
import type { UpstreamTextures } from './textures.ts';
import type { UpstreamWork } from './upstream-work.ts';

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
    state: JobState,
    texture: Texture,
    facts: UpstreamFacts,
    signal: AbortSignal,
  ): Promise<SkinData> {
    try {
      const skin = await this.#skinOf(state, signal);
      const { value, signature } = skin.texture.data;
      const url = await this.#prove({ value, signature }, texture, facts, signal);
      return { value, signature, url, ...this.#makerOf(skin) };
    } catch (error) {
      // The next attempt must get a job of its own.
      if (error instanceof GenerationError) await dropUpstreamJob(this.#options.db, texture.identity);
      throw error;
    }
  }

  async #skinOf({ job, skin, errors }: JobState, signal: AbortSignal): Promise<SeenSkin> {
    if (skin) return skin;
    if (job.status === 'completed' && job.result !== undefined)
      return await this.#options.session.client.skin(job.result, { signal });
    throw failedJob(errors);
  }

  async #prove(
    data: Pick<SkinData, 'value' | 'signature'>,
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

  /** Services omit whatever they like about who made a skin. */
  #makerOf({ generator = {} }: SeenSkin): Pick<SkinData, 'account' | 'maker'> {
    const { account = 'unknown', version = 'unknown', worker = '' } = generator;
    const { server = new URL(this.#options.session.client.baseUrl).hostname, duration = 0 } = generator;
    return { account, maker: { version, server, worker, duration: Math.max(0, Math.round(duration)) } };
  }
}
