import { types } from 'node:util';
import { type Clock, systemClock } from '../base/clock.ts';
import {
  type KeyDocument,
  keyDocumentSchema,
  type Me,
  receivedDelayAnswerSchema,
  receivedMeAnswerSchema,
} from '../protocol/account.ts';
import { type Cape, receivedCapeListAnswerSchema } from '../protocol/cape.ts';
import { type ReceivedRateLimit, receivedEnvelopeSchema } from '../protocol/envelope.ts';
import {
  DATA_URL_PREFIX,
  idempotencyKeySchema,
  MAX_TOTAL_WAIT_SECONDS,
  MAX_WAIT_SECONDS,
  receivedBatchAnswerOf,
} from '../protocol/generate.ts';
import {
  isPending,
  type Job,
  MAX_JOB_PAGE,
  receivedGenerateAnswerSchema,
  receivedJobAnswerSchema,
  receivedJobListAnswerSchema,
} from '../protocol/job.ts';
import type { ReportInput } from '../protocol/moderation.ts';
import {
  MAX_SKIN_PAGE,
  type ReceivedSkin,
  receivedSkinAnswerSchema,
  receivedSkinListAnswerSchema,
  type SkinEdit,
  type SkinListItem,
} from '../protocol/skin.ts';
import { AccountClient } from './account-client.ts';
import {
  allPages,
  at,
  jobAnswer,
  jobIn,
  nextIn,
  notesOf,
  queryOf,
  queuedItem,
  readJobEvents,
  skinPage,
  timedOutJob,
} from './answers.ts';
import { JobFailedError } from './errors.ts';
import { pollTimes } from './rate-limits.ts';
import { type Outgoing, Requester, type ServiceClock } from './requester.ts';
import type { RequestContent } from './transport.ts';
import type {
  CallOptions,
  GeneratedSkin,
  JobAnswer,
  JobEvent,
  JobList,
  JobPage,
  JobPageQuery,
  PageQuery,
  QueuedBatch,
  QueueItem,
  SkinClientOptions,
  SkinDeletion,
  SkinFile,
  SkinOptions,
  SkinPage,
  SkinSource,
} from './types.ts';

/** The request that asks for one skin. @throws TypeError for a file that is not one, or an idempotency key that no header may contain */
async function submission(
  path: string,
  source: SkinSource,
  { options, call }: { options: SkinOptions; call: CallOptions },
): Promise<Outgoing> {
  const headers = idempotencyHeader(call);
  return { method: 'POST', path, content: await contentOf(source, options), headers };
}

/** The job at this path of the service, for a submission that was answered with only a `Location` header. */
function jobAt(path: string): { job: { id: string; status: 'waiting' } } | undefined {
  const [, id] = /\/v2\/queue\/([\w.~-]{1,200})\/?$/.exec(path) ?? [];
  return id === undefined ? undefined : { job: { id, status: 'waiting' } };
}

/** The request that asks for several skins. A batch is JSON, so files become `data:` URLs. @throws TypeError as above */
async function batchSubmission(items: readonly QueueItem[], call: CallOptions): Promise<Outgoing> {
  const headers = idempotencyHeader(call);
  const bodies = items.map(async ({ source, options = {} }) => {
    return { ...fieldsOf(options), ...(await linked(source)) };
  });
  const batch = await Promise.all(bodies);
  return { method: 'POST', path: '/v2/queue/batch', content: { json: { batch } }, headers };
}

async function linked(source: SkinSource): Promise<{ url: string } | { user: string }> {
  if (!('file' in source)) return source;
  return { url: DATA_URL_PREFIX + Buffer.from(await bytesOf(source.file)).toString('base64') };
}

/** Buffers of another realm, as test runners have them, are bytes too, and so are the Blobs of libraries. */
async function bytesOf(file: SkinFile): Promise<Uint8Array> {
  if (types.isUint8Array(file)) return file;
  if (types.isAnyArrayBuffer(file)) return new Uint8Array(file);
  if (typeof (file as Blob | undefined)?.arrayBuffer === 'function')
    return new Uint8Array(await file.arrayBuffer());
  throw new TypeError('file: must be the bytes of a PNG file, as a Uint8Array, an ArrayBuffer or a Blob');
}

function idempotencyHeader({ idempotencyKey }: CallOptions): Record<string, string> {
  if (idempotencyKey === undefined) return {};
  const { error } = idempotencyKeySchema.safeParse(idempotencyKey);
  if (error) throw new TypeError(`idempotencyKey: ${error.issues[0]?.message}`);
  return { 'idempotency-key': idempotencyKey };
}

