import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import type { ServiceError } from '../../../client/errors.ts';
import { classifyFailure, type Failure } from '../../../client/failure.ts';
import { limitWindows, refusedWait } from '../../../client/rate-limits.ts';
import { DEFAULT_TIMEOUT } from '../../../client/requester.ts';
import type { SkinClient } from '../../../client/skin-client.ts';
import type { Sent } from '../../../client/submission-budget.ts';
import type { JobState } from '../../../client/types.ts';
import { ONE_ATTEMPT } from '../../../dispatch/one-attempt.ts';
import { SETTLES_LATE, settlingTime } from '../../../dispatch/settling-time.ts';
import { isPending } from '../../../protocol/job.ts';
import type { SeenSkin } from '../../../protocol/seen-skin.ts';
import { type ProcessName, workerName } from '../../queue/lease-owner.ts';
import type { Db } from '../../store/db.ts';
import type { UpstreamJobRow } from '../../store/schema/tables.ts';
import { findTexture } from '../../store/textures.ts';
import {
  acceptUpstreamJob,
  beginUpstreamJob,
  dropUpstreamJob,
  endUpstreamRequest,
  findUpstreamJob,
  type UpstreamIntent,
} from '../../store/upstream-jobs.ts';
import { GenerationError, GenerationPostponed, type SkinData, type Texture } from '../port.ts';
import type { Contact, UpstreamFacts } from './contact.ts';
import { failedJob, isAboutRequest } from './failed-jobs.ts';
import type { Gate } from './gate.ts';
import type { Losses } from './losses.ts';
import { proveData } from './proof.ts';
import { isBeingSent, sendingUntil } from './sending.ts';
import type { UpstreamSettings } from './settings.ts';
import type { UpstreamTextures } from './textures.ts';
import type { Watcher } from './watcher.ts';

export interface UpstreamOptions {
  readonly client: SkinClient;
  readonly settings: UpstreamSettings;
  readonly db: Db;
  readonly self: ProcessName;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly watcher: Watcher;
  readonly losses: Losses;
  readonly contact: Contact;
  readonly textures: UpstreamTextures;
}

/** Milliseconds for which a worker keeps a job that waits for the service; after that the job returns to the queue. */
const SHORT = 2_000;
/** The same if all spots are taken by jobs that other processes of this service will come back for. */
const NO_SPOT = 250;
/** The same if another process is sending the submission: after a lost lease, for instance. */
const BEING_SENT = 500;
/** Number of fruitless submissions of one job in a row before it is postponed, and for how long. */
const MOST_ROUNDS = 5;
const LOST_PAUSE = 10_000;
/** The hosted service forgets jobs after this time: an older job is no longer in progress. */
const REMEMBERED = 3 * 3_600_000;

