import type { JobState } from '../client/types.ts';
import { isPending, type Job } from '../protocol/job.ts';
import { jobDuration } from './job-duration.ts';
import type { Reads } from './reads.ts';
import type { Session } from './session.ts';
import type { OpenJob } from './spots.ts';
import type { Submission } from './submission.ts';

/** How the end of a job was noticed. `state`: the complete job, if an event carried it. */
export interface End {
  readonly seen: Job;
  readonly state?: JobState;
  /** When it had certainly ended. */
  readonly at: number;
  /** The answer to the submission told it, so that it says nothing about other jobs. Default: false. */
  readonly isAtOnce?: boolean;
}

/** What becomes of ended jobs. */
export interface JobResults<W extends Submission> {
  /** Runs a step; a permanently failing request fails only this work. */
  attempt(work: W, job: string | undefined, step: () => Promise<void>): Promise<void>;
  /** The work's job has ended. */
  settle(work: W, state: JobState): Promise<void>;
  /** The service no longer knows the job; `result`: UUID of its skin, if a list showed it. */
  settleForgotten(work: W, job: string, result: string | undefined): Promise<void>;
}

export interface JobEndsPorts<W extends Submission> {
  readonly session: Session<W>;
  readonly reads: Pick<Reads, 'job'>;
  readonly results: JobResults<W>;
  /** Whether results are wanted; otherwise only the spots matter. */
  readonly follows: boolean;
  /** A spot became free. */
  readonly onRoom: (end: End) => void;
  /** More is known of when jobs end: one was polled too early, or has told how long jobs take. */
  readonly onHint: () => void;
}

/** Handles the end of our jobs, and jobs that cannot be found. */
export class JobEnds<W extends Submission> {
  readonly #ports: JobEndsPorts<W>;
  /** Jobs being polled. */
  readonly #checked = new Set<string>();

  constructor(ports: JobEndsPorts<W>) {
    this.#ports = ports;
  }

  /** A job has ended: frees its spot in this very tick and fetches the result in the background. */
  ended(job: OpenJob<W>, end: End): void {
    const { seen, state, at } = end;
    const { session, reads, results, follows, onRoom } = this.#ports;
    if (!session.spots.jobs.has(job.id)) return;
    session.spots.freed(job.id);
    onRoom(end);
    if (!follows) return;
    session.track(
      results.attempt(job.work, job.id, async () => {
        const isWhole = state?.skin || state?.job.status === 'failed';
        const known = isWhole ? state : await reads.job(job.id);
        if (!known) return await results.settleForgotten(job.work, job.id, seen.result);
        this.#learnDuration(job, known, at);
        await results.settle(job.work, known);
      }),
    );
  }

  /** Polls this one job: it is due, or the list does not contain it (no longer, or not yet). */
  ask(job: OpenJob<W>): void {
    const { session, results, onHint } = this.#ports;
    const askedAt = session.now();
    // Also while an answer is outstanding: otherwise the job stays due, and the watcher never gets past it.
    job.askedAt = askedAt;
    if (this.#checked.has(job.id)) return;
    this.#checked.add(job.id);
    const check = async () => {
      const state = await this.#fetch(job.id);
      if (state && isPending(state.job.status)) {
        job.seenAt = Math.max(askedAt, job.seenAt ?? askedAt);
        return onHint();
      }
      if (state) this.ended(job, { seen: state.job, state, at: session.now() });
      else if (session.spots.jobs.has(job.id)) {
        session.spots.freed(job.id);
        await results.settleForgotten(job.work, job.id, undefined);
      }
    };
    session.track(results.attempt(job.work, job.id, check));
  }

  async #fetch(id: string): Promise<JobState | undefined> {
    const { session, reads } = this.#ports;
    try {
      return await reads.job(id);
    } catch (error) {
      if (!session.spots.jobs.has(id)) return undefined; // the list has shown its end, which is handled
      session.spots.freed(id); // a job that cannot be polled cannot be awaited
      throw error;
    } finally {
      this.#checked.delete(id);
    }
  }

  #learnDuration(job: OpenJob<W>, state: JobState, at: number): void {
    if (!job.isTimed) return;
    const { duration, isTold } = jobDuration(job, state, at);
    this.#ports.session.times.ended(job, duration, { isTold });
    this.#ports.onHint();
  }
}
