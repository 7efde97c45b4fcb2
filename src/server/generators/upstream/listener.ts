import type { SkinClient } from '../../../client/skin-client.ts';
import type { JobState } from '../../../client/types.ts';
import type { Clock } from '../../../clock.ts';
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

/** An end may be heard before the answer to its submission is read. */
const KEPT = 200;
/** Milliseconds before a stream that ended is opened again. */
const PAUSE = 2_000;

/** Hears of jobs' ends from a service that tells of them. While it does not, there is the list. */
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

  /** A job's end, if it was heard of. */
  ended(id: string): JobState | undefined {
    return this.#ended.get(id);
  }

  /** Listens from now on, if it does not yet. */
  open(): void {
    if (this.#reading || this.#stop.signal.aborted || this.#options.clock.monotonic() < this.#notBefore)
      return;
    this.#reading = this.#read();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#reading;
  }

  /** Until the stream ends, for whatever reason: the look at the list that follows finds out whether it is trouble. */
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
      // said above
    } finally {
      this.#isOpen = false;
      this.#notBefore = clock.monotonic() + PAUSE;
      this.#reading = undefined;
      onChange();
    }
  }
}