/** Has another service make the skins. Submits each picture once, even if processes are killed or answers are lost. */
export class Upstream {
  readonly #options: UpstreamOptions;
  /** Time limit of a request, in milliseconds. */
  readonly #timeout: number;
  #requests = 0;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#timeout = options.settings.timeout ?? DEFAULT_TIMEOUT;
  }

  /** @throws GenerationError, GenerationPostponed */
  async generate(texture: Texture, signal: AbortSignal): Promise<SkinData> {
    try {
      const facts = await this.#options.contact.facts(signal);
      await this.#options.watcher.firstLook(signal);
      for (let round = 0; round < MOST_ROUNDS; round++) {
        const state = await this.#jobState(texture, facts, signal);
        if (state) return await this.#dataOf(state, texture, facts, signal);
      }
    } catch (error) {
      if (signal.aborted) throw error;
      throw this.#judged(error);
    }
    throw new GenerationPostponed(this.#options.clock.now() + LOST_PAUSE);
  }

  /** The data is stored: drops the record of its job. */
  async settled(identity: string): Promise<void> {
    await dropUpstreamJob(this.#options.db, identity);
  }

  /** The final state of the job that makes the skin, an earlier job if there is one; undefined: it came to nothing. */
  async #jobState(
    texture: Texture,
    facts: UpstreamFacts,
    signal: AbortSignal,
  ): Promise<JobState | undefined> {
    const { db, watcher } = this.#options;
    const row = await findUpstreamJob(db, texture.identity);
    const id = row && (await this.#jobOf(row, texture, signal));
    if (id !== undefined) {
      const state = await watcher.end({ id }, false, signal);
      if (!state) await dropUpstreamJob(db, texture.identity);
      return state;
    }
    const state = await this.#submit(texture, { row, facts }, signal);
    if (!state || !isPending(state.job.status)) return state;
    return await watcher.end(state.job, true, signal);
  }

  /** The job of an earlier submission; undefined if there is none, or if resending will show it. */
  async #jobOf(row: UpstreamJobRow, texture: Texture, signal: AbortSignal): Promise<string | undefined> {
    const { db, watcher, losses, clock, self } = this.#options;
    if (row.job_id !== null) return row.job_id;
    const now = clock.now();
    if (isBeingSent(row, { now, timeout: this.#timeout, self }))
      throw new GenerationPostponed(now + BEING_SENT);
    if (watcher.isSkinsmith) return undefined;
    const id = await losses.find(row, texture, signal);
    if (id !== undefined) await acceptUpstreamJob(db, texture.identity, id);
    return id;
  }

  /** undefined: the answer was lost, or nothing was sent. */
  async #submit(
    texture: Texture,
    { row, facts }: { row: UpstreamJobRow | undefined; facts: UpstreamFacts },
    signal: AbortSignal,
  ): Promise<JobState | undefined> {
    const { client, db, gate, watcher } = this.#options;
    await this.#untilOpen(signal);
    const png = await this.#picture(texture);
    const sent = gate.enter();
    if (!sent) throw gate.postponed();
    const intent = await this.#begin(texture, { row, facts }).catch((error: unknown) => {
      gate.withdraw(sent);
      throw error;
    });
    try {
      const options = { variant: texture.variant, visibility: this.#visibility(texture, facts) };
      const call = { ...ONE_ATTEMPT, signal, idempotencyKey: intent.idempotency_key };
      const state = await this.#counted(sent, client.queue({ file: png }, options, call));
      gate.accepted();
      watcher.took(state.job);
      await acceptUpstreamJob(db, texture.identity, state.job.id);
      return state;
    } catch (error) {
      if (!signal.aborted) return await this.#notTaken(intent, error);
      await this.#ended(intent, SETTLES_LATE); // it may have arrived
      throw error;
    }
  }

  /** The answer to a submission, with what it says of the limits taken note of. */
  async #counted(sent: Sent, answer: Promise<JobState>): Promise<JobState> {
    const { client, gate } = this.#options;
    const now = () => client.serviceClock.earliest();
    try {
      const state = await answer;
      gate.answered(sent, limitWindows(state.rateLimit, now()));
      return state;
    } catch (error) {
      const failure = classifyFailure(error);
      gate.answered(sent, failure?.kind === 'too_fast' ? limitWindows(failure.rateLimit, now()) : []);
      throw error;
    }
  }

  async #untilOpen(signal: AbortSignal): Promise<void> {
    const { gate, clock } = this.#options;
    for (let wait = gate.wait(); wait > 0; wait = gate.wait()) {
      if (wait > SHORT || gate.isDown) throw gate.postponed();
      await clock.sleep(wait, signal);
    }
  }

  async #picture({ hash }: Texture): Promise<Uint8Array> {
    const kept = await findTexture(this.#options.db, hash);
    if (kept) return kept.png;
    throw new Error('The picture of a job is not kept.');
  }

  /** Records the submission about to be sent, and its key. */
  async #begin(
    { identity }: Texture,
    { row, facts }: { row: UpstreamJobRow | undefined; facts: UpstreamFacts },
  ): Promise<UpstreamIntent> {
    const { db, clock, watcher, self } = this.#options;
    const now = clock.now();
    const isAgain = row !== undefined && row.job_id === null;
    const intent = {
      identity,
      idempotency_key: isAgain ? row.idempotency_key : randomUUID(),
      mark: isAgain ? row.mark : watcher.newest,
      submitted_at: now,
      sender: workerName(self, ++this.#requests),
      sending_until: sendingUntil(now, this.#timeout),
    };
    const spots = facts.spots - watcher.others;
    const outcome = await beginUpstreamJob(db, intent, { seen: row, spots, since: now - REMEMBERED });
    if (outcome === 'begun') return intent;
    throw new GenerationPostponed(now + (outcome === 'full' ? NO_SPOT : BEING_SENT));
  }

  /** A request has ended without an answer. */
  async #ended(intent: UpstreamIntent, settlesIn: number): Promise<void> {
    const { db, clock } = this.#options;
    await endUpstreamRequest(db, intent, clock.now() + settlesIn);
  }

  #visibility({ visibility }: Texture, { hasPrivateSkins }: UpstreamFacts): SeenSkin['visibility'] {
    if (visibility === 'private' && hasPrivateSkins) return 'private';
    return this.#options.settings.visibility ?? 'unlisted';
  }

  /** Handles a submission that was not answered with a job. undefined: try again. */
  async #notTaken(intent: UpstreamIntent, error: unknown): Promise<undefined> {
    const { db, gate, watcher } = this.#options;
    const failure = classifyFailure(error);
    if (failure === undefined) throw error;
    if (failure.mayHaveArrived) await this.#ended(intent, settlingTime(error));
    else await dropUpstreamJob(db, intent.identity);
    if (isAboutRequest(failure)) throw refusedJob(error);
    const isClosed = failure.kind === 'unavailable' && !failure.mayHaveArrived;
    if (failure.kind === 'full_queue') gate.full();
    else if (failure.kind === 'too_fast') gate.tooFast(this.#waitAfter(failure));
    else if (failure.kind === 'key_refused') gate.keyRefused(error);
    else if (isClosed) gate.closed(error, failure.retryAfter);
    else gate.trouble(error, failure.retryAfter);
    if (failure.kind !== 'too_fast' && !isClosed) watcher.lookSoon();
    if (failure.status === 429 || failure.kind === 'key_refused' || isClosed) throw gate.postponed(error);
  }

  #waitAfter(failure: Failure): number | undefined {
    return refusedWait(failure, this.#options.client.serviceClock.earliest());
  }

  /** @throws GenerationError if the job failed, or its result does not match the request */
  async #dataOf(
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
      return await this.#options.client.skin(job.result, { signal });
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
    const { server = new URL(this.#options.client.baseUrl).hostname, duration = 0 } = generator;
    return { account, maker: { version, server, worker, duration: Math.max(0, Math.round(duration)) } };
  }

  /** Trouble of the service does not count as a failure of the job. */
  #judged(error: unknown): unknown {
    const { gate } = this.#options;
    const failure = classifyFailure(error);
    if (failure === undefined) return error;
    if (isAboutRequest(failure)) return refusedJob(error);
    if (failure.kind === 'key_refused') gate.keyRefused(error);
    else if (failure.status !== 429) gate.trouble(error, failure.retryAfter);
    return gate.postponed(error);
  }
}

function refusedJob(error: unknown): GenerationError {
  const refusal = error as ServiceError; // no other error is about the request
  return failedJob(refusal.answer.errors, refusal);
}
