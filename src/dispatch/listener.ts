import type { JobState } from '../client/types.ts';
import { isPending } from '../protocol/job.ts';
import { type JobEventsOptions, jobEvents } from './job-events.ts';

export interface ListenerOptions extends JobEventsOptions {
  /** Runs the loop in the background, until the signal is aborted. */
  readonly run: (loop: Promise<void>) => void;
  /** The stream has been opened, or has ended; while there is none, the list shows the ends of jobs. */
  readonly onListening: (isListening: boolean) => void;
  /** A job of the caller was accepted, or has ended; not necessarily one of this process. */
  readonly onJob: (state: JobState) => void;
}

/** Ends of jobs that are kept, because they may arrive before the answer to the submission. */
const MOST_ENDED = 256;

/** Listens for the ends of jobs on a service that streams them. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #ended = new Map<string, JobState>();
  #hasStarted = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Starts listening; further calls do nothing. */
  start(): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.#options.run(this.#listen());
  }

  /** The end of a job, if an event has reported it, once. */
  takeEnd(id: string): JobState | undefined {
    const state = this.#ended.get(id);
    this.#ended.delete(id);
    return state;
  }

  async #listen(): Promise<void> {
    for await (const event of jobEvents(this.#options)) {
      if (event.type === 'job') this.#heard(event.state);
      else if (event.type === 'jobs') this.#options.onListening(true);
      else if (event.type === 'closed') this.#options.onListening(false);
    }
  }

  #heard(state: JobState): void {
    const { id, status } = state.job;
    if (!isPending(status)) {
      this.#ended.set(id, state);
      if (this.#ended.size > MOST_ENDED) this.#ended.delete(this.#ended.keys().next().value ?? '');
    }
    this.#options.onJob(state);
  }
}
