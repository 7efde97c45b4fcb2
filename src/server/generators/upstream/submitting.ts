import { randomUUID } from 'node:crypto';
import { classifyFailure } from '../../../client/errors.ts';
import type { CountedSubmission } from '../../../client/rate-limits.ts';
import { DEFAULT_TIMEOUT } from '../../../client/requester.ts';
import type { JobAnswer } from '../../../client/types.ts';
import { lossPause } from '../../../dispatch/outage.ts';
import { SETTLES_LATE, settlingTime } from '../../../dispatch/service-facts.ts';
import type { Session } from '../../../dispatch/session.ts';
import type { SubmissionMark } from '../../../dispatch/submitter.ts';
import type { ReceivedSkin } from '../../../protocol/skin.ts';
import { type Holders, type NodeName, workerName } from '../../queue/leases.ts';
import type { Db } from '../../store/db.ts';
import type { UpstreamJobRow } from '../../store/schema/tables.ts';
import { findTexture } from '../../store/textures.ts';
import {
  beginUpstreamJob,
  deleteUpstreamJob,
  endUpstreamRequest,
  type UpstreamIntent,
} from '../../store/upstream-jobs.ts';
import { GenerationPostponed, type Texture } from '../port.ts';
import type { Availability, UpstreamFacts, UpstreamSettings } from './contact.ts';
import type { StoredJobs, UpstreamJobs, UpstreamWork } from './jobs.ts';
import { isAboutRequest, refusedJob } from './results.ts';

export interface SubmittingOptions {
  readonly session: Session<UpstreamWork>;
  readonly settings: UpstreamSettings;
  readonly db: Db;
  readonly self: NodeName;
  readonly holders: Holders;
  readonly availability: Availability;
  readonly others: StoredJobs;
  readonly jobs: UpstreamJobs;
}

/** What is known before a submission. `row`: the record of an earlier one, if there is one. */
export interface PreviousAttempt {
  readonly row: UpstreamJobRow | undefined;
  readonly facts: UpstreamFacts;
}

/** The service has accepted it, or the answer was lost: the job may exist, or it may be sent again. */
export type UpstreamSubmission = { readonly state: JobAnswer | undefined; readonly sent: SubmissionMark };

/** Milliseconds for which a worker keeps a job that waits for the service; after that the job returns to the queue. */
const SHORT = 2_000;
/** The same if all slots are taken by jobs that other nodes of this service will come back for. */
const NO_SLOT = 250;
/** The same if another node is sending the submission: after a lost lease, for instance. */
const BEING_SENT = 500;
/** The hosted service forgets jobs after this time: an older job is no longer in progress. */
const REMEMBERED = 3 * 3_600_000;

/** Submits pictures, each one recorded in the store before it is sent. */
export class Submitting {
  readonly #options: SubmittingOptions;
  /** Time limit of a request, in milliseconds. */
  readonly #timeout: number;
  #requests = 0;
  #inFlight = 0;

  constructor(options: SubmittingOptions) {
    this.#options = options;
    this.#timeout = options.settings.timeout ?? DEFAULT_TIMEOUT;
  }

  /** @throws GenerationPostponed if another node may be sending it right now */
  async verifyNotBeingSent(row: UpstreamJobRow): Promise<void> {
    const { session, db, holders } = this.#options;
    const gone = await holders.gone(db, row.sender === null ? [] : [row.sender]);
    const now = session.clock.now();
    if (isBeingSent(row, { now, timeout: this.#timeout, gone }))
      throw new GenerationPostponed(now + BEING_SENT);
  }

  /** @throws GenerationPostponed, GenerationError; the signal's reason when aborted */
  async submit(
    work: UpstreamWork,
    before: PreviousAttempt,
    signal: AbortSignal,
  ): Promise<UpstreamSubmission> {
    await this.#untilOpen(signal);
    const file = await this.#picture(work.texture);
    const reserved = this.#reserve();
    try {
      return await this.#send(work, { ...before, file, reserved }, signal);
    } finally {
      this.#inFlight--;
    }
  }

  /** Reserves a place in the pace and in the burst before anything is awaited. @throws GenerationPostponed if there is none */
  #reserve(): CountedSubmission {
    const { session, availability } = this.#options;
    const now = session.now();
    const isOpen = availability.wait() === 0 && session.pace.left(now) > 0;
    if (!isOpen || this.#inFlight >= session.burst) throw availability.postponed();
    this.#inFlight++;
    return session.pace.sent(now);
  }

  async #send(
    work: UpstreamWork,
    {
      row,
      facts,
      file,
      reserved,
    }: PreviousAttempt & { readonly file: Uint8Array; readonly reserved: CountedSubmission },
    signal: AbortSignal,
  ): Promise<UpstreamSubmission> {
    const { session, availability } = this.#options;
    const { variant } = work.texture;
    const intent = await this.#begin(work.texture, { row, facts }).catch((error: unknown) => {
      session.pace.withdrawn(reserved);
      throw error;
    });
    work.idempotencyKey = intent.idempotency_key;
    session.slots.unsure.add(work);
    const sent = { at: session.now(), mark: intent.mark };
    const request = {
      source: { file },
      options: { variant, visibility: this.#visibility(work.texture, facts) },
    };
    try {
      const state = await session.post(work, request, signal, reserved);
      availability.accepted();
      return { state, sent };
    } catch (error) {
      session.slots.unsure.delete(work);
      if (!signal.aborted) await this.#notAccepted(work, intent, { error, signal });
      else await this.#ended(intent, SETTLES_LATE); // it may have arrived
      signal.throwIfAborted();
      return { state: undefined, sent };
    }
  }

  async #untilOpen(signal: AbortSignal): Promise<void> {
    const { availability, session } = this.#options;
    session.tellLimit();
    for (let wait = availability.wait(); wait > 0; wait = availability.wait()) {
      if (wait > SHORT || availability.isDown) throw availability.postponed();
      await session.clock.sleep(wait, signal);
    }
  }

