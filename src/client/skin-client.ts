import type { z } from 'zod';
import { type Clock, systemClock } from '../clock.ts';
import {
  delayAnswerSchema,
  type KeyDocument,
  keyDocumentSchema,
  type Me,
  meAnswerSchema,
} from '../protocol/account.ts';
import { seenBatchAnswerSchema } from '../protocol/batch.ts';
import { type Cape, seenCapeListAnswerSchema } from '../protocol/cape.ts';
import { type RateLimit, seenEnvelopeSchema } from '../protocol/envelope.ts';
import { MAX_WAIT_SECONDS } from '../protocol/generate.ts';
import {
  isPending,
  type Job,
  seenGenerateAnswerSchema,
  seenJobAnswerSchema,
  seenJobListAnswerSchema,
} from '../protocol/job.ts';
import { type SeenSkin, seenSkinAnswerSchema, seenSkinListAnswerSchema } from '../protocol/skin.ts';
import type { SkinEdit } from '../protocol/skin-edit.ts';
import { AccountClient } from './account-client.ts';
import { JobFailedError, ServiceError } from './errors.ts';
import { readJobEvents } from './job-events.ts';
import { jobState, queuedItem, spoken } from './job-state.ts';
import { type Poll, pollTimes } from './poll-timing.ts';
import { batchSubmission, submission } from './submission.ts';
import { jsonBody, Transport } from './transport.ts';
import type {
  CallOptions,
  GeneratedSkin,
  JobEvent,
  JobState,
  PageQuery,
  QueuedBatch,
  QueueItem,
  SkinClientOptions,
  SkinOptions,
  SkinPage,
  SkinSource,
} from './types.ts';

/**
 * The service, one method per endpoint. Works against the hosted service and against skinsmith's own.
 * Reads are repeated while trouble can pass; a submission only when it certainly was not accepted.
 * @example
 * const client = new SkinClient({ baseUrl: 'https://api.mineskin.org', apiKey });
 * const { skin } = await client.generate({ file: await readFile('skin.png') });
 * console.log(skin.texture.data.value, skin.texture.data.signature);
 */
export class SkinClient {
  /** Keys, users and plans of a skinsmith service. */
  readonly account: AccountClient;
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #pollInterval: number | undefined;

