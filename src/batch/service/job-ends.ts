import type { JobState } from '../../client/types.ts';
import { isPending, type Job } from '../../protocol/job.ts';
import type { Desk } from './desk.ts';
import type { Finisher } from './finisher.ts';
import type { OpenJob } from './spots.ts';

/** How the end of a job was seen. `state`: the whole of it, where an event brought it. */
export interface End {
  readonly seen: Job;
  readonly state?: JobState;
  /** When it had certainly ended. */
  readonly at: number;
}

export interface JobEndsTools {
  readonly desk: Desk;
  readonly finisher: Finisher;
  /** Whether results are wanted; else only the spots matter. */
  readonly follows: boolean;
  /** A spot is free. */
  readonly onRoom: () => void;
}

/** What is done when a job of ours comes to its end, or is not to be found. */
export class JobEnds {
  readonly #tools: JobEndsTools;
  /** Jobs that are being asked for because the list did not have them. */
  readonly #checked = new Set<string>();

  constructor(tools: JobEndsTools) {
    this.#tools = tools;
  }

  /** A job has ended: its spot is free in this very tick, its result is fetched meanwhile. */
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

  /** The list does not have the job (any more, or yet): the service is asked for it alone. */
  missing(job: OpenJob): void {
    const { desk, finisher } = this.#tools;
    if (this.#checked.has(job.id)) return;
    this.#checked.add(job.id);
    const check = async () => {
      const state = await this.#fetch(job.id);
      if (state && isPending(state.job.status)) return;
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
      desk.spots.freed(id); // what cannot be asked for cannot be waited for
      throw error;
    } finally {
      this.#checked.delete(id);
    }
  }

  /** How long it took, from the service's own times where it tells them. */
  #learnDuration(job: OpenJob, { job: { timestamp }, skin }: JobState, at: number): void {
    const end = skin?.generator?.timestamp;
    if (!job.isTimed) return;
    const longest = at - job.acceptedAt;
    const told = end !== undefined && timestamp !== undefined ? end - timestamp : longest;
    this.#tools.desk.times.ended(job, told >= 0 && told <= longest ? told : longest);
  }
}
