import type { OtherProcesses } from '../../../dispatch/other-processes.ts';
import type { CountedSpots } from '../../../dispatch/spots.ts';
import type { Db } from '../../store/db.ts';
import { listUpstreamJobs } from '../../store/upstream-jobs.ts';

export interface StoredJobsOptions {
  readonly db: Db;
  readonly spots: Pick<CountedSpots, 'foreignJobs'>;
  /** Whether this process submitted the job or waited for it. */
  readonly isOwn: (id: string) => boolean;
}

/** Pause between looks at the jobs of others with the same key, milliseconds. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;

/** The jobs of all processes of this service, from its store. Pending jobs that it does not have are other programs'. */
export class StoredJobs implements OtherProcesses {
  readonly isShared = false;
  readonly otherJobs = [];
  readonly settledAt = undefined;
  readonly typical = undefined;
  readonly #options: StoredJobsOptions;
  #known: ReadonlySet<string> = new Set();
  /** Submissions without an answer so far. */
  #unanswered = 0;
  #foreignJobs = 0;
  #pause = FIRST_PAUSE;

  constructor(options: StoredJobsOptions) {
    this.#options = options;
  }

  /** Jobs on the service that belong to other programs with the same key. */
  get foreignJobs(): number {
    return this.#foreignJobs;
  }

  /** Longer while nothing changes. */
  get foreignJobsPause(): number {
    return this.#pause;
  }

  /** Jobs on the service that are known here, and other programs'. */
  get pending(): number {
    return this.#known.size + this.#foreignJobs;
  }

  async catchUp(): Promise<void> {
    const rows = await listUpstreamJobs(this.#options.db);
    this.#known = new Set(rows.map(({ job_id }) => job_id).filter((id) => id !== null));
    this.#unanswered = rows.filter(({ job_id }) => job_id === null).length;
  }

  /** Counts other programs' jobs in the list that has just been seen. @returns whether there are fewer than before */
  countForeignJobs(): boolean {
    const { spots, isOwn } = this.#options;
    const foreign = spots.foreignJobs((id) => this.#known.has(id) || isOwn(id));
    const before = this.#foreignJobs;
    // A submission without an answer so far may be among them, or not have arrived when the list was made.
    const least = Math.max(0, foreign - this.#unanswered);
    this.#foreignJobs = Math.min(Math.max(before, least), foreign);
    this.#pause = this.#foreignJobs === before ? Math.min(LONGEST_PAUSE, this.#pause * 1.5) : FIRST_PAUSE;
    return this.#foreignJobs < before;
  }

  isElsewhere(id: string): boolean {
    return this.#known.has(id);
  }

  /** Each process requests its own lists. */
  takeNews(): undefined {
    return undefined;
  }

  tryLook(): number {
    return 0;
  }

  endLook(): void {}
}
