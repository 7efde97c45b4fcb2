import { JobFailedError, ServiceError } from '../../client/errors.ts';
import type { JobState } from '../../client/types.ts';
import { ProofError, type Signing } from '../../dispatch/proof.ts';
import type { Desk } from '../../dispatch/session.ts';
import { endsBatch, isRefusedForNow, mayReadAgain, refusedPause } from '../../dispatch/trouble.ts';
import type { Note } from '../../protocol/envelope.ts';
import { PASSING_FAILURES } from '../../protocol/errors.ts';
import type { SeenSkin } from '../../protocol/seen-skin.ts';
import type { FinishedSkin } from '../model/finished-skin.ts';
import { finishedSkin, mergeNotes } from '../model/finished-skin.ts';
import { type SignedBy, UNPROVED, UNPROVED_NOTE } from '../model/signer.ts';
import type { SourceProblem } from '../model/source.ts';
import type { Work } from '../model/work.ts';
import { fetchHint } from '../sources/fetch-hint.ts';

/** New skin data. */
export interface Made {
  readonly skin: FinishedSkin;
  readonly job: string | undefined;
  readonly warnings: readonly Note[];
}

export interface FinisherTools {
  readonly desk: Desk;
  /** How often work is submitted again after a temporary failure of its job. */
  readonly retries: number;
  readonly service: string;
  readonly signal: AbortSignal;
  /** Returns the signer. @throws ProofError */
  readonly prove: (skin: FinishedSkin, work: Work) => Promise<SignedBy>;
  /** The signer, as far as it was known when the proof failed. */
  readonly signedBy: (signing: Signing) => SignedBy;
  /** Accept results that cannot be proved. */
  readonly acceptUnproven: boolean;
  readonly onDone: (work: Work, made: Made) => Promise<void>;
  readonly onFailed: (work: Work, problem: SourceProblem, job: string | undefined) => Promise<void>;
  /** Submit it again, with the reason. */
  readonly onAgain: (work: Work, why: string) => void;
}

/** Turns finished jobs into results: fetches and proves them and writes them to the journal. */
export class Finisher {
  readonly #tools: FinisherTools;

  constructor(tools: FinisherTools) {
    this.#tools = tools;
  }