async function contentOf(source: SkinSource, options: SkinOptions): Promise<RequestContent> {
  const fields = fieldsOf(options);
  if (!('file' in source)) return { json: { ...fields, ...source } };
  const { file, fileName = fileNameOf(file) ?? 'skin.png' } = source;
  return { fields, file: { bytes: await bytesOf(file), fileName } };
}

function fileNameOf(file: SkinFile): string | undefined {
  return file instanceof File ? file.name : undefined;
}

/** Null, as in databases, also counts as no value: a form would turn it into text. */
function fieldsOf(options: SkinOptions): Record<string, string> {
  const entries = Object.entries({ ...options } as Record<string, string | null | undefined>);
  const wanted = entries.filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(wanted) as Record<string, string>;
}

type AllQuery = Omit<PageQuery, 'after'>;

/**
 * The service, one method per endpoint. Works with the hosted service and with skinsmith's own. Retries
 * reads after temporary failures; retries a submission only when it certainly was not accepted. Each call
 * throws a `SkinsmithError` (`ServiceError`, `NetworkError`, `UnreadableAnswerError`, `InsecureHttpError`) in
 * the end, or the reason of its signal when aborted.
 * @example
 * const client = new SkinClient({ baseUrl: 'https://api.mineskin.org', apiKey });
 * const { skin } = await client.generate({ file: await readFile('skin.png') });
 * console.log(skin.texture.data.value, skin.texture.data.signature);
 */
export class SkinClient {
  /** What only a skinsmith service has: keys, users, plans, capes, game accounts, moderation, many skins at once. */
  readonly account: AccountClient;
  readonly #requester: Requester;
  readonly #clock: Clock;
  readonly #pollInterval: number | undefined;

