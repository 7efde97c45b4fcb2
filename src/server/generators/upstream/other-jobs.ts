import { isPending, type Job } from '../../../protocol/job.ts';
import type { Db } from '../../store/db.ts';
import { listUpstreamJobs } from '../../store/upstream-jobs.ts';

/** Pause between looks at the jobs of others with the same key, milliseconds. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;

/** The jobs on the upstream service that belong to other programs with the same key. */
export class OtherJobs {
  readonly #db: Db;
  #count = 0;
  #pause = FIRST_PAUSE;

  constructor(db: Db) {
    this.#db = db;
  }

  get count(): number {
    return this.#count;
  }

  /** Milliseconds until it is worth looking whether they have ended: longer while nothing changes. */
  get pause(): number {
    return this.#pause;
  }

  /** Counts them in a list. `isOwn`: jobs that this process knows. @returns whether there is more room now */
  async saw(jobs: readonly Job[], isOwn: (id: string) => boolean): Promise<boolean> {
    const kept = await listUpstreamJobs(this.#db);
    const known = new Set(kept.map(({ job_id }) => job_id));
    const strange = jobs.filter(({ id, status }) => isPending(status) && !known.has(id) && !isOwn(id));
    // A submission without an answer so far is one of them.
    const count = Math.max(0, strange.length - kept.filter(({ job_id }) => job_id === null).length);
    const before = this.#count;
    this.#pause = count === before ? Math.min(LONGEST_PAUSE, this.#pause * 1.5) : FIRST_PAUSE;
    this.#count = count;
    return count < before;
  }
}