  /** @throws TypeError when `baseUrl` is not an http(s) address */
  constructor(options: SkinClientOptions) {
    this.#transport = new Transport(options);
    this.account = new AccountClient(this.#transport);
    this.#clock = options.clock ?? systemClock;
    this.#pollInterval = options.pollInterval;
  }

  /** The service's root, no slash and no `/v2` at its end. */
  get baseUrl(): string {
    return this.#transport.baseUrl;
  }

  /** Tells callers of one service apart, without the key: a fingerprint of it, or `anonymous`. */
  get caller(): string {
    return this.#transport.caller;
  }

  /**
   * POST /v2/generate: waits on the service until the skin is there. When the service stops waiting
   * but says which job it is, the job is followed to its end.
   */
  async generate(
    source: SkinSource,
    options: SkinOptions = {},
    call: CallOptions = {},
  ): Promise<GeneratedSkin> {
    const request = submission(`/v2/generate?timeout=${MAX_WAIT_SECONDS}`, source, { options, call });
    const timeout = MAX_WAIT_SECONDS * 1000 + this.#transport.timeout;
    try {
      const answer = await this.#transport.request({ ...request, timeout }, seenGenerateAnswerSchema, call);
      return { skin: answer.skin, job: jobIn(answer.links), ...spoken(answer) };
    } catch (error) {
      const id = timedOutJob(error);
      if (id === undefined) throw error;
      return await this.waitForJob({ id, eta: this.#clock.now() }, call);
    }
  }

  /** POST /v2/queue: a job, or at once the skin when it exists already. */
  async queue(source: SkinSource, options: SkinOptions = {}, call: CallOptions = {}): Promise<JobState> {
    const request = submission('/v2/queue', source, { options, call });
    return jobState(await this.#transport.request(request, seenJobAnswerSchema, call));
  }

  /**
   * POST /v2/queue/batch: 1 to 24 submissions at once, for callers with the grant `batch_generation`. What became
   * of each, in their order; one that was refused does not stop the others.
   */
  async queueBatch(items: readonly QueueItem[], call: CallOptions = {}): Promise<QueuedBatch> {
    const schema = seenBatchAnswerSchema.refine(({ batch }) => batch.length === items.length, {
      path: ['batch'],
      message: 'has not one result for each item',
    });
    const answer = await this.#transport.request(batchSubmission(items, call), schema, call);
    return { items: answer.batch.map(queuedItem), ...spoken(answer) };
  }

  /** GET /v2/queue/:jobId. */
  async job(id: string, call: CallOptions = {}): Promise<JobState> {
    return jobState(await this.#get(`/v2/queue/${encodeURIComponent(id)}`, seenJobAnswerSchema, call));
  }

  /** GET /v2/queue: the caller's jobs, newest first. */
  async jobs(call: CallOptions = {}): Promise<readonly Job[]> {
    return (await this.queueList(call)).jobs;
  }

  /** GET /v2/queue, with its links: `events` is there where the service tells of jobs. */
  async queueList(
    call: CallOptions = {},
  ): Promise<{ jobs: readonly Job[]; links: Readonly<Record<string, string>> }> {
    const { jobs, links = {} } = await this.#get('/v2/queue', seenJobListAnswerSchema, call);
    return { jobs, links };
  }

  /**
   * GET /v2/queue/events (skinsmith only): the caller's jobs as they are accepted and end. Opened once: when
   * the stream ends or breaks off, it is the caller's to open it again and to look at the list.
   * @throws like other calls, when it is opened and while it is read
   */
  events(call: CallOptions = {}): AsyncIterable<JobEvent> {
    return readJobEvents(this.#transport.stream('/v2/queue/events', call));
  }

  /**
   * The PNG of a texture, at most 256 KiB, from wherever it is served (`texture.url` of a skin): an absolute
   * http(s) URL. No key goes along; up to three redirects are followed.
   */
  async texture(url: string, call: CallOptions = {}): Promise<Uint8Array> {
    return await this.#transport.texture(url, call);
  }

  /** Follows one job to its end. @throws JobFailedError */
  async waitForJob(job: Pick<Job, 'id' | 'eta'>, call: CallOptions = {}): Promise<GeneratedSkin> {
    const poll: Poll = { eta: job.eta, now: this.#clock.now(), longest: this.#pollInterval };
    for (const pause of pollTimes(poll)) {
      await this.#clock.sleep(pause, call.signal);
      const state = await this.job(job.id, call);
      if (isPending(state.job.status)) continue;
      return { ...state, skin: await this.#skinOf(state, call), job: job.id };
    }
    throw new Error('unreachable: polling has no end of its own');
  }

  /** GET /v2/skins/:uuid. */
  async skin(uuid: string, call: CallOptions = {}): Promise<SeenSkin> {
    return (await this.#get(`/v2/skins/${encodeURIComponent(uuid)}`, seenSkinAnswerSchema, call)).skin;
  }

  /**
   * PATCH /v2/skins/:uuid: another name (`''` or null: none) or visibility for a skin of the caller's.
   * Not every service offers it.
   */
  async editSkin(uuid: string, edit: SkinEdit, call: CallOptions = {}): Promise<SeenSkin> {
    const path = `/v2/skins/${encodeURIComponent(uuid)}`;
    const request = { method: 'PATCH', path, ...jsonBody(edit) } as const;
    return (await this.#transport.request(request, seenSkinAnswerSchema, call)).skin;
  }

  /** DELETE /v2/skins/:uuid: removes a skin of the caller's. Not every service offers it. */
  async deleteSkin(uuid: string, call: CallOptions = {}): Promise<void> {
    const request = { method: 'DELETE', path: `/v2/skins/${encodeURIComponent(uuid)}` } as const;
    await this.#transport.request(request, seenEnvelopeSchema, call);
  }

  /** GET /v2/skins/:uuid/texture: the PNG of a skin's texture, at most 256 KiB, wherever that leads to. */
  async skinTexture(uuid: string, call: CallOptions = {}): Promise<Uint8Array> {
    return await this.#transport.textureBelow(`/v2/skins/${encodeURIComponent(uuid)}/texture`, call);
  }

  /** GET /v2/skins: public skins, newest first. `size`: 1 to 128. */
  async publicSkins(page: PageQuery = {}, call: CallOptions = {}): Promise<SkinPage> {
    return await this.#skinPage('/v2/skins', page, call);
  }

  /** GET /v2/me/skins: the caller's own skins of every visibility. */
  async ownSkins(page: PageQuery = {}, call: CallOptions = {}): Promise<SkinPage> {
    return await this.#skinPage('/v2/me/skins', page, call);
  }

  /** GET /v2/capes: what skins can be made with, for callers with the grant `capes`. */
  async capes(call: CallOptions = {}): Promise<readonly Cape[]> {
    return (await this.#get('/v2/capes', seenCapeListAnswerSchema, call)).capes;
  }

  /** GET /v2/me: who the key belongs to and what it may do. */
  async me(call: CallOptions = {}): Promise<Me> {
    return await this.#get('/v2/me', meAnswerSchema, call);
  }

  /** GET /v2/delay: the rate limit as it stands. */
  async delay(call: CallOptions = {}): Promise<RateLimit> {
    return await this.#get('/v2/delay', delayAnswerSchema, call);
  }

  /** GET /: the key the service signs with, where it has one of its own. */
  async keyDocument(call: CallOptions = {}): Promise<KeyDocument> {
    return await this.#get('/', keyDocumentSchema, call);
  }

  /** Ends streams of events and idle connections, so that the process can exit at once. */
  async close(): Promise<void> {
    await this.#transport.close();
  }

  /** The skin of a job that ended: with its state, or, where the service leaves it out, by its UUID. */
  async #skinOf({ job, skin, errors }: JobState, call: CallOptions): Promise<SeenSkin> {
    if (skin) return skin;
    if (job.status === 'completed' && job.result !== undefined) return await this.skin(job.result, call);
    throw new JobFailedError(job.id, errors);
  }

  async #skinPage(path: string, page: PageQuery, call: CallOptions): Promise<SkinPage> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(page)) if (value !== undefined) query.set(name, String(value));
    const { skins, links } = await this.#get(`${path}?${query}`, seenSkinListAnswerSchema, call);
    const next = links?.['next'] ? new URLSearchParams(links['next'].split('?')[1]).get('after') : null;
    return { skins, next: next ?? undefined };
  }

  async #get<S extends z.ZodType>(path: string, schema: S, call: CallOptions): Promise<z.output<S>> {
    return await this.#transport.request({ method: 'GET', path }, schema, call);
  }
}

function jobIn(links: Readonly<Record<string, string>> | undefined): string | undefined {
  return links?.['job']?.split('/').pop();
}

/** The job that the service stopped waiting for, if that is what the error says. */
function timedOutJob(error: unknown): string | undefined {
  if (!(error instanceof ServiceError) || error.code !== 'generator_timeout') return undefined;
  return jobIn(error.answer.links);
}
