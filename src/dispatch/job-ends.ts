import type { Finisher } from '../batch/service/finisher.ts';
import type { JobState } from '../client/types.ts';
import { isPending, type Job } from '../protocol/job.ts';
import { jobDuration } from './job-duration.ts';
import type { Desk } from './session.ts';
import type { OpenJob } from './spots.ts';

/** How the end of a job was noticed. `state`: the complete job, if an event carried it. */
export interface End {
  readonly seen: Job;
  readonly state?: JobState;
  /** When it had certainly ended. */
  readonly at: number;
}

export interface JobEndsTools {
  readonly desk: Desk;
  readonly finisher: Finisher;
  /** Whether results are wanted; otherwise only the spots matter. */
  readonly follows: boolean;
  /** A spot became free. */
  readonly onRoom: () => void;
  /** A polled job has not ended yet. */
  readonly onPending: () => void;
}

/** Handles the end of our jobs, and jobs that cannot be found. */
export class JobEnds {
  readonly #tools: JobEndsTools;
  /** Jobs being polled. */
  readonly #checked = new Set<string>();

  constructor(tools: JobEndsTools) {
    this.#tools = tools;
  }

  /** A job has ended: frees its spot in this very tick and fetches the result in the background. */
  ended(job: OpenJob, { seen, state, at }: End): void {
    const { desk, finisher, follows, onRoom } = this.#tools;
    if (!desk.spots.jobs.has(job.id)) return;
    desk.spots.freed(job.id);
    onRoom();
    if (!follows) return;
    desk.track(
      finisher.attempt(job.work, job.id, async () => {
        const isWhole = state?.skin || state?.job.status === 'failed';
        const known = isWhole ? state : await finisher.fetch(job.id);
        if (!known) return await finisher.settleForgotten(job.work, job.id, seen.result);
        this.#learnDuration(job, known, at);
        await finisher.settle(job.work, known);
      }),
    );
  }

  /** Polls this one job: it is due, or the list does not contain it (no longer, or not yet). */
  ask(job: OpenJob): void {
    const { desk, finisher, onPending } = this.#tools;
    const askedAt = desk.now();
    // Also while an answer is outstanding: otherwise the job stays due, and the watcher never gets past it.
    job.askedAt = askedAt;
    if (this.#checked.has(job.id)) return;
    this.#checked.add(job.id);
    const check = async () => {
      const state = await this.#fetch(job.id);
      if (state && isPending(state.job.status)) {
        job.seenAt = Math.max(askedAt, job.seenAt ?? askedAt);
        return onPending();
      }
      if (state) this.ended(job, { seen: state.job, state, at: desk.now() });
      else if (desk.spots.jobs.has(job.id)) {
        desk.spots.freed(job.id);
        await finisher.settleForgotten(job.work, job.id, undefined);
      }
    };
    desk.track(finisher.attempt(job.work, job.id, check));
  }

  async #fetch(id: string): Promise<JobState | undefined> {
    const { desk, finisher } = this.#tools;
    try {
      return await finisher.fetch(id);
    } catch (error) {
      if (!desk.spots.jobs.has(id)) return undefined; // the list has shown its end, which is handled
      desk.spots.freed(id); // a job that cannot be polled cannot be awaited
      throw error;
    } finally {
      this.#checked.delete(id);
    }
  }

  #learnDuration(job: OpenJob, state: JobState, at: number): void {
    if (!job.isTimed) return;
    const { duration, isTold } = jobDuration(job, state, at);
    this.#tools.desk.times.ended(job, duration, { isTold });
  }
}
