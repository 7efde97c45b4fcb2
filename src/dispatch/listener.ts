import { SkinsmithError } from '../client/errors.ts';
import type { JobState } from '../client/types.ts';
import { isPending } from '../protocol/job.ts';
import type { Desk } from './session.ts';
import type { OpenJob } from './spots.ts';

export interface ListenerTools {
  readonly desk: Desk;
  readonly signal: AbortSignal;
  readonly onListening: (isListening: boolean) => void;
  readonly onEnded: (job: OpenJob, state: JobState) => void;
  /** The end of a job, ours or not. */
  readonly onRoom: () => void;
}

/** Ends of jobs that we do not know yet, kept until we do. */
const MOST_EARLY = 256;
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15_000;

/** Listens for the ends of jobs, if the service streams them. */
export class Listener {
  readonly #tools: ListenerTools;
  readonly #early = new Map<string, JobState>();
  #hasStarted = false;

  constructor(tools: ListenerTools) {
    this.#tools = tools;
  }

  /** Starts listening once the service is known to stream events; further calls do nothing. */
  start(): void {
    const { desk, signal } = this.#tools;
    if (this.#hasStarted || !desk.isSkinsmith) return;
    this.#hasStarted = true;
    desk.run(this.#listen(), signal);
  }

  /** The end of a job that arrived before the answer to its submission. */
  takeEarly(id: string): JobState | undefined {
    const state = this.#early.get(id);
    this.#early.delete(id);
    return state;
  }

  async #listen(): Promise<void> {
    const { desk, signal, onListening } = this.#tools;
    for (let failures = 0; ; failures++) {
      const isLong = await this.#hearOnce();
      onListening(false);
      if (isLong) failures = 0;
      await desk.clock.sleep(Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** failures), signal);
    }
  }

  /** One connection, until it breaks; meanwhile the list is polled. Returns whether it delivered anything. */
  async #hearOnce(): Promise<boolean> {
    const { desk, signal, onListening, onRoom } = this.#tools;
    let isOpen = false;
    try {
      for await (const event of desk.client.events({ signal })) {
        if (event.type === 'jobs') {
          isOpen = true;
          onListening(true);
        } else this.#heard(event.state);
        if (event.type === 'jobs' || !isPending(event.state.job.status)) onRoom();
      }
    } catch (error) {
      if (signal.aborted || !(error instanceof SkinsmithError)) throw error;
    }
    return isOpen;
  }

  #heard(state: JobState): void {
    const { desk, onEnded } = this.#tools;
    const { job } = state;
    desk.sawJobTime(job);
    const ours = desk.spots.jobs.get(job.id);
    if (isPending(job.status)) {
      if (desk.spots.unsure.size === 0) desk.spots.sawJob(job); // otherwise it may be an unanswered submission's
    } else if (ours) onEnded(ours, state);
    else {
      desk.spots.sawJob(job);
      this.#early.set(job.id, state);
      if (this.#early.size > MOST_EARLY) this.#early.delete(this.#early.keys().next().value ?? '');
    }
  }
}
