import type { Clock } from '../../../base/clock.ts';
import type { SkinClient } from '../../../client/skin-client.ts';
import type { JobState } from '../../../client/types.ts';
import { isPending } from '../../../protocol/job.ts';
import { Recent } from './recent.ts';

export interface ListenerOptions {
  readonly client: SkinClient;
  readonly clock: Clock;
  /** A job of this key has ended. */
  readonly onEnd: (state: JobState) => void;
  /** The stream was opened, or has ended. */
  readonly onChange: () => void;
}

/** The end of a job may arrive before the answer to its submission is read. */
const KEPT = 200;
/** Milliseconds before an ended stream is reopened. */
const PAUSE = 2_000;

/** Receives the ends of jobs from a service with an event stream. While there is no stream, the list is used. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #stop = new AbortController();
  readonly #ended = new Recent<JobState>(KEPT);
  #isOpen = false;
  #notBefore = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The final state of a job, if an event has reported it. */
  ended(id: string): JobState | undefined {
    return this.#ended.get(id);
  }

  /** Opens the stream, unless it is open already. */
  open(): void {
    if (this.#reading || this.#stop.signal.aborted || this.#options.clock.monotonic() < this.#notBefore)
      return;
    this.#reading = this.#read();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#reading;
  }

  /** Reads until the stream ends, for any reason: the next look at the list finds out whether there is trouble. */
  async #read(): Promise<void> {
    const { client, clock, onEnd, onChange } = this.#options;
    try {
      for await (const event of client.events({ signal: this.#stop.signal })) {
        if (!this.#isOpen) {
          this.#isOpen = true;
          onChange();
        }
        if (event.type !== 'job' || isPending(event.state.job.status)) continue;
        this.#ended.set(event.state.job.id, event.state);
        onEnd(event.state);
      }
    } catch {
      // already reported
    } finally {
      this.#isOpen = false;
      this.#notBefore = clock.monotonic() + PAUSE;
      this.#reading = undefined;
      onChange();
    }
  }
}
