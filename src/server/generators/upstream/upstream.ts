import { classifyFailure, type FailureKind } from '../../../client/errors.ts';
import type { SkinClient } from '../../../client/skin-client.ts';
import type { JobAnswer } from '../../../client/types.ts';
import type { Session } from '../../../dispatch/session.ts';
import type { SubmissionMark } from '../../../dispatch/submitter.ts';
import { finding, type HealthFinding } from '../../../protocol/service.ts';
import type { Db } from '../../store/db.ts';
import type { UpstreamJobRow } from '../../store/schema/tables.ts';
import { acceptUpstreamJob, deleteUpstreamJob, findUpstreamJob } from '../../store/upstream-jobs.ts';
import { GenerationPostponed, type SignedSkin, type Texture } from '../port.ts';
import {
  type Availability,
  type Contact,
  readUpstreamFacts,
  type UpstreamFacts,
  type UpstreamSettings,
} from './contact.ts';
import { type StoredJobs, type UpstreamJobs, type UpstreamWork, workFor } from './jobs.ts';
import { isAboutRequest, type Results, refusedJob } from './results.ts';
import { type Submitting, settlesIn, type UpstreamSubmission } from './submitting.ts';

export interface UpstreamOptions {
  readonly session: Session<UpstreamWork>;
  readonly db: Db;
  readonly availability: Availability;
  readonly contact: Contact;
  readonly jobs: UpstreamJobs;
  readonly submitting: Submitting;
  readonly results: Results;
}

/** Consecutive failed submissions of a job before it is postponed, and for how long. */
const MAX_ROUNDS = 5;
const LOST_PAUSE = 10_000;

/** Has another service make the skins. Submits each picture once, even if processes are killed or answers are lost. */
export class Upstream {
  readonly #options: UpstreamOptions;

  constructor(options: UpstreamOptions) {
    this.#options = options;
  }

  /** @throws GenerationError, GenerationPostponed */
  async generate(texture: Texture, signal: AbortSignal): Promise<SignedSkin> {
    const { session, contact, jobs, results } = this.#options;
    const work = workFor(texture);
    try {
      const facts = await contact.facts(signal);
      session.slotLimit.announced = facts.slots;
      await jobs.firstLook(signal);
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const state = await this.#jobState(work, facts, signal);
        if (state) return await results.dataOf(state, texture, facts, signal);
      }
    } catch (error) {
      if (signal.aborted) throw error;
      throw this.#judged(error);
    }
    throw new GenerationPostponed(session.clock.now() + LOST_PAUSE);
  }

  /** The data is stored: drops the record of its job. */
  async settled(identity: string): Promise<void> {
    await deleteUpstreamJob(this.#options.db, identity);
  }

  /** The final state of the job that makes the skin, an earlier job if there is one; undefined: no job. */
  async #jobState(
    work: UpstreamWork,
    facts: UpstreamFacts,
    signal: AbortSignal,
  ): Promise<JobAnswer | undefined> {
    const { db, submitting } = this.#options;
    const row = await findUpstreamJob(db, work.key);
    if (row && row.job_id !== null) return await this.#endOf(work, row.job_id, signal);
    const found = row && (await this.#endOfLost(row, work, signal));
    if (found) return found;
    return await this.#endOfNew(work, await submitting.submit(work, { row, facts }, signal), signal);
  }

  async #endOf(work: UpstreamWork, id: string, signal: AbortSignal): Promise<JobAnswer | undefined> {
    const state = await this.#options.jobs.end(work, id, signal);
    if (!state) await deleteUpstreamJob(this.#options.db, work.key);
    return state;
  }

  async #endOfNew(
    work: UpstreamWork,
    { state, sent }: UpstreamSubmission,
    signal: AbortSignal,
  ): Promise<JobAnswer | undefined> {
    const { db, jobs } = this.#options;
    if (!state) return undefined;
    const end = jobs.endOfNew(work, state, { sent, signal });
    const recorded = acceptUpstreamJob(db, work.key, state.job.id);
    const [ended] = await Promise.all([end, recorded]);
    return ended;
  }

  /** The job of a submission without an answer; undefined if there is none, or if resending will show it. */
  async #endOfLost(
    row: UpstreamJobRow,
    work: UpstreamWork,
    signal: AbortSignal,
  ): Promise<JobAnswer | undefined> {
    const { session, db, jobs, submitting } = this.#options;
    await submitting.verifyNotBeingSent(row);
    if (session.isSkinsmith) return undefined;
    const sent: SubmissionMark = { at: Number.NEGATIVE_INFINITY, mark: row.mark };
    const found = await jobs.endOfLost(work, {
      sent,
      settlesIn: settlesIn(row, session.clock.now()),
      signal,
    });
    if (found) await acceptUpstreamJob(db, work.key, found.job.id);
    return found;
  }

  /** Problems of the service do not count as failures of the job. */
  #judged(error: unknown): unknown {
    const { session, availability } = this.#options;
    const failure = classifyFailure(error);
    if (failure === undefined) return error;
    if (isAboutRequest(failure)) return refusedJob(error);
    if (failure.kind === 'key_refused') availability.keyRefused(error);
    else if (failure.status !== 429) session.outage.failed(error);
    return availability.postponed(error);
  }
}

interface UpstreamParts {
  readonly client: SkinClient;
  readonly settings: UpstreamSettings;
  readonly availability: Pick<Availability, 'wait'>;
  readonly others: Pick<StoredJobs, 'foreignJobs'>;
}

/** Checks whether the upstream service answers and accepts the key, and reads the key's limits. */
export async function upstreamHealth(
  { client, settings, availability, others }: UpstreamParts,
  signal: AbortSignal,
): Promise<readonly HealthFinding[]> {
  const place = client.baseUrl;
  try {
    const { slots } = await readUpstreamFacts(client, settings, signal);
    const { foreignJobs } = others;
    const taken = foreignJobs === 0 ? '' : `, ${foreignJobs} taken by other programs with the same key`;
    const message = `${place} makes the skins and accepts the key; slots there: ${slots}${taken}.`;
    return [finding('ok', 'upstream', message), ...waitFinding(availability.wait())];
  } catch (error) {
    const failure = classifyFailure(error);
    if (failure === undefined) throw error;
    return [failureFinding(failure.kind, place)];
  }
}

function waitFinding(wait: number): HealthFinding[] {
  if (wait === 0) return [];
  const message = `Jobs wait ${Math.ceil(wait / 1000)} s more, because the service limits requests or has failed.`;
  return [finding('warning', 'upstream_wait', message)];
}

function failureFinding(kind: FailureKind, place: string): HealthFinding {
  if (kind === 'key_refused')
    return finding('problem', 'upstream_key_refused', `${place} does not accept the configured key.`);
  if (kind === 'too_fast' || kind === 'full_queue')
    return finding('warning', 'upstream_limits', `${place} currently limits requests.`);
  const message = `${place}, which makes the skins, does not respond properly.`;
  return finding('problem', 'upstream_unreachable', message);
}
