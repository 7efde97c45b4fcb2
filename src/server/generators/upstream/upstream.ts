import { randomUUID } from 'node:crypto';
import type { SkinClient } from '../../../client/skin-client.ts';
import type { JobState } from '../../../client/types.ts';
import type { Clock } from '../../../clock.ts';
import { isPending } from '../../../protocol/job.ts';
import type { SeenSkin } from '../../../protocol/skin.ts';
import type { Db } from '../../store/store.ts';
import type { UpstreamJobRow } from '../../store/tables.ts';
import { findTexture } from '../../store/textures.ts';
import {
  acceptUpstreamJob,
  beginUpstreamJob,
  dropUpstreamJob,
  findUpstreamJob,
} from '../../store/upstream-jobs.ts';
import { GenerationError, GenerationPostponed, type SkinData, type Texture } from '../port.ts';
import type { Contact } from './contact.ts';
import type { Facts } from './facts.ts';
import { failureOf, faultOf } from './faults.ts';
import type { Gate } from './gate.ts';
import type { Losses } from './losses.ts';
import { ONE_ATTEMPT } from './one-attempt.ts';
import { proveSkin } from './proof.ts';
import type { UpstreamSettings } from './settings.ts';
import type { Watcher } from './watcher.ts';

export interface UpstreamOptions {
  readonly client: SkinClient;
  readonly settings: UpstreamSettings;
  readonly db: Db;
  readonly clock: Clock;
  readonly gate: Gate;
  readonly watcher: Watcher;
  readonly losses: Losses;
  readonly contact: Contact;
  /** The PNG of a texture. */
  readonly fetch: (url: string, signal: AbortSignal) => Promise<Uint8Array>;
}

/** Milliseconds for which a worker keeps a job that waits for the service; past it the job goes back. */
const SHORT = 2_000;
/** The same when all spots are taken by jobs that others of our processes will come back for. */
const NO_SPOT = 250;
/** Submissions of one job in a row that came to nothing, before it is put off, and for how long. */
const MOST_ROUNDS = 5;
const LOST_PAUSE = 10_000;
/** The hosted service forgets jobs after that: whatever is older is not under way any more. */
const REMEMBERED = 3 * 3_600_000;

/** Has skins made by another service, each picture submitted once, whatever is killed or lost on the way. */
export class Upstream {
  readonly #options: UpstreamOptions;

