import type { Clock } from '../clock.ts';
import { isPending, type Job, JobFailedError, type JobState, type Note, type SkinClient } from '../index.ts';
import type { Connection } from './connect.ts';
import type { Deps } from './deps.ts';
import { isInterruption } from './exit.ts';
import { type ResultView, resultView } from './output/views.ts';
import { tellable } from './told-error.ts';

/** A job that the service has accepted from us. */
export interface QueuedJob {
  readonly label: string;
  readonly state: JobState;
  readonly warnings: readonly Note[];
}

/** Spots in the queue that everybody has (the service's specification). */
const USUAL_SLOTS = 5;
/** Milliseconds between looks at the job list while every spot is taken. */
const LOOK = 500;

interface SpotKeeperOptions {
  readonly slots: number | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Keeps the number of our unfinished jobs within the spots. */
export class SpotKeeper {
  readonly #client: SkinClient;
  readonly #options: SpotKeeperOptions;
  #pending = new Set<string>();

  constructor(client: SkinClient, options: SpotKeeperOptions) {
    this.#client = client;
    this.#options = options;
  }

  take(job: Job): void {
    if (isPending(job.status)) this.#pending.add(job.id);
  }

  /** Resolves when fewer jobs of ours are pending than there are spots. One list call per look. */
  async untilOneIsOpen(): Promise<void> {
    const { slots = USUAL_SLOTS, clock, signal } = this.#options;
    while (this.#pending.size >= slots) {
      const jobs = await this.#client.jobs({ signal });
      const pending = new Set(jobs.filter((job) => isPending(job.status)).map((job) => job.id));
      this.#pending = this.#pending.intersection(pending);
      if (this.#pending.size >= slots) await clock.sleep(LOOK, signal);
    }
  }
}

/** Follows jobs to their ends, in their order. A job that failed is a result, not an error. */
export async function* followJobs(
  jobs: readonly QueuedJob[],
  { connection, deps }: { connection: Connection; deps: Deps },
): AsyncGenerator<ResultView> {
  for (const [index, { label, state, warnings }] of jobs.entries()) {
    const job = state.job.id;
    if (state.skin) {
      yield resultView({ source: label, job, skin: state.skin, warnings });
      continue;
    }
    const progress = await deps.talk.progress(`Waiting for ${label} (${index + 1} of ${jobs.length})`);
    try {
      const { skin } = await connection.client.waitForJob(state.job, { signal: deps.signal });
      progress.stop();
      yield resultView({ source: label, job, skin, warnings });
    } catch (error) {
      progress.stop();
      if (isInterruption(error)) sayHowToGoOn(jobs.length - index, deps);
      const told = tellable(error);
      if (!told || !(error instanceof JobFailedError)) throw error;
      await deps.talk.failure({ ...told, message: `${label}: ${told.message}` });
      yield resultView({ source: label, job, error: told, warnings });
    }
  }
}

function sayHowToGoOn(count: number, deps: Deps): void {
  deps.talk.say(
    `${count} ${count === 1 ? 'job is' : 'jobs are'} still in the queue; see them with: skinsmith jobs`,
  );
}