  /** A finished job's state; undefined if the service does not know the job. */
  async fetch(id: string): Promise<JobState | undefined> {
    const { desk, signal } = this.#tools;
    try {
      return await this.repeatedly(() => desk.client.job(id, desk.call(signal)));
    } catch (error) {
      if (error instanceof ServiceError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Repeats a read after temporary failures. */
  async repeatedly<T>(request: () => Promise<T>): Promise<T> {
    const { desk, signal } = this.#tools;
    for (let tries = 1; ; tries++) {
      try {
        const answer = await request();
        desk.trouble.passed();
        return answer;
      } catch (error) {
        if (signal.aborted || !mayReadAgain(error, tries)) throw error;
        if (isRefusedForNow(error)) await desk.clock.sleep(refusedPause(error), signal);
        else await desk.trouble.pause(error, signal);
      }
    }
  }

  /** Runs one of the following; a permanently failing request fails only this work. */
  async attempt(work: Work, job: string | undefined, step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (this.#tools.signal.aborted || endsBatch(error)) throw error;
      // Not written to the journal: the job may exist, and the next run asks again.
      await this.#tools.onFailed(work, problemOf(error), job);
    }
  }

  /** The work's job has ended; handles its result. */
  async settle(work: Work, state: JobState): Promise<void> {
    const { id, result, status } = state.job;
    const skin = state.skin ?? (status === 'completed' ? await this.#skin(result) : undefined);
    if (skin) await this.#finish(work, { skin, job: id, warnings: state.warnings });
    else if (status === 'completed') this.vanished(work, 'The service has forgotten the skin.');
    else await this.fail(work, new JobFailedError(id, state.errors), id);
  }

  /** The service no longer knows the job. Its skin may exist nevertheless. */
  async settleForgotten(work: Work, job: string, result: string | undefined): Promise<void> {
    const skin = await this.#skin(result);
    if (skin) await this.#finish(work, { skin, job, warnings: [] });
    else this.vanished(work, 'The service has forgotten the job.');
  }

  /** Nothing of the job is left, so it is made again, which counts as an attempt. */
  vanished(work: Work, why: string): void {
    const { retries, onAgain, desk } = this.#tools;
    if (work.attempt < retries) {
      work.attempt++;
      onAgain(work, why);
    } else desk.track(this.#giveUp(work, { code: 'job_not_found', message: why }, undefined));
  }

  /** The job failed: make it again if the reason is temporary and attempts are left. */
  async fail(work: Work, error: unknown, job?: string): Promise<void> {
    const { retries, onAgain } = this.#tools;
    const problem = problemOf(error);
    if (canPass(error) && work.attempt < retries) {
      work.attempt++;
      onAgain(work, problem.message);
    } else await this.#giveUp(work, problem, job);
  }

  async #giveUp(work: Work, problem: SourceProblem, job: string | undefined): Promise<void> {
    const { desk, onFailed } = this.#tools;
    const { code, message, hint } = problem;
    desk.journal.failed({
      k: work.key,
      code,
      message,
      ...(hint && { hint }),
      ...(job !== undefined && { j: job }),
    });
    await onFailed(work, problem, job);
  }

  async #skin(uuid: string | undefined): Promise<SeenSkin | undefined> {
    const { desk, signal } = this.#tools;
    if (uuid === undefined) return undefined;
    try {
      return await this.repeatedly(() => desk.client.skin(uuid, desk.call(signal)));
    } catch (error) {
      if (error instanceof ServiceError && error.status === 404) return undefined;
      throw error;
    }
  }

  async #finish(work: Work, { skin, job, warnings }: Unfinished): Promise<void> {
    const w = mergeNotes(work.warnings, warnings);
    await this.#prove(work, { skin: finishedSkin(skin), job, warnings: w });
  }

  /** Proves a result again that an earlier run could not prove: the texture may have been served wrong temporarily. */
  async proveAgain(work: Work): Promise<void> {
    const { skin, j: job, w: warnings } = this.#tools.desk.journal.readUnproven(work.key);
    await this.#prove(work, { skin, job, warnings });
  }

  async #prove(work: Work, made: Made): Promise<void> {
    const { prove, signedBy, acceptUnproven } = this.#tools;
    try {
      await this.#done(work, made, await prove(made.skin, work));
    } catch (error) {
      if (!(error instanceof ProofError)) throw error;
      if (acceptUnproven && error.code !== 'invalid_skin_data') {
        const note = { code: 'unproven', message: error.message };
        const warnings = mergeNotes(made.warnings, [note]);
        await this.#done(work, { ...made, warnings }, signedBy(error.signing));
      } else if (error.code === 'unproven') throw error;
      else if (error.code === 'invalid_skin_data') await this.#giveUp(work, problemOf(error), made.job);
      else await this.#keep(work, made, error);
    }
  }

  async #done(work: Work, { skin, job, warnings }: Made, signedBy: SignedBy): Promise<void> {
    const { desk, onDone, service } = this.#tools;
    const { signer, key } = signedBy;
    const w = signer === UNPROVED ? mergeNotes(warnings, [UNPROVED_NOTE]) : [...warnings];
    desk.journal.done({ k: work.key, j: job, skin, w, service, signer, ...(key !== undefined && { key }) });
    await onDone(work, { skin: { ...skin, signedBy }, job, warnings: w });
  }

  /** The result was paid for, so it is kept for the user to decide. */
  async #keep(work: Work, { skin, job, warnings }: Made, { code, message }: ProofError): Promise<void> {
    const { desk, onFailed, service } = this.#tools;
    const record = { k: work.key, j: job, skin, w: [...warnings], service, code, message };
    desk.journal.unproven(record);
    await onFailed(work, { code, message, hint: KEPT_HINT }, job);
  }
}

/** The service's result of a job. */
interface Unfinished {
  readonly skin: SeenSkin;
  readonly job: string;
  readonly warnings: readonly Note[];
}

const KEPT_HINT = 'The skin is kept: --accept-unproven accepts it unchanged, --force makes it again.';

function canPass(error: unknown): boolean {
  if (error instanceof JobFailedError) return PASSING_FAILURES.has(error.code as never);
  return error instanceof ServiceError && error.status >= 500;
}

/** The failure as a problem for the owner of the source. */
export function problemOf(error: unknown): SourceProblem {
  const {
    code,
    message,
    hint = fetchHint(error),
  } = error as {
    code?: unknown;
    message?: unknown;
    hint?: unknown;
  };
  return {
    code: typeof code === 'string' ? code : 'failed',
    message: String(message),
    ...(typeof hint === 'string' && { hint }),
  };
}