  async #picture({ hash }: Texture): Promise<Uint8Array> {
    const kept = await findTexture(this.#options.db, hash);
    if (kept) return kept.png;
    throw new Error("A job's picture is missing.");
  }

  /** Records the submission about to be sent, and its key. */
  async #begin({ identity }: Texture, { row, facts }: PreviousAttempt): Promise<UpstreamIntent> {
    const { db, session, others, self } = this.#options;
    const now = session.clock.now();
    const isAgain = row !== undefined && row.job_id === null;
    const intent = {
      identity,
      idempotency_key: isAgain ? row.idempotency_key : randomUUID(),
      mark: isAgain ? row.mark : session.newestJobTime,
      submitted_at: now,
      sender: workerName(self, ++this.#requests),
      sending_until: sendingUntil(now, this.#timeout),
    };
    const limit = Math.min(facts.slots, session.slotLimit.at(session.now()));
    const room = { seen: row, slots: limit - others.foreignJobs, since: now - REMEMBERED };
    const outcome = await beginUpstreamJob(db, intent, room);
    if (outcome === 'begun') return intent;
    throw new GenerationPostponed(now + (outcome === 'full' ? NO_SLOT : BEING_SENT));
  }

  /** A request has ended without an answer. */
  async #ended(intent: UpstreamIntent, settlesIn: number): Promise<void> {
    const { db, session } = this.#options;
    await endUpstreamRequest(db, intent, session.clock.now() + settlesIn);
  }

  #visibility({ visibility }: Texture, { hasPrivateSkins }: UpstreamFacts): ReceivedSkin['visibility'] {
    if (visibility === 'private' && hasPrivateSkins) return 'private';
    return this.#options.settings.visibility ?? 'unlisted';
  }

  /** Handles a submission that was not answered with a job; returns if it may be sent again. */
  async #notAccepted(work: UpstreamWork, intent: UpstreamIntent, { error, signal }: Failed): Promise<void> {
    const { db, session, availability } = this.#options;
    const failure = classifyFailure(error);
    if (failure === undefined) throw error;
    if (failure.mayHaveArrived) {
      await this.#ended(intent, settlingTime(error));
      return await this.#lost(work, { error, signal });
    }
    await deleteUpstreamJob(db, intent.identity);
    if (isAboutRequest(failure)) throw refusedJob(error);
    if (failure.kind === 'full_queue') await this.#wasFull();
    else if (failure.kind === 'key_refused') availability.keyRefused(error);
    else if (failure.kind === 'unavailable') session.intake.failed(error);
    else if (failure.kind !== 'too_fast') return this.#unreachable(error); // the pace handles that one
    throw availability.postponed(error);
  }

  /** The service recognizes a repetition, or its list shows the outcome. */
  async #lost(work: UpstreamWork, { error, signal }: Failed): Promise<void> {
    const { session } = this.#options;
    work.losses++;
    if (session.isSkinsmith) await session.outage.pause(error, signal);
    await session.clock.sleep(lossPause(work.losses, session.random()), signal);
  }

  /** Another program was faster. The next list shows how many slots there are. */
  async #wasFull(): Promise<void> {
    const { session, availability, others, jobs } = this.#options;
    await others.catchUp();
    session.slotLimit.refused(others.pending, session.now());
    availability.full();
    jobs.lookSoon();
  }

  #unreachable(error: unknown): void {
    const { session, jobs } = this.#options;
    session.outage.failed(error);
    jobs.lookSoon();
  }
}

interface Failed {
  readonly error: unknown;
  readonly signal: AbortSignal;
}

type SendingTimes = Pick<UpstreamJobRow, 'sender' | 'sending_until' | 'settles_at'>;

/** Milliseconds after its time limit by which a request has certainly ended, however busy its process is. */
const GRACE = 1_000;

/** The time until which a request counts as in progress if it starts now and may take `timeout` milliseconds. */
export function sendingUntil(now: number, timeout: number): number {
  return now + timeout + GRACE;
}

/**
 * Whether a process may be sending it right now, so that it must neither be resent nor considered lost. `timeout`: time
 * limit of a request; a sender that claims a longer time had a different clock. `gone`: senders that are gone.
 */
export function isBeingSent(
  { sender, sending_until: until, settles_at }: SendingTimes,
  { now, timeout, gone }: { now: number; timeout: number; gone: ReadonlySet<string> },
): boolean {
  if (settles_at !== null || sender === null || gone.has(sender)) return false;
  return now <= until && until <= sendingUntil(now, timeout);
}

/** Milliseconds from now until its job is listed, if it arrived. A sender that is gone may have sent it just now. */
export function settlesIn({ settles_at }: SendingTimes, now: number): number {
  return settles_at === null ? SETTLES_LATE : Math.min(SETTLES_LATE, Math.max(0, settles_at - now));
}
