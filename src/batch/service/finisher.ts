import { JobFailedError, ServiceError } from '../../client/errors.ts';
import type { JobState } from '../../client/types.ts';
import type { Note } from '../../protocol/envelope.ts';
import { PASSING_FAILURES } from '../../protocol/errors.ts';
import type { SeenSkin } from '../../protocol/skin.ts';
import { finishedSkin, mergeNotes } from '../finished-skin.ts';
import { ProofError } from '../proof/proof.ts';
import { fetchHint } from '../sources/fetch-hint.ts';
import type { FinishedSkin, SourceProblem } from '../types.ts';
import type { Desk } from './desk.ts';
import { endsBatch, isRefusedForNow, isTrouble, refusedPause } from './trouble.ts';
import type { Work } from './work.ts';

/** Skin data that has just been made. */
export interface Made {
  readonly skin: FinishedSkin;
  readonly job: string;
  readonly warnings: readonly Note[];
}

export interface FinisherTools {
  readonly desk: Desk;
  /** How often work whose job failed in passing is submitted again. */
  readonly retries: number;
  readonly service: string;
  readonly signal: AbortSignal;
  /** Answers the fingerprint of the key that signed, where it is known. @throws ProofError */
  readonly prove: (skin: FinishedSkin, work: Work) => Promise<string | undefined>;
  readonly onDone: (work: Work, made: Made) => Promise<void>;
  readonly onFailed: (work: Work, problem: SourceProblem, job: string | undefined) => Promise<void>;
  /** Submit it again, and why. */
  readonly onAgain: (work: Work, why: string) => void;
}

/** Answers to one request that could not be used, with the service answering otherwise. */
const MOST_TRIES = 30;

/** Turns jobs that ended into results: fetched, proved, written to the journal. */
export class Finisher {
  readonly #tools: FinisherTools;

  constructor(tools: FinisherTools) {
    this.#tools = tools;
  }

  /** A finished job's state; undefined when the service does not know the job. */
  async fetch(id: string): Promise<JobState | undefined> {
    const { desk, signal } = this.#tools;
    try {
      return await this.repeatedly(() => desk.client.job(id, desk.call(signal)));
    } catch (error) {
      if (error instanceof ServiceError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Repeats a request that changes nothing while trouble can pass. */
  async repeatedly<T>(request: () => Promise<T>): Promise<T> {
    const { desk, signal } = this.#tools;
    for (let tries = 1; ; tries++) {
      try {
        const answer = await request();
        desk.trouble.passed();
        return answer;
      } catch (error) {
        if (signal.aborted || !isTrouble(error) || tries >= MOST_TRIES) throw error;
        if (isRefusedForNow(error)) await desk.clock.sleep(refusedPause(error), signal);
        else await desk.trouble.pause(error, signal);
      }
    }
  }

  /** Runs one of the following; an answer that cannot be had is this work's failure alone. */
  async attempt(work: Work, job: string, step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (this.#tools.signal.aborted || endsBatch(error)) throw error;
      // Not written to the journal: the job may be there, and the next run asks again.
      await this.#tools.onFailed(work, problemOf(error), job);
    }
  }

  /** The work's job has come to its end, and this is how. */
  async settle(work: Work, state: JobState): Promise<void> {
    const { id, result, status } = state.job;
    const skin = state.skin ?? (status === 'completed' ? await this.#skin(result) : undefined);
    if (skin) await this.#finish(work, { skin, job: id, warnings: state.warnings });
    else if (status === 'completed') this.vanished(work, 'The service has forgotten the skin.');
    else await this.fail(work, new JobFailedError(id, state.errors), id);
  }

  /** The service does not know the job any more. Its skin may be there all the same. */
  async settleForgotten(work: Work, job: string, result: string | undefined): Promise<void> {
    const skin = await this.#skin(result);
    if (skin) await this.#finish(work, { skin, job, warnings: [] });
    else this.vanished(work, 'The service has forgotten the job.');
  }

  /** Nothing of the job is left: it is made again, and that counts. */
  vanished(work: Work, why: string): void {
    const { retries, onAgain, desk } = this.#tools;
    if (work.attempt < retries) {
      work.attempt++;
      onAgain(work, why);
    } else desk.track(this.#giveUp(work, { code: 'job_not_found', message: why }, undefined));
  }

  /** It failed: made again when the reason can pass and there are tries left. */
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

  async #finish(work: Work, made: { skin: SeenSkin; job: string; warnings: readonly Note[] }): Promise<void> {
    const { desk, prove, onDone, service } = this.#tools;
    const skin = finishedSkin(made.skin);
    let key: string | undefined;
    try {
      key = await prove(skin, work);
    } catch (error) {
      if (!(error instanceof ProofError) || error.code === 'unproven') throw error;
      await this.#giveUp(work, { code: error.code, message: error.message }, made.job);
      return;
    }
    const w = mergeNotes(work.warnings, made.warnings);
    desk.journal.done({ k: work.key, j: made.job, skin, w, service, ...(key !== undefined && { key }) });
    await onDone(work, { skin, job: made.job, warnings: w });
  }
}

function canPass(error: unknown): boolean {
  if (error instanceof JobFailedError) return PASSING_FAILURES.has(error.code as never);
  return error instanceof ServiceError && error.status >= 500;
}

/** What a failure says to the owner of the source. */
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
