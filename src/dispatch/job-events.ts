import { backOff, type Clock } from '../base/clock.ts';
import { SkinsmithError } from '../client/errors.ts';
import type { SkinClient } from '../client/skin-client.ts';
import type { JobAnswer, JobEvent } from '../client/types.ts';
import { isPending } from '../protocol/job.ts';

export interface JobEventsOptions {
  readonly client: Pick<SkinClient, 'events'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Resolves when a connection is wanted; absent: always. */
  readonly untilWanted?: (() => Promise<void>) | undefined;
}

/**
 * An event of the service; `closed`: the connection has ended, so that the ends of jobs may be missed from now
 * on; `reopening`: the next connection is about to be made.
 */
export type StreamEvent = JobEvent | { readonly type: 'closed' | 'reopening' };

/** Milliseconds before reconnecting after a connection broke; doubled while nothing is heard. */
const RECONNECTING = { first: 500, longest: 15_000 };

/** The caller's jobs as the service streams them, over one connection after another, until aborted. */
export async function* jobEvents(options: JobEventsOptions): AsyncGenerator<StreamEvent, void, void> {
  const { client, clock, signal, untilWanted } = options;
  for (let failures = 1; ; failures++) {
    await untilWanted?.();
    try {
      for await (const event of client.events({ signal })) {
        failures = 1;
        yield event;
      }
    } catch (error) {
      if (signal.aborted || !(error instanceof SkinsmithError)) throw error;
    }
    yield { type: 'closed' };
    await clock.sleep(backOff(failures, RECONNECTING), signal);
    yield { type: 'reopening' };
  }
}

export interface JobEventListenerOptions extends JobEventsOptions {
  /** Runs the loop in the background, until the signal is aborted. */
  readonly run: (loop: Promise<void>) => void;
  /** The stream has been opened, or has ended; while there is none, the list shows the ends of jobs. */
  readonly onListening: (isListening: boolean) => void;
  /** A job of the caller was accepted, or has ended; not necessarily one of this process. */
  readonly onJob: (state: JobAnswer) => void;
}

/** Ends of jobs that are kept, because they may arrive before the answer to the submission. */
const MAX_ENDED = 256;

/** Listens for the ends of jobs on a service that streams them. */
export class JobEventListener {
  readonly #options: JobEventListenerOptions;
  readonly #ended = new Map<string, JobAnswer>();
  #hasStarted = false;

  constructor(options: JobEventListenerOptions) {
    this.#options = options;
  }

  /** Starts listening; further calls do nothing. */
  start(): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    this.#options.run(this.#listen());
  }

  /** The end of a job, if an event has reported it, once. */
  takeEnd(id: string): JobAnswer | undefined {
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

  #heard(state: JobAnswer): void {
    const { id, status } = state.job;
    if (!isPending(status)) {
      this.#ended.set(id, state);
      if (this.#ended.size > MAX_ENDED) this.#ended.delete(this.#ended.keys().next().value ?? '');
    }
    this.#options.onJob(state);
  }
}