  constructor(options: UpstreamOptions) {
    this.#options = options;
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

  /** The data is stored: its job is not needed any more. */
  async settled(identity: string): Promise<void> {
    await dropUpstreamJob(this.#options.db, identity);
  }

  /** The end of the job that makes it, an earlier one if there is one; undefined: it came to nothing. */
  async #jobState(texture: Texture, facts: Facts, signal: AbortSignal): Promise<JobState | undefined> {
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

  /** Which job an earlier submission became; undefined: none, or it is found out by sending it again. */
  async #jobOf(row: UpstreamJobRow, texture: Texture, signal: AbortSignal): Promise<string | undefined> {
    const { db, watcher, losses } = this.#options;
    if (row.job_id !== null) return row.job_id;
    if (watcher.isSkinsmith) return undefined;
    const id = await losses.find(row, texture, signal);
    if (id !== undefined) await acceptUpstreamJob(db, texture.identity, id);
    return id;
  }

  /** undefined: the answer was lost, or nothing was sent. */
  async #submit(
    texture: Texture,
    { row, facts }: { row: UpstreamJobRow | undefined; facts: Facts },
    signal: AbortSignal,
  ): Promise<JobState | undefined> {
    const { client, db, gate, watcher } = this.#options;
    await this.#untilOpen(signal);
    const png = await this.#picture(texture);
    const idempotencyKey = await this.#begin(texture, { row, facts });
    try {
      const options = { variant: texture.variant, visibility: this.#visibility(texture, facts) };
      const call = { ...ONE_ATTEMPT, signal, idempotencyKey };
      const state = await client.queue({ file: png }, options, call);
      gate.accepted(state.rateLimit);
      watcher.took(state.job);
      await acceptUpstreamJob(db, texture.identity, state.job.id);
      return state;
    } catch (error) {
      if (signal.aborted) throw error; // it may have arrived, and that is written down
      return await this.#notTaken(texture, error);
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

  /** Writes down what is about to be sent, and under which key. */
  async #begin(
    { identity }: Texture,
    { row, facts }: { row: UpstreamJobRow | undefined; facts: Facts },
  ): Promise<string> {
    const { db, clock, watcher } = this.#options;
    const now = clock.now();
    const isAgain = row !== undefined && row.job_id === null;
    const idempotency_key = isAgain ? row.idempotency_key : randomUUID();
    const intent = { identity, idempotency_key, mark: watcher.newest, submitted_at: now };
    const spots = facts.spots - watcher.others;
    if (await beginUpstreamJob(db, intent, { spots, since: now - REMEMBERED })) return idempotency_key;
    throw new GenerationPostponed(now + NO_SPOT);
  }

  #visibility({ visibility }: Texture, { hasPrivateSkins }: Facts): SeenSkin['visibility'] {
    if (visibility === 'private' && hasPrivateSkins) return 'private';
    return this.#options.settings.visibility ?? 'unlisted';
  }

  /** What follows from a submission that was not answered with a job. undefined: try again. */
  async #notTaken({ identity }: Texture, error: unknown): Promise<undefined> {
    const { db, gate, watcher, clock } = this.#options;
    const fault = faultOf(error, clock.now());
    if (fault === undefined) throw error;
    if (fault.kind !== 'trouble' || !fault.mayHaveArrived) await dropUpstreamJob(db, identity);
    if (fault.kind === 'refused') throw failureOf(fault.error.answer.errors, fault.error);
    if (fault.kind === 'full') gate.full();
    else if (fault.kind === 'too_fast') gate.tooFast(fault.wait);
    else if (fault.kind === 'key_refused') gate.keyRefused(error);
    else gate.trouble(error, fault.wait);
    if (fault.kind !== 'too_fast') watcher.lookSoon();
    if (fault.kind !== 'trouble') throw gate.postponed(error);
  }

  /** @throws GenerationError when the job failed, or what it made is not what was asked for */
  async #dataOf(state: JobState, texture: Texture, facts: Facts, signal: AbortSignal): Promise<SkinData> {
    try {
      const skin = await this.#skinOf(state, signal);
      const { value, signature } = skin.texture.data;
      const url = await this.#prove({ value, signature }, texture, facts, signal);
      return { value, signature, url, ...this.#makerOf(skin) };
    } catch (error) {
      // The next attempt is to have a job of its own.
      if (error instanceof GenerationError) await dropUpstreamJob(this.#options.db, texture.identity);
      throw error;
    }
  }

  async #skinOf({ job, skin, errors }: JobState, signal: AbortSignal): Promise<SeenSkin> {
    if (skin) return skin;
    if (job.status === 'completed' && job.result !== undefined)
      return await this.#options.client.skin(job.result, { signal });
    throw failureOf(errors);
  }

  async #prove(
    data: Pick<SkinData, 'value' | 'signature'>,
    texture: Texture,
    { publicKey }: Facts,
    signal: AbortSignal,
  ): Promise<string> {
    const { contact, fetch } = this.#options;
    return await proveSkin(data, texture, {
      publicKey,
      freshKey: async () => await contact.freshKey(signal),
      fetch: async (url) => await fetch(url, signal),
    });
  }

  /** Services leave out what they like of who made a skin. */
  #makerOf({ generator = {} }: SeenSkin): Pick<SkinData, 'account' | 'maker'> {
    const { account = 'unknown', version = 'unknown', worker = '' } = generator;
    const { server = new URL(this.#options.client.baseUrl).hostname, duration = 0 } = generator;
    return { account, maker: { version, server, worker, duration: Math.max(0, Math.round(duration)) } };
  }

  /** Trouble of the service is no failure of the job. */
  #judged(error: unknown): unknown {
    const { gate, clock } = this.#options;
    const fault = faultOf(error, clock.now());
    if (fault === undefined) return error;
    if (fault.kind === 'refused') return failureOf(fault.error.answer.errors, fault.error);
    if (fault.kind === 'key_refused') gate.keyRefused(error);
    else if (fault.kind === 'trouble') gate.trouble(error, fault.wait);
    return gate.postponed(error);
  }
}