  /**
   * One caller of one service: `new SkinClient({ baseUrl: 'https://api.mineskin.org', apiKey })`. Sends nothing yet. Keep it:
   * its connections, and what it learns of the service's limits, serve all later calls. `close` ends it.
   * @throws TypeError when `baseUrl` is not an http(s) address, or no header may contain the key or the user agent;
   * RangeError for a `timeout` that is not above 0; InsecureHttpError for a key over http to a public IP
   */
  constructor(options: SkinClientOptions) {
    this.#requester = new Requester(options);
    this.account = new AccountClient(this.#requester);
    this.#clock = options.clock ?? systemClock;
    this.#pollInterval = options.pollInterval;
  }

  /** The service's root, no slash and no `/v2` at its end. */
  get baseUrl(): string {
    return this.#requester.baseUrl;
  }

  /** Distinguishes callers of one service without revealing the key: its fingerprint, or `anonymous`. */
  get caller(): string {
    return this.#requester.caller;
  }

  /** The service's clock, as its answers show it; its absolute times are compared with it. */
  get serviceClock(): ServiceClock {
    return this.#requester.serviceClock;
  }

  /**
   * POST /v2/generate: waits on the service until the skin is ready. If the service stops waiting but names
   * the job, the client follows that job to its end.
   */
  async generate(
    source: SkinSource,
    options: SkinOptions = {},
    call: CallOptions = {},
  ): Promise<GeneratedSkin> {
    const request = await submission(`/v2/generate?timeout=${MAX_WAIT_SECONDS}`, source, { options, call });
    const timeout = MAX_TOTAL_WAIT_SECONDS * 1000 + this.#requester.timeout;
    try {
      const patient = { ...request, timeout };
      const answer = await this.#requester.request(patient, receivedGenerateAnswerSchema, call);
      return { skin: answer.skin, job: jobIn(answer.links), ...notesOf(answer) };
    } catch (error) {
      const id = timedOutJob(error);
      if (id === undefined) throw error;
      return await this.waitForJob({ id, eta: this.serviceClock.now() }, call);
    }
  }

  /** POST /v2/queue: creates a job, or returns the skin at once if it already exists. */
  async queue(source: SkinSource, options: SkinOptions = {}, call: CallOptions = {}): Promise<JobAnswer> {
    const submitted = await submission('/v2/queue', source, { options, call });
    const request = { ...submitted, locates: jobAt };
    const sentAt = this.#clock.now();
    const state = jobAnswer(await this.#requester.request(request, receivedJobAnswerSchema, call));
    if (isPending(state.job.status)) this.serviceClock.sawMoment(state.job.timestamp, sentAt);
    return state;
  }

  /**
   * POST /v2/queue/batch: 1 to 24 submissions at once, for callers with the grant `batch_generation`. Returns
   * one result per submission, in order; a refused one does not stop the others.
   */
  async queueBatch(items: readonly QueueItem[], call: CallOptions = {}): Promise<QueuedBatch> {
    const schema = receivedBatchAnswerOf(items.length);
    const answer = await this.#requester.request(await batchSubmission(items, call), schema, call);
    return { items: answer.batch.map(queuedItem), ...notesOf(answer) };
  }

  /** GET /v2/queue/:jobId: the job, and its skin once it is completed. A failed job is an answer, not an error. */
  async job(id: string, call: CallOptions = {}): Promise<JobAnswer> {
    return jobAnswer(await this.#requester.get(at`/v2/queue/${id}`, receivedJobAnswerSchema, call));
  }

  /**
   * POST /v2/queue/:jobId/retry (skinsmith only): submits a failed job again. Returns the new job, or the skin if it
   * exists by now.
   */
  async retryJob(id: string, call: CallOptions = {}): Promise<JobAnswer> {
    const path = at`/v2/queue/${id}/retry`;
    const request = { method: 'POST', path, headers: idempotencyHeader(call) } as const;
    return jobAnswer(await this.#requester.request(request, receivedJobAnswerSchema, call));
  }

  /** GET /v2/queue: one page of the caller's jobs, newest first. */
  async jobPage(page: JobPageQuery = {}, call: CallOptions = {}): Promise<JobPage> {
    const path = `/v2/queue?${queryOf({ size: MAX_JOB_PAGE, ...page })}`;
    const { jobs, links, total } = await this.#requester.get(path, receivedJobListAnswerSchema, call);
    const isWanted = ({ status }: Job) => page.status === undefined || status === page.status;
    return { jobs: jobs.filter(isWanted), next: nextIn(links), ...(total !== undefined && { total }) };
  }

  /** All of the caller's jobs, newest first, read page by page. */
  allJobs(query: Omit<JobPageQuery, 'after'> = {}, call: CallOptions = {}): AsyncGenerator<Job, void, void> {
    const read = async (after: string | undefined) => await this.jobPage({ ...query, after }, call);
    return allPages(read, ({ jobs }) => jobs);
  }

  /** GET /v2/queue: the caller's newest jobs and all pending ones, newest first. */
  async jobs(call: CallOptions = {}): Promise<readonly Job[]> {
    return (await this.queueList(call)).jobs;
  }

  /** GET /v2/queue, with its links: `events` is present if the service offers an event stream. */
  async queueList(call: CallOptions = {}): Promise<JobList> {
    const { jobs, links = {} } = await this.#requester.get('/v2/queue', receivedJobListAnswerSchema, call);
    return { jobs, links };
  }

  /**
   * GET /v2/queue/events (skinsmith only): the caller's jobs as they are accepted and end. Opened once: when
   * the stream ends or breaks off, the caller reopens it and reads the list again.
   * @throws the same errors as other calls, when it is opened and while it is read
   */
  events(call: CallOptions = {}): AsyncIterable<JobEvent> {
    return readJobEvents(this.#requester.stream('/v2/queue/events', call));
  }

  /**
   * The PNG of a texture, at most 256 KiB, from any absolute http(s) URL (`texture.url` of a skin). Sends no
   * key; follows up to three redirects.
   */
  async texture(url: string, call: CallOptions = {}): Promise<Uint8Array> {
    return await this.#requester.texture(url, call);
  }

  /**
   * Polls one job until it has ended: first at its `eta` (milliseconds since the epoch, by the service's clock), but
   * within 3 s; without one after a second; then at pauses that grow up to `pollInterval`.
   * @throws JobFailedError when it ends without a skin
   */
  async waitForJob(job: Pick<Job, 'id' | 'eta'>, call: CallOptions = {}): Promise<GeneratedSkin> {
    const pauses = pollTimes({ eta: job.eta, now: this.serviceClock.now(), longest: this.#pollInterval });
    let state: JobAnswer;
    do {
      await this.#requester.pause(pauses.next().value, call.signal);
      state = await this.job(job.id, call);
    } while (isPending(state.job.status));
    return { ...state, skin: await this.#skinOf(state, call), job: job.id };
  }

  /** GET /v2/skins/:uuid: one skin, with its skin data. Others' private skins are not found. */
  async skin(uuid: string, call: CallOptions = {}): Promise<ReceivedSkin> {
    return (await this.#requester.get(at`/v2/skins/${uuid}`, receivedSkinAnswerSchema, call)).skin;
  }

  /**
   * PATCH /v2/skins/:uuid: changes the name (`''` or null removes it) or visibility of one of the caller's
   * skins. Not every service offers it.
   */
  async editSkin(uuid: string, edit: SkinEdit, call: CallOptions = {}): Promise<ReceivedSkin> {
    return (await this.#requester.send(at`PATCH /v2/skins/${uuid}`, edit, receivedSkinAnswerSchema, call))
      .skin;
  }

  /** DELETE /v2/skins/:uuid: removes one of the caller's skins. Not every service offers it. */
  async deleteSkin(uuid: string, { undress, ...call }: CallOptions & SkinDeletion = {}): Promise<void> {
    await this.#requester.delete(at`/v2/skins/${uuid}${queryOf({ undress: undress || undefined })}`, call);
  }

  /** POST /v2/skins/:uuid/report: reports a skin to the operators of a skinsmith service. */
  async reportSkin(uuid: string, report: ReportInput, call: CallOptions = {}): Promise<void> {
    await this.#requester.send(at`POST /v2/skins/${uuid}/report`, report, receivedEnvelopeSchema, call);
  }

  /** GET /v2/skins/:uuid/texture: the PNG of a skin's texture, at most 256 KiB; follows redirects. */
  async skinTexture(uuid: string, call: CallOptions = {}): Promise<Uint8Array> {
    return await this.#requester.textureBelow(at`/v2/skins/${uuid}/texture`, call);
  }

  /**
   * GET /v2/skins/pack.zip: a resource pack of up to 500 skins of a skinsmith service, by UUIDs or their first eight
   * digits, for Minecraft 1.21.9 and later. Requested when it is read; `game` as `1.21.9..26.1`.
   */
  skinPack(
    ids: readonly string[],
    options: { readonly namespace?: string; readonly game?: string } = {},
    call: CallOptions = {},
  ): AsyncIterable<Uint8Array> {
    const path = `/v2/skins/pack.zip?${queryOf({ ids: ids.join(), ...options })}`;
    return this.#requester.file(path, 'application/zip', call);
  }

  /** GET /v2/skins: one page of the public skins, newest first unless `sort` says otherwise. */
  async publicSkins(page: PageQuery = {}, call: CallOptions = {}): Promise<SkinPage> {
    return await this.#skinPage('/v2/skins', page, call);
  }

  /** GET /v2/me/skins: one page of the caller's own skins of every visibility, newest first. */
  async ownSkins(page: PageQuery = {}, call: CallOptions = {}): Promise<SkinPage> {
    return await this.#skinPage('/v2/me/skins', page, call);
  }

  /** All of the caller's own skins, newest first, read page by page. */
  allOwnSkins(query: AllQuery = {}, call: CallOptions = {}): AsyncGenerator<SkinListItem, void, void> {
    return this.#allSkins('/v2/me/skins', query, call);
  }

  /** All public skins, newest first unless `sort` says otherwise, read page by page. */
  allPublicSkins(query: AllQuery = {}, call: CallOptions = {}): AsyncGenerator<SkinListItem, void, void> {
    return this.#allSkins('/v2/skins', query, call);
  }

  /** GET /v2/capes: the capes available for skins, for callers with the grant `capes`. */
  async capes(call: CallOptions = {}): Promise<readonly Cape[]> {
    return (await this.#requester.get('/v2/capes', receivedCapeListAnswerSchema, call)).capes;
  }

  /** GET /v2/me: who the key belongs to and what it may do. */
  async me(call: CallOptions = {}): Promise<Me> {
    return await this.#requester.get('/v2/me', receivedMeAnswerSchema, call);
  }

  /** GET /v2/delay: the current rate limit. */
  async delay(call: CallOptions = {}): Promise<ReceivedRateLimit> {
    const answer = await this.#requester.get('/v2/delay', receivedDelayAnswerSchema, call);
    const { rateLimit, success: _, ...top } = answer;
    return rateLimit ?? top;
  }

  /** GET /: the service's own signing key, if it has one. */
  async keyDocument(call: CallOptions = {}): Promise<KeyDocument> {
    return await this.#requester.get('/', keyDocumentSchema, call);
  }

  /** Ends event streams, pauses and idle connections, so that the process can exit at once. Later calls throw a `NetworkError`. */
  async close(): Promise<void> {
    await this.#requester.close();
  }

  /** The skin of a finished job: from its state or, if the service leaves it out, by its UUID. */
  async #skinOf({ job, skin, errors }: JobAnswer, call: CallOptions): Promise<ReceivedSkin> {
    if (skin) return skin;
    if (job.status === 'completed' && job.result !== undefined) return await this.skin(job.result, call);
    throw new JobFailedError(job.id, errors);
  }

  #allSkins(list: string, query: AllQuery, call: CallOptions): AsyncGenerator<SkinListItem, void, void> {
    const wanted = { size: MAX_SKIN_PAGE, ...query };
    const read = async (after: string | undefined) => await this.#skinPage(list, { ...wanted, after }, call);
    return allPages(read, ({ skins }) => skins);
  }

  async #skinPage(list: string, page: PageQuery, call: CallOptions): Promise<SkinPage> {
    const path = `${list}?${queryOf(page)}`;
    return skinPage(path, await this.#requester.get(path, receivedSkinListAnswerSchema, call));
  }
}
